"""Simulated activity while the server runs (`--activity`)."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from random import Random
from time import monotonic

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, TableClause, column, insert, literal, select, table, update
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts.sessions import session_record
from server_stub.database.tables import session, user
from server_stub.demo.actions import Habit, habits
from server_stub.demo.people import Person, Role, by_login
from server_stub.demo.services import House
from server_stub.demo.simulation import (
    Choice,
    Scene,
    Stock,
    World,
    actor_of,
    new_reference,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.events import Actor, EventDraft
from server_stub.schema import Schemas
from server_stub.schema.commit.layout import PRIMARY_KEY, VERSION, PhysicalTable, lay_out
from server_stub.schema.document.model import read_schema

_LOG = logging.getLogger(__name__)

# Events in a transaction, so that it stays short at any rate.
_MOST = 200
# What was missed for longer, asleep or behind a long commit, is not made up for.
_MISSED_SECONDS = 2.0
# A database that fails is left alone for this long.
_REST_SECONDS = 0.5


class _AtWork(msgspec.Struct, frozen=True):
    """The people and objects of one version of the schema."""

    version: int | None
    objects: LiveObjects
    visits: LiveVisits


class Activity:
    """Simulated activity at `per_minute` events a minute, at random intervals.

    Runs on any database with users; what people do follows the objecttypes of CURRENT.
    """

    def __init__(self, house: House, *, per_minute: float, seed: int = 1) -> None:
        if per_minute <= 0:
            raise ValueError(f"activity needs a rate above 0, not {per_minute}")
        self._house = house
        self._rate = per_minute / 60
        # Sessions of an earlier run stay in the database: the clock keeps their names from coming again.
        self._rng = Random(f"{seed} activity {house.now()}")
        self._beat = Random(f"{seed} beat")
        self._at_work: _AtWork | None = None

    def run(self, stop: threading.Event) -> None:
        """Writes events until `stop` is set; what a transaction cannot write is lost and logged."""
        due = monotonic() + self._interval()
        while not stop.wait(max(0.0, due - monotonic())):
            now = monotonic()
            due, count = max(due, now - _MISSED_SECONDS), 0
            while due <= now and count < _MOST:
                due, count = due + self._interval(), count + 1
            try:
                self._write(count)
            except SQLAlchemyError as error:
                self._at_work, due = None, now + _REST_SECONDS
                _LOG.warning("simulated activity was not written: %s", str(error).partition("\n")[0])

    def _interval(self) -> float:
        return self._beat.expovariate(self._rate)

    def _write(self, count: int) -> None:
        house = self._house
        with house.database.write() as connection:
            at_work = self._current(connection)
            drafts = [at_work.visits.next(house.now()) for _ in range(count)]
            at_work.objects.follow(connection, drafts)
            keep_sessions(connection, drafts)
            house.log.append(connection, drafts)

    def _current(self, connection: Connection) -> _AtWork:
        """The people and objects of the present version; a commit changes what can be done."""
        version = self._house.schemas.current_version()
        if self._at_work is None or self._at_work.version != version:
            objects = LiveObjects(self._house.schemas, version)
            visits = LiveVisits(self._rng, people_at_work(connection), objects.stock(connection))
            self._at_work = _AtWork(version, objects, visits)
        return self._at_work


# As many people are at work at the same time at most, and somebody new comes so often.
_AT_ONCE = 7
_NEW = 0.12


@dataclass
class _Visit:
    """Who is here, and how many steps are left."""

    person: Person
    actor: Actor
    left: int


class LiveVisits:
    """Gives out events; what happens at once comes out one by one."""

    def __init__(self, rng: Random, people: Choice[Person], stock: Stock) -> None:
        self._rng = rng
        self._people = people
        self._world = World(rng, stock, count(1000), pace=0)
        self._habits: Mapping[Role, Habit] = habits(stock.tables)
        self._visits: list[_Visit] = []
        self._pending: deque[EventDraft] = deque()

    def next(self, now: int) -> EventDraft:
        """The next event, at the second `now`."""
        while not self._pending:
            self._act(now)
            self._pending.extend(self._world.drafts)
            self._world.drafts.clear()
        return replace(self._pending.popleft(), timestamp=now)

    def _act(self, now: int) -> None:
        if not self._visits or (len(self._visits) < _AT_ONCE and self._rng.random() < _NEW):
            sign_in(self._scene(self._begin(), now))
            return
        visit = self._rng.choice(self._visits)
        scene = self._scene(visit, now)
        if visit.left > 0:
            visit.left -= 1
            self._habits[visit.person.role].actions.pick(self._rng)(scene)
        else:
            self._visits.remove(visit)
            sign_out(scene)

    def _begin(self) -> _Visit:
        person = self._people.pick(self._rng)
        least, more = self._habits[person.role].steps
        left = least + int(self._rng.random() * more)
        visit = _Visit(person, actor_of(person, new_reference(self._rng)), left)
        self._visits.append(visit)
        return visit

    def _scene(self, visit: _Visit, now: int) -> Scene:
        tables = self._habits[visit.person.role].tables
        return Scene(self._world, visit.person, visit.actor, tables, now)


def people_at_work(connection: Connection) -> Choice[Person]:
    """The demo house's staff, elsewhere everybody with an account, by how busy they are.

    Whoever tries the desktop signs in as one of the demo users or with an account of their own: these keep
    still where others can be busy, so that nobody finds in the log what they never did.
    """
    known = by_login()
    people: list[Person] = []
    others: list[Person] = []
    chosen = select(user.c.id, user.c.login, user.c.type, user.c.displayname).order_by(user.c.id)
    for id_, login, kind, displayname in connection.execute(chosen):
        staff = known.get(login)
        if staff is not None and staff.displayname == displayname:
            people.append(staff)
            if staff.password is None:
                others.append(staff)
        else:
            people.append(Person(id_, login, displayname, kind, Role.CURATOR, 1.0, ()))
    return Choice((person, person.busy) for person in others or people)


def keep_sessions(connection: Connection, drafts: Iterable[EventDraft]) -> None:
    """A log-in opens a session, a log-out ends it."""
    for draft in drafts:
        if draft.actor is not None and draft.actor.session is not None:
            now, reference = draft.timestamp, draft.actor.session
            if draft.type == "USER_LOGIN":
                row = session_row(reference, now, now, signed_out=False, end=now)
                connection.execute(insert(session), row)
            elif draft.type == "USER_LOGOUT":
                own = session.c.reference == reference
                created = connection.execute(select(session.c.created).where(own)).scalar_one()
                record = session_record(created, now)
                connection.execute(update(session).where(own).values(record=record, last_used=now))


# More than anybody waits for.
_COMING = 1_000_000


class LiveObjects:
    """The top-level tables of one version of the schema."""

    def __init__(self, schemas: Schemas, version: int | None) -> None:
        schema = None if version is None else read_schema(schemas.read(str(version)))
        layout = {} if schema is None else lay_out(schema)
        tops = [] if schema is None else [top for top in schema.tables if top.owner_id is None]
        self._tables: dict[str, PhysicalTable] = {top.name: layout[top.id] for top in tops}

    def stock(self, connection: Connection) -> Stock:
        """What is there now; copies can be added where no key forbids them."""
        present = {name: self._versions(connection, name) for name in self._tables}
        coming = {
            name: range(max(ids, default=0) + 1, _COMING)
            for name, ids in present.items()
            if ids and not self._tables[name].uniques
        }
        made = Stock(present, coming)
        made.reach(1.0)
        return made

    def follow(self, connection: Connection, drafts: Iterable[EventDraft]) -> None:
        """Makes true what the events say: new versions, and new objects as copies of the newest one."""
        for draft in drafts:
            if draft.objecttype in self._tables and draft.object_id is not None:
                if draft.type == "OBJECT_UPDATE":
                    rows = self._rows(draft.objecttype)
                    changed = update(rows).where(rows.c[PRIMARY_KEY] == draft.object_id)
                    connection.execute(changed.values({VERSION: draft.object_version}))
                elif draft.type == "OBJECT_INSERT":
                    self._copy(connection, draft.objecttype, draft.object_id)

    def _copy(self, connection: Connection, name: str, object_id: int) -> None:
        rows = self._rows(name)
        kept = [each for each in rows.c if each.name not in (PRIMARY_KEY, VERSION)]
        newest = select(literal(object_id), literal(1), *kept)
        newest = newest.order_by(rows.c[PRIMARY_KEY].desc()).limit(1)
        connection.execute(
            insert(rows).from_select([PRIMARY_KEY, VERSION, *(each.name for each in kept)], newest)
        )

    def _rows(self, name: str) -> TableClause:
        physical = self._tables[name]
        return table(physical.name, *(column(each.name) for each in physical.columns))

    def _versions(self, connection: Connection, name: str) -> dict[int, int]:
        rows = self._rows(name)
        found = connection.execute(select(rows.c[PRIMARY_KEY], rows.c[VERSION]))
        return {int(object_id): int(version) for object_id, version in found}
