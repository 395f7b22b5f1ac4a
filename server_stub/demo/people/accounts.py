"""Gives the people of the demo house their accounts and groups; knows nothing of what they do."""

from __future__ import annotations

from collections.abc import Iterable
from secrets import token_urlsafe

from sqlalchemy import Connection, update

from server_stub.accounts import Users
from server_stub.database.tables import user
from server_stub.demo.people.person import Person
from server_stub.demo.people.staff import GROUPS


def add_people(connection: Connection, users: Users, people: Iterable[Person]) -> None:
    """Adds accounts and groups; who has no public password gets one that nobody knows."""
    members: dict[str, list[int]] = {name: [] for name, _ in GROUPS}
    for person in people:
        _add(connection, users, person)
        for name in person.groups:
            members[name].append(person.id)
    for name, displayname in GROUPS:
        users.add_group(connection, name, displayname, members[name])


def _add(connection: Connection, users: Users, person: Person) -> None:
    made = users.add(
        connection,
        person.login,
        person.password or token_urlsafe(32),
        displayname=person.displayname,
        rights=person.rights,
        kind=person.kind,
    )
    if made.id != person.id:
        # Some databases do not give ids again that an interrupted attempt used up.
        connection.execute(update(user).where(user.c.id == made.id).values(id=person.id))
