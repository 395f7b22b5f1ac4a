"""Simulated activity while the server runs (`--activity`)."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count
from random import Random
from time import monotonic
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, TableClause, case, insert, literal, select, update
from sqlalchemy.exc import SQLAlchemyError

from server_stub.accounts.sessions import session_record
from server_stub.database import WriteLock
from server_stub.database.tables import event, session, user
from server_stub.demo.actions import RoleProfile, role_profiles
from server_stub.demo.people import (
    DemoServices,
    ObjectStock,
    Person,
    Role,
    Simulation,
    VisitContext,
    WeightedChoice,
    actor_of,
    new_reference,
    people_by_login,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.events import Actor, EventDraft
from server_stub.schema import Schemas
from server_stub.schema.commit.storage_layout import PRIMARY_KEY, VERSION, column_key
from server_stub.schema.document.model import Column, Family, Table, read_schema
from server_stub.schema.objects import ObjectTables, StoredVersion, Values, store_versions, stored_value

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


_NOTES = {
    "de-DE": ("geprüft", "Angaben ergänzt", "Schreibweise vereinheitlicht", "siehe Akte", "neu erfasst"),
    "en-US": ("checked", "details added", "spelling harmonized", "see file", "recorded anew"),
}
_PLAIN_NOTES = ("geprüft", "checked", "ergänzt", "see file")
_CHANGING = frozenset(
    {Family.TEXT, Family.LOCALIZED, Family.BOOLEAN, Family.NUMBER, Family.DECIMAL, Family.DATE}
)
# How often a version has added a row of a nested table, and how often a value where none was.
_NEW_ROW, _NEW_VALUE = 0.2, 0.25
# How many versions are stored in one statement.
_BATCH = 2_000


def changing_columns(objecttype: Table) -> tuple[Column, ...]:
    """The columns whose values may change without breaking a check, a key or a link."""
    unique = {reference.column for key in objecttype.unique_keys for reference in key.columns}
    return tuple(
        column
        for column in objecttype.columns
        if column.family in _CHANGING
        and column.id not in unique
        and column.check.kind in (None, "not_empty")
        and column.check.length_max is None
        and column.check.length_min is None
    )


def other_value(column: Column, value: Any, rng: Random) -> Any:
    """A plausible value of a column that differs from `value`, in the form of JSON."""
    match column.family:
        case Family.BOOLEAN:
            return not value
        case Family.NUMBER:
            return value + rng.randint(1, 9) if isinstance(value, int) else rng.randint(1, 180)
        case Family.DECIMAL:
            return round(value * rng.uniform(1.02, 1.4) + 1, 2) if value else float(rng.randint(1, 900))
        case Family.DATE:
            try:
                known = date.fromisoformat(value)
            except (TypeError, ValueError):
                known = date(1950 + rng.randint(0, 70), rng.randint(1, 12), 1)
            return (known + timedelta(days=rng.randint(1, 40))).isoformat()
        case Family.LOCALIZED:
            texts = {name: text for name, text in value.items() if text} if isinstance(value, dict) else {}
            changed = rng.choice(sorted(texts) or sorted(_NOTES))
            return {
                **texts,
                changed: _with_note(texts.get(changed, ""), rng.choice(_NOTES.get(changed, _PLAIN_NOTES))),
            }
        case _:
            return _with_note(value if isinstance(value, str) else "", rng.choice(_PLAIN_NOTES))


def _with_note(text: str, note: str) -> str:
    """The text with another note in brackets at its end."""
    bare, bracket, last = text.rpartition(" (")
    is_noted = bool(bracket) and last.endswith(")") and last[:-1] in _ALL_NOTES
    bare = bare if is_noted else text
    if is_noted and last[:-1] == note:
        return bare
    return f"{bare} ({note})" if bare else note


_ALL_NOTES = frozenset({*_PLAIN_NOTES, *(note for notes in _NOTES.values() for note in notes)})


def write_past_versions(connection: Connection, tables: ObjectTables, rng: Random) -> None:
    """Stores the versions of all objects, with the times of those that are in the log."""
    batch: list[StoredVersion] = []
    objecttypes = sorted(tables.by_name.values(), key=lambda each: each.id)
    for objecttype, times in zip(objecttypes, _logged_times(connection, objecttypes), strict=True):
        columns = changing_columns(objecttype)
        for values in _objects(connection, tables, objecttype):
            number = int(values[PRIMARY_KEY])
            for version, before in _changes(columns, values, rng):
                timestamp = times[number].get(version)
                batch.append(StoredVersion(objecttype.id, number, version, timestamp, before))
            if len(batch) >= _BATCH:
                store_versions(connection, batch)
                batch.clear()
    store_versions(connection, batch)


def _objects(connection: Connection, tables: ObjectTables, objecttype: Table) -> Sequence[Values]:
    """All objects of a type with their nested rows, by ascending id."""
    rows = tables.rows(objecttype)
    ordered = connection.execute(select(rows).order_by(rows.c[PRIMARY_KEY]))
    found = [tables.values(objecttype, row) for row in ordered]
    tables.add_nested(connection, objecttype, found)
    return found


def _logged_times(
    connection: Connection, objecttypes: Sequence[Table]
) -> Iterator[defaultdict[int, dict[int, int]]]:
    """The times of the versions in the log by object and version, those of each objecttype in turn.

    Those of all objecttypes would take 300 MB after ten million events. Each replaces the one before.
    """
    numbers = {each.name: each.id for each in objecttypes}
    number = case(numbers, value=event.c.objecttype)
    chosen = select(number, event.c.object_id, event.c.object_version, event.c.timestamp).where(
        event.c.type.in_(("OBJECT_INSERT", "OBJECT_UPDATE")),
        event.c.schema == "USER",
        event.c.objecttype.in_(numbers),
    )
    with connection.execute(chosen.order_by(number), execution_options={"yield_per": _BATCH}) as rows:
        row = rows.fetchone()
        found: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for objecttype in objecttypes:
            found.clear()
            while row is not None and row[0] == objecttype.id:
                found[row[1]][row[2]] = row[3]
                row = rows.fetchone()
            yield found


def _changes(columns: Sequence[Column], newest: Values, rng: Random) -> list[tuple[int, Mapping[str, Any]]]:
    """The versions of an object by ascending number, each with the values that it has replaced."""
    values = dict(newest)
    nested = [key for key, value in newest.items() if key.startswith("t") and isinstance(value, list)]
    found: list[tuple[int, Mapping[str, Any]]] = []
    for version in range(int(newest[VERSION]), 1, -1):
        before: dict[str, Any] = {}
        for _ in range(rng.choice((1, 1, 1, 2, 3)) if columns else 0):
            changed = rng.choice(columns)
            key = column_key(changed.id)
            before[key] = _previous_value(changed, values.get(key), rng)
        added = [key for key in nested if values[key]] if rng.random() < _NEW_ROW else []
        if added:
            key = rng.choice(added)
            before[key] = values[key][:-1]
        values.update(before)
        found.append((version, before))
    found.append((1, {}))
    return found[::-1]


def _previous_value(column: Column, value: Any, rng: Random) -> Any:
    """A value that a column may have had before; it may have been missing."""
    may_be_missing = not column.not_null and column.family is not Family.BOOLEAN
    if may_be_missing and value is not None and rng.random() < _NEW_VALUE:
        return None
    return other_value(column, value, rng)
