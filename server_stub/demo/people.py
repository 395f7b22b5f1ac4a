"""The demo users and staff: who they are, when they work, their accounts and groups."""

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import accumulate
from random import Random
from secrets import token_urlsafe
from types import MappingProxyType
from typing import Any, Generic, TypeVar
from uuid import UUID

import msgspec
from sqlalchemy import Connection, update

from server_stub.accounts import Users
from server_stub.accounts.sessions import session_record
from server_stub.database import Database
from server_stub.database.tables import user
from server_stub.events import Actor, EventDraft, EventLog
from server_stub.foundation.resources import resource
from server_stub.schema import Schemas


class ActivityPattern(msgspec.Struct, frozen=True):
    """When visits begin: weights of the hours of a day, in local time, and of the weekdays from Monday."""

    hours: tuple[int, ...]
    days: tuple[float, ...]


def _hours(**spans: int) -> tuple[int, ...]:
    """Weights by spans: `h8_12=9` weighs each hour from eight to before twelve with nine."""
    weights = [0] * 24
    for span, weight in spans.items():
        first, last = (int(hour) for hour in span[1:].split("_"))
        weights[first:last] = [weight] * (last - first)
    return tuple(weights)


OFFICE = ActivityPattern(
    _hours(h6_7=1, h7_8=6, h8_9=14, h9_12=18, h12_13=8, h13_15=16, h15_17=12, h17_18=5, h18_20=2, h20_22=1),
    (1.0, 1.1, 1.1, 1.05, 0.8, 0.06, 0.03),
)
PUBLIC = ActivityPattern(
    _hours(h0_1=1, h7_9=2, h9_12=6, h12_14=5, h14_18=8, h18_20=6, h20_23=7, h23_24=3),
    (0.8, 0.9, 0.9, 0.9, 0.8, 1.0, 1.2),
)
ALWAYS_ON = ActivityPattern(
    _hours(h0_6=2, h6_9=4, h9_18=8, h18_23=6, h23_24=3), (1.0, 1.0, 1.0, 1.0, 1.0, 0.8, 0.9)
)
NIGHTLY = ActivityPattern(_hours(h1_2=2, h2_4=6, h4_5=3), (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5))


class Role(Enum):
    """What somebody does in the museum."""

    ADMINISTRATOR = "administrator"
    CURATOR = "curator"
    CONSERVATOR = "conservator"
    PHOTOGRAPHER = "photographer"
    REGISTRAR = "registrar"
    LIBRARIAN = "librarian"
    INTERN = "intern"
    GUEST = "guest"
    IMPORTER = "importer"
    INTERFACE = "interface"


ACTIVITY_PATTERNS: Mapping[Role, ActivityPattern] = MappingProxyType(
    dict.fromkeys(Role, OFFICE) | {Role.GUEST: PUBLIC, Role.IMPORTER: NIGHTLY, Role.INTERFACE: ALWAYS_ON}
)


class Person(msgspec.Struct, frozen=True):
    """Somebody with an account; `busy` weighs the number of visits, `joined` is in days before the end."""

    id: int
    login: str
    displayname: str
    kind: str
    role: Role
    busy: float
    groups: tuple[str, ...]
    joined: int | None = None
    password: str | None = None
    rights: tuple[str, ...] = ()

    @property
    def ipv4_address(self) -> str:
        """An address in the offices, the server room, or outside the museum."""
        if self.role is Role.GUEST:
            return f"192.168.{40 + self.id % 7}.{17 * self.id % 200 + 20}"
        if self.role in (Role.IMPORTER, Role.INTERFACE):
            return f"172.16.4.{self.id}"
        return f"10.20.{self.id % 5 + 1}.{self.id + 30}"


# Of users: login, display name, password, busy, rights, groups. Of staff, who cannot sign in: login, display
# name, type, role, busy, groups, joined (days before the end). Of groups: names in two languages.
DATA: Mapping[str, Any] = msgspec.json.decode(resource("demo/people.json").read_bytes())


def all_people() -> tuple[Person, ...]:
    """All accounts by ascending id, from 1; the demo users first."""
    found: list[Person] = []
    for login, displayname, password, busy, rights, groups in DATA["users"]:
        kind = "system" if login == "root" else "easydb"
        role = Role.GUEST if login == "viewer" else Role.ADMINISTRATOR
        given = (login, displayname, kind, role, busy, tuple(groups), None, password, tuple(rights))
        found.append(Person(len(found) + 1, *given))
    for login, displayname, kind, role, busy, groups, joined in DATA["staff"]:
        person = Person(len(found) + 1, login, displayname, kind, Role(role), busy, tuple(groups), joined)
        found.append(person)
    return tuple(found)


def people_by_login() -> dict[str, Person]:
    """All accounts by login."""
    return {person.login: person for person in all_people()}


def add_people(connection: Connection, users: Users, people: Iterable[Person]) -> None:
    """Adds accounts and groups; accounts without a demo password get a random one."""
    members: dict[str, list[int]] = {name: [] for name in DATA["groups"]}
    for person in people:
        _add(connection, users, person)
        for name in person.groups:
            members[name].append(person.id)
    for name, displayname in DATA["groups"].items():
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
        # Some databases do not reuse the ids of an interrupted attempt.
        connection.execute(update(user).where(user.c.id == made.id).values(id=person.id))


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

    def pause(self, least: int, spread: int) -> None:
        """Advances the time by at least `least` seconds and up to `spread` more."""
        self.now += self.simulation.pace * (least + int(self.rng.random() * spread))

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


class DemoServices(msgspec.Struct, frozen=True):
    """The services through which demo data is read and written; `now()` returns epoch seconds."""

    database: Database
    log: EventLog
    users: Users
    schemas: Schemas
    now: Callable[[], int]
