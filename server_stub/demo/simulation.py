"""The state of simulated visits: weighted choices, objects and versions, the visitor, and sessions."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar
from uuid import UUID

from server_stub.accounts.sessions import session_record
from server_stub.demo.people import Person
from server_stub.events import Actor, EventDraft

_Item = TypeVar("_Item")


class Choice(Generic[_Item]):
    """Items with weights; falsy when nothing can be chosen."""

    __slots__ = ("_cumulative", "_items", "total")

    def __init__(self, weighted: Iterable[tuple[_Item, float]]) -> None:
        pairs = [(item, weight) for item, weight in weighted if weight > 0]
        self._items = [item for item, _ in pairs]
        self._cumulative = list(accumulate(weight for _, weight in pairs))
        self.total: float = self._cumulative[-1] if pairs else 0.0

    def __bool__(self) -> bool:
        return bool(self._items)

    def pick(self, rng: Random) -> _Item:
        """One item; IndexError when there is none."""
        return self._items[bisect(self._cumulative, rng.random() * self.total)]


class Stock:
    """The objects by objecttype; events ask it for one to look at, to change, to add or to delete.

    `present` maps objecttypes to ids and versions; `coming` holds the ids still to be added, in order,
    `doomed` those that are there only to be deleted.
    """

    def __init__(
        self,
        present: Mapping[str, Mapping[int, int]],
        coming: Mapping[str, Sequence[int]],
        doomed: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        self._ids = {table: sorted(ids) for table, ids in present.items()}
        self.versions = {table: dict(ids) for table, ids in present.items()}
        self._coming = coming
        self._doomed = {table: list(ids) for table, ids in (doomed or {}).items()}
        self._added = dict.fromkeys(self._ids, 0)
        self._share = 0.0

    def reach(self, share: float) -> None:
        """Lets this share of the coming objects be added by now."""
        self._share = share

    @property
    def tables(self) -> list[str]:
        """The objecttypes that have an object to look at."""
        return [table for table, ids in self._ids.items() if ids]

    def some(self, table: str, rng: Random) -> int:
        """The id of an object; the newest are looked at most."""
        ids = self._ids[table]
        random = rng.random()
        return ids[-1 - int(len(ids) * random * random)]

    def version(self, table: str, object_id: int) -> int:
        """The version that an object has reached."""
        return self.versions[table][object_id]

    def change(self, table: str, object_id: int) -> int:
        """A new version of an object; answers it."""
        versions = self.versions[table]
        versions[object_id] += 1
        return versions[object_id]

    def add(self, table: str) -> int | None:
        """The id of a new object, None when the time for it has not come."""
        made = self._next_id(table)
        if made is not None:
            self._ids[table].append(made)
            self.versions[table][made] = 1
            self._added[table] += 1
        return made

    def undo(self, table: str, object_id: int) -> None:
        """Takes the last thing back that was told of an object: its newest version, or that it was added."""
        if self.versions[table][object_id] > 1:
            self.versions[table][object_id] -= 1
        else:
            del self.versions[table][object_id]
            self._ids[table].remove(object_id)
            self._added[table] -= 1

    def delete(self, table: str) -> int | None:
        """The id of an object that is deleted now, None when none may go."""
        doomed = self._doomed.get(table)
        return doomed.pop() if doomed else None

    def _next_id(self, table: str) -> int | None:
        coming, added = self._coming.get(table, ()), self._added[table]
        return coming[added] if added < len(coming) * self._share else None


@dataclass(frozen=True, slots=True)
class World:
    """What all visits share; `numbers` counts exports and folders.

    `pace` 1 lets an action take its time; 0 lets all of it happen at once, for events that happen live.
    """

    rng: Random
    stock: Stock
    numbers: Iterator[int]
    pace: int = 1
    drafts: list[EventDraft] = field(default_factory=list)


class Scene:
    """An action leaves drafts behind from `now` on, then lets time go by until the next one."""

    __slots__ = ("actor", "drafts", "now", "person", "rng", "stock", "tables", "world")

    def __init__(self, world: World, person: Person, actor: Actor, tables: Choice[str], now: int) -> None:
        self.world = world
        self.rng = world.rng
        self.stock = world.stock
        self.person = person
        self.actor = actor
        self.tables = tables
        self.now = now
        self.drafts = world.drafts

    def pause(self, least: int, spread: int) -> None:
        """Lets `least` seconds and up to `spread` more go by."""
        self.now += self.world.pace * (least + int(self.rng.random() * spread))

    def write(self, kind: str, info: str, *, pollable: bool = False) -> None:
        """An event that concerns no object."""
        self.drafts.append(EventDraft(kind, self.now, self.actor, pollable, info=info))

    def write_object(
        self, kind: str, table: str, object_id: int, version: int, info: str, *, pollable: bool
    ) -> None:
        """An event about a user object."""
        self.drafts.append(
            EventDraft(kind, self.now, self.actor, pollable, None, "USER", table, object_id, version, info)
        )

    def write_base(
        self, kind: str, base_type: str, object_id: int | None, info: str = "{}", *, pollable: bool = False
    ) -> None:
        """An event about something that every installation has: a user, a collection, an export."""
        self.drafts.append(
            EventDraft(kind, self.now, self.actor, pollable, base_type, "BASE", None, object_id, None, info)
        )

    def index(self, table: str, object_id: int, version: int) -> None:
        """The index run of the system that follows a change; nobody causes it."""
        self.drafts.append(
            EventDraft("OBJECT_INDEX", self.now, None, True, None, "USER", table, object_id, version)
        )


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


# The life of a session that nobody ends.
_TIMEOUT = 86_400


def new_reference(rng: Random) -> str:
    """The public name of a session."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def session_row(
    reference: str, created: int, last_used: int, *, signed_out: bool, end: int
) -> dict[str, object]:
    """The row of a session as it stands at the second `end`, where nobody is signed in any more.

    Its token is one that nobody has: what stands in place of the hash is the hash of none.
    """
    left = min(last_used, end)
    ended = left if signed_out else left + _TIMEOUT
    return {
        "token_hash": f"none {reference}",
        "reference": reference,
        "created": created,
        "last_used": left,
        # Somebody was signed in, so events tell of it; where polling began no longer matters.
        "current_max_event_id": 0,
        "record": session_record(created, ended if ended <= end else None),
    }
