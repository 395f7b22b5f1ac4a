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


class WeightedChoice(Generic[_Item]):
    """Items with weights to choose from; false if empty."""

    __slots__ = ("_cumulative", "_items", "total")

    def __init__(self, weighted: Iterable[tuple[_Item, float]]) -> None:
        pairs = [(item, weight) for item, weight in weighted if weight > 0]
        self._items = [item for item, _ in pairs]
        self._cumulative = list(accumulate(weight for _, weight in pairs))
        self.total: float = self._cumulative[-1] if pairs else 0.0

    def __bool__(self) -> bool:
        return bool(self._items)

    def pick(self, rng: Random) -> _Item:
        """A random item; raises IndexError if the list is empty."""
        return self._items[bisect(self._cumulative, rng.random() * self.total)]


class ObjectStock:
    """The objects by objecttype, with their versions, as simulated events change them.

    `present` maps objecttypes to ids and versions; `coming` has the ids still to be added, in order, and
    `doomed` those that exist only to be deleted.
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

    def set_progress(self, share: float) -> None:
        """Allows this share of the coming objects to be added."""
        self._share = share

    @property
    def tables(self) -> list[str]:
        """The objecttypes with at least one object."""
        return [table for table, ids in self._ids.items() if ids]

    def pick(self, table: str, rng: Random) -> int:
        """The id of a random object; newer ones are more frequent."""
        ids = self._ids[table]
        random = rng.random()
        return ids[-1 - int(len(ids) * random * random)]

    def version(self, table: str, object_id: int) -> int:
        """The current version of an object."""
        return self.versions[table][object_id]

    def change(self, table: str, object_id: int) -> int:
        """Increases the version of an object and returns it."""
        versions = self.versions[table]
        versions[object_id] += 1
        return versions[object_id]

    def add(self, table: str) -> int | None:
        """Adds an object and returns its id, None if no more may be added yet."""
        made = self._next_id(table)
        if made is not None:
            self._ids[table].append(made)
            self.versions[table][made] = 1
            self._added[table] += 1
        return made

    def undo(self, table: str, object_id: int) -> None:
        """Undoes the last change of an object: its newest version, or its addition."""
        if self.versions[table][object_id] > 1:
            self.versions[table][object_id] -= 1
        else:
            del self.versions[table][object_id]
            self._ids[table].remove(object_id)
            self._added[table] -= 1

    def delete(self, table: str) -> int | None:
        """Deletes an object and returns its id, None if none may be deleted."""
        doomed = self._doomed.get(table)
        return doomed.pop() if doomed else None

    def _next_id(self, table: str) -> int | None:
        coming, added = self._coming.get(table, ()), self._added[table]
        return coming[added] if added < len(coming) * self._share else None


@dataclass(frozen=True, slots=True)
class Simulation:
    """What all visits share; `numbers` are ids of exports and folders.

    `pace` multiplies the pauses of actions: 1 for the past, 0 for live events, which happen at once.
    """

    rng: Random
    stock: ObjectStock
    numbers: Iterator[int]
    pace: int = 1
    drafts: list[EventDraft] = field(default_factory=list)


class VisitContext:
    """A visit as actions see it: they append events at the second `now`, then advance it by a pause."""

    __slots__ = ("actor", "drafts", "now", "person", "rng", "simulation", "stock", "tables")

    def __init__(
        self, simulation: Simulation, person: Person, actor: Actor, tables: WeightedChoice[str], now: int
    ) -> None:
        self.simulation = simulation
        self.rng = simulation.rng
        self.stock = simulation.stock
        self.person = person
        self.actor = actor
        self.tables = tables
        self.now = now
        self.drafts = simulation.drafts

    def pause(self, least: int, distribute: int) -> None:
        """Advances the time by at least `least` seconds and up to `spread` more."""
        self.now += self.simulation.pace * (least + int(self.rng.random() * distribute))

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
        """The reindexing after a change, an event without a user."""
        self.drafts.append(
            EventDraft("OBJECT_INDEX", self.now, None, True, None, "USER", table, object_id, version)
        )


def actor_of(person: Person, session: str | None = None) -> Actor:
    """The person as actor of events; `session` is the public reference of the session, None for a job."""
    address = None if session is None else person.ipv4_address
    return Actor(person.id, person.kind, person.displayname, session, address)


def sign_in(context: VisitContext) -> None:
    """Writes USER_LOGIN, sometimes after a failed attempt."""
    if context.rng.random() < 0.05:
        context.drafts.append(failed_login(context.now, context.person.login))
        context.pause(4, 25)
    context.write_base("USER_LOGIN", "user", context.person.id, pollable=True)
    context.pause(2, 30)


def sign_out(context: VisitContext) -> None:
    """Writes USER_LOGOUT."""
    context.write_base("USER_LOGOUT", "user", context.person.id, pollable=True)


def failed_login(now: int, login: str) -> EventDraft:
    """A LOGIN_FAILED event as the server writes it: without a user."""
    info = f'{{"method":"easydb","login":"{login}","reason":"wrong login or password"}}'
    return EventDraft("LOGIN_FAILED", now, info=info)


# The lifetime of a session without a sign-out, in seconds.
_TIMEOUT = 86_400


def new_reference(rng: Random) -> str:
    """A new public reference of a session."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def session_row(
    reference: str, created: int, last_used: int, *, signed_out: bool, end: int
) -> dict[str, object]:
    """The database row of a session as of the second `end`.

    It has no token: the text in place of the hash is not the hash of any token.
    """
    left = min(last_used, end)
    ended = left if signed_out else left + _TIMEOUT
    return {
        "token_hash": f"none {reference}",
        "reference": reference,
        "created": created,
        "last_used": left,
        # Only used by polling with this session, which does not happen.
        "current_max_event_id": 0,
        "record": session_record(created, ended if ended <= end else None),
    }
