"""The frame of a visit: signing in, sometimes at the second attempt, and signing out; knows no action."""

from __future__ import annotations

from server_stub.demo.actions.scene import Scene
from server_stub.demo.people import Person
from server_stub.events import Actor, EventDraft


def actor_of(person: Person, session: str | None = None) -> Actor:
    """The person as events name them; `session` is the public reference of the session, None for a job."""
    address = None if session is None else person.ipv4_address
    return Actor(person.id, person.kind, person.displayname, session, address)


def sign_in(scene: Scene) -> None:
    """USER_LOGIN, for some people after a typing error."""
    if scene.rng.random() < 0.05:
        scene.drafts.append(failed_login(scene.now, scene.person.login))
        scene.pause(4, 25)
    scene.write_base("USER_LOGIN", "user", scene.person.id, pollable=True)
    scene.pause(2, 30)


def sign_out(scene: Scene) -> None:
    """USER_LOGOUT."""
    scene.write_base("USER_LOGOUT", "user", scene.person.id, pollable=True)


def failed_login(now: int, login: str) -> EventDraft:
    """LOGIN_FAILED as the server itself writes it: nobody is signed in."""
    info = f'{{"method":"easydb","login":"{login}","reason":"wrong login or password"}}'
    return EventDraft("LOGIN_FAILED", now, info=info)
