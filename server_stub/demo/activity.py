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
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, TableClause, insert, literal, select, update
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts.sessions import session_record
from server_stub.database import WriteLock
from server_stub.database.tables import session, user
from server_stub.demo.actions import RoleProfile, role_profiles
from server_stub.demo.object_changes import changing_columns, other_value
from server_stub.demo.people import Person, Role, people_by_login
from server_stub.demo.services import DemoServices
from server_stub.demo.simulation import (
    ObjectStock,
    Simulation,
    VisitContext,
    WeightedChoice,
    actor_of,
    new_reference,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.events import Actor, EventDraft
from server_stub.schema import Schemas
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, VERSION, column_key
from server_stub.schema.document.model import Table, read_schema
from server_stub.schema.objects import ObjectTables, StoredVersion, store_versions, stored_value

_LOG = logging.getLogger(__name__)

# The most events in a transaction.
_MOST = 200
# Events missed for longer, because of standby or a long commit, are skipped.
_MISSED_SECONDS = 2.0
# The pause after an error of the database.
_REST_SECONDS = 0.5


class _CurrentActivity(msgspec.Struct, frozen=True):
    """The people and objects of one version of the schema."""

    version: int | None
    objects: LiveObjects
    visits: LiveVisits


class Activity:
    """Simulated activity at `per_minute` events a minute, at random intervals.

    Runs on any database with users; what people do follows the objecttypes of CURRENT.
    """

    def __init__(self, services: DemoServices, *, per_minute: float, seed: int = 1) -> None:
        if per_minute <= 0:
            raise ValueError(f"activity needs a rate above 0, not {per_minute}")
        self._services = services
        self._rate = per_minute / 60
        # Session references must differ from those of an earlier run.
        self._rng = Random(f"{seed} activity {services.now()}")
        self._beat = Random(f"{seed} beat")
        self._current_activity: _CurrentActivity | None = None

    def run(self, stop: threading.Event) -> None:
        """Writes events until `stop` is set; events that cannot be written are lost and logged."""
        due = monotonic() + self._interval()
        while not stop.wait(max(0.0, due - monotonic())):
            now = monotonic()
            due, count = max(due, now - _MISSED_SECONDS), 0
            while due <= now and count < _MOST:
                due, count = due + self._interval(), count + 1
            try:
                self._write(count)
            except SQLAlchemyError as error:
                self._current_activity, due = None, now + _REST_SECONDS
                _LOG.warning("simulated activity was not written: %s", str(error).partition("\n")[0])

    def _interval(self) -> float:
        return self._beat.expovariate(self._rate)

    def _write(self, count: int) -> None:
        services = self._services
        with services.database.write(WriteLock.SCHEMA) as connection:
            activity = self._current(connection)
            drafts = [activity.visits.next(services.now()) for _ in range(count)]
            activity.objects.follow(connection, drafts)
            _update_sessions(connection, drafts)
            services.log.append(connection, drafts)

    def _current(self, connection: Connection) -> _CurrentActivity:
        """The people and objects of the current version, renewed after a commit."""
        version = self._services.schemas.current_version()
        if self._current_activity is None or self._current_activity.version != version:
            objects = LiveObjects(self._services.schemas, version, self._rng)
            visits = LiveVisits(self._rng, active_people(connection), objects.stock(connection))
            self._current_activity = _CurrentActivity(version, objects, visits)
        return self._current_activity


# The most visits at the same time, and the probability that an event begins a new one.
_AT_ONCE = 7
_NEW = 0.12


@dataclass
class _LiveVisit:
    """A visit and the number of actions left."""

    person: Person
    actor: Actor
    left: int


class LiveVisits:
    """Simulates several visits at a time, one event after the other."""

    def __init__(self, rng: Random, people: WeightedChoice[Person], stock: ObjectStock) -> None:
        self._rng = rng
        self._people = people
        self._simulation = Simulation(rng, stock, count(1000), pace=0)
        self._profiles: Mapping[Role, RoleProfile] = role_profiles(stock.tables)
        self._visits: list[_LiveVisit] = []
        self._pending: deque[EventDraft] = deque()

    def next(self, now: int) -> EventDraft:
        """The next event, at the second `now`."""
        while not self._pending:
            self._act(now)
            self._pending.extend(self._simulation.drafts)
            self._simulation.drafts.clear()
        return replace(self._pending.popleft(), timestamp=now)

    def _act(self, now: int) -> None:
        if not self._visits or (len(self._visits) < _AT_ONCE and self._rng.random() < _NEW):
            sign_in(self._context(self._begin(), now))
            return
        visit = self._rng.choice(self._visits)
        context = self._context(visit, now)
        if visit.left > 0:
            visit.left -= 1
            self._profiles[visit.person.role].actions.pick(self._rng)(context)
        else:
            self._visits.remove(visit)
            sign_out(context)

    def _begin(self) -> _LiveVisit:
        person = self._people.pick(self._rng)
        least, more = self._profiles[person.role].steps
        left = least + int(self._rng.random() * more)
        visit = _LiveVisit(person, actor_of(person, new_reference(self._rng)), left)
        self._visits.append(visit)
        return visit

    def _context(self, visit: _LiveVisit, now: int) -> VisitContext:
        tables = self._profiles[visit.person.role].tables
        return VisitContext(self._simulation, visit.person, visit.actor, tables, now)


def active_people(connection: Connection) -> WeightedChoice[Person]:
    """The people to simulate, by how busy they are: the demo's staff, or else everybody with an account.

    Demo users and added accounts are left out if there are others, so that users of the desktop find no
    events in the log that they did not cause.
    """
    known = people_by_login()
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
    return WeightedChoice((person, person.busy) for person in others or people)


def _update_sessions(connection: Connection, drafts: Iterable[EventDraft]) -> None:
    """Begins a session with each USER_LOGIN and ends it with USER_LOGOUT."""
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


# Never reached.
_COMING = 1_000_000


class LiveObjects:
    """The top-level tables of one version of the schema."""

    def __init__(self, schemas: Schemas, version: int | None, rng: Random) -> None:
        self._tables = None if version is None else ObjectTables(read_schema(schemas.read(str(version))))
        self._types: Mapping[str, Table] = {} if self._tables is None else self._tables.by_name
        self._rng = rng

    def stock(self, connection: Connection) -> ObjectStock:
        """The existing objects; copies can be added unless a table has a unique key."""
        present = {name: self._versions(connection, objecttype) for name, objecttype in self._types.items()}
        coming = {
            name: range(max(ids, default=0) + 1, _COMING)
            for name, ids in present.items()
            if ids and not self._types[name].unique_keys
        }
        made = ObjectStock(present, coming)
        made.set_progress(1.0)
        return made

    def follow(self, connection: Connection, drafts: Iterable[EventDraft]) -> None:
        """Applies events to the tables: changed values, and new objects as copies of the newest one."""
        stored: list[StoredVersion] = []
        for draft in drafts:
            objecttype = self._types.get(draft.objecttype or "")
            if objecttype is None or draft.object_id is None or draft.object_version is None:
                continue
            before: Mapping[str, Any] = {}
            if draft.type == "OBJECT_UPDATE":
                before = self._change(connection, objecttype, draft.object_id, draft.object_version)
            elif draft.type == "OBJECT_INSERT":
                self._copy(connection, objecttype, draft.object_id)
            else:
                continue
            stored.append(
                StoredVersion(objecttype.id, draft.object_id, draft.object_version, draft.timestamp, before)
            )
        store_versions(connection, stored)

    def _change(
        self, connection: Connection, objecttype: Table, object_id: int, version: int
    ) -> Mapping[str, Any]:
        """Changes one value of an object, if it has a column for that; returns the replaced value."""
        rows, columns = self._rows(objecttype), changing_columns(objecttype)
        chosen = rows.c[PRIMARY_KEY] == object_id
        values: dict[str, Any] = {VERSION: version}
        before: dict[str, Any] = {}
        found = connection.execute(select(rows).where(chosen)).first()
        if columns and found is not None and self._tables is not None:
            changed = self._rng.choice(columns)
            key = column_key(changed.id)
            before[key] = self._tables.values(objecttype, found)[key]
            name = self._tables.layout[objecttype.id].column(key).name
            values[name] = stored_value(changed, other_value(changed, before[key], self._rng))
        connection.execute(update(rows).where(chosen).values(values))
        return before

    def _copy(self, connection: Connection, objecttype: Table, object_id: int) -> None:
        rows = self._rows(objecttype)
        copied = [each for each in rows.c if each.name not in (PRIMARY_KEY, VERSION)]
        newest = select(literal(object_id), literal(1), *copied)
        newest = newest.order_by(rows.c[PRIMARY_KEY].desc()).limit(1)
        connection.execute(
            insert(rows).from_select([PRIMARY_KEY, VERSION, *(each.name for each in copied)], newest)
        )

    def _rows(self, objecttype: Table) -> TableClause:
        if self._tables is None:
            raise ValueError("there is no schema")
        return self._tables.rows(objecttype)

    def _versions(self, connection: Connection, objecttype: Table) -> dict[int, int]:
        rows = self._rows(objecttype)
        found = connection.execute(select(rows.c[PRIMARY_KEY], rows.c[VERSION]))
        return {int(object_id): int(version) for object_id, version in found}
