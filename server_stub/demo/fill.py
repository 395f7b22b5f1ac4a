"""Fills an empty database with the demo: its schema, events, objects and finally its users.

Events, sessions and releases of thirty days are made in the order of time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import count
from operator import itemgetter
from random import Random

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, MetaData, delete, insert, inspect, select, update

from server_stub.database import Database, WriteLock
from server_stub.database.bulk import create_index, drop_indexes, insert_rows, missing_indexes
from server_stub.database.tables import (
    configuration,
    counter,
    event,
    journal,
    localization,
    object_version,
    schema_version,
    session,
)
from server_stub.demo.actions import role_profiles
from server_stub.demo.activity import write_past_versions
from server_stub.demo.incidents import Release, ScriptedEvents, write_script
from server_stub.demo.museum import (
    CURRENT_VERSION,
    HEAD_VERSION,
    PURGED_IMAGES,
    add_objects,
    initial_stock,
    museum_document,
    museum_names,
    museum_tables,
    objecttypes,
)
from server_stub.demo.people import DemoServices, ObjectStock, Simulation, add_people, all_people
from server_stub.demo.working_days import Calendar, DayPlan, by_time, plan_days, simulate_day
from server_stub.events import EventDraft
from server_stub.foundation.memory import uncollected
from server_stub.schema import Schemas
from server_stub.schema.document.model import read_schema
from server_stub.schema.objects import ObjectTables


def fill(services: DemoServices, *, events: int = 20_000, seed: int = 1) -> None:
    """Fills a database without users with the demo; the same seed and `now()` make the same rows.

    Writes `events` events, at least three, for the thirty days up to `services.now()`. Users are added in the
    last transaction, so that an interrupted filling is recognised and repeated at the next start. A mark in
    the configuration says that the database has nothing but an unfinished demo, which may be removed.
    """
    with uncollected():
        _begin_filling(services.database)
        versions = _write_history(services, events, seed)
    _draft_head(services)
    _build_indexes(services.database)
    with services.database.write(pauses=True) as connection:
        add_objects(connection, versions, Random(f"{seed} objects"))
        _add_versions(connection, services.schemas, seed)
        add_people(connection, services.users, all_people())
        _end_filling(connection)


def add_missing_versions(services: DemoServices, *, seed: int = 1) -> None:
    """Gives a demo of a server that stored no versions of objects those of the past."""
    with services.database.write(WriteLock.SCHEMA) as connection:
        if connection.execute(select(object_version.c.version).limit(1)).first() is None:
            _add_versions(connection, services.schemas, seed)


def _add_versions(connection: Connection, schemas: Schemas, seed: int) -> None:
    tables = ObjectTables(read_schema(schemas.read("CURRENT")))
    write_past_versions(connection, tables, Random(f"{seed} versions"))


def _write_history(services: DemoServices, events: int, seed: int) -> Mapping[str, Mapping[int, int]]:
    """Writes events, releases and sessions; returns the versions of all objects."""
    calendar, stock = Calendar(services.now()), initial_stock()
    scripted = write_script(calendar, Random(f"{seed} stories"), PURGED_IMAGES, events)
    sessions: list[dict[str, object]] = []
    for section in log_sections(calendar, scripted, stock, Random(f"{seed} days"), events):
        for first in range(0, len(section.drafts), _BATCH):
            with services.database.write() as connection:
                services.log.append(connection, section.drafts[first : first + _BATCH])
        if section.release is not None:
            _commit_release(services, section.release)
        sessions += section.sessions
    # In the order of the table: in chronological order each row would change a different page.
    sessions.sort(key=itemgetter("reference"))
    names = session.columns.keys()
    if sessions:
        with services.database.write(pauses=True) as connection:
            insert_rows(connection, session, [tuple(map(row.get, names)) for row in sessions])
    return stock.versions


# Events in a transaction.
_BATCH = 5_000
_MARK = "_demo_unfinished"
_INDEXED = (event, session)
_marked = configuration.c.name == _MARK


def _begin_filling(database: Database) -> None:
    """Sets the mark, removes an unfinished demo, and drops the indexes of events and sessions.

    Creating the indexes after the last row is much faster than updating them with each row.
    """
    with database.write(foreign_keys=False, pauses=True) as connection:
        for table in _INDEXED:
            drop_indexes(connection, table)
        if connection.execute(select(configuration).where(_marked)).first() is not None:
            _remove_unfinished(connection)
        else:
            connection.execute(insert(configuration).values(name=_MARK, value="true"))


def _build_indexes(database: Database) -> None:
    """Creates the indexes of events and sessions, each in its own transaction."""
    with database.read() as connection:
        missing = [index for table in _INDEXED for index in missing_indexes(connection, table)]
    for index in missing:
        with database.write(pauses=True) as connection:
            create_index(connection, index)


def _end_filling(connection: Connection) -> None:
    """Removes the mark."""
    connection.execute(delete(configuration).where(_marked))


def _remove_unfinished(connection: Connection) -> None:
    existing = set(inspect(connection).get_table_names())
    ours = existing.intersection(museum_tables(CURRENT_VERSION))
    metadata = MetaData()
    metadata.reflect(connection, only=sorted(ours), resolve_fks=False)
    metadata.drop_all(connection)
    for emptied in (event, session, localization, journal, schema_version, object_version):
        connection.execute(delete(emptied))
    connection.execute(update(counter).values(value=0))


def _commit_release(services: DemoServices, due: Release) -> None:
    """Saves and commits a version with its names, with the second of the release as the time."""
    schemas = Schemas(services.database, services.log, lambda: due.second)
    before = schemas.read("HEAD") if due.version > 1 else None
    schemas.save_head(museum_document(due.version, before))
    schemas.commit(due.actor)
    schemas.save_names("CURRENT", museum_names(due.version))


def _draft_head(services: DemoServices) -> None:
    """Saves a HEAD with an added table, a removed column, a renamed one and one of another type."""
    before = services.schemas.read("HEAD")
    services.schemas.save_head(museum_document(HEAD_VERSION, before))
    services.schemas.save_names("HEAD", museum_names(HEAD_VERSION))


# Objecttypes that the system reindexes in the night after a release.
_REINDEXED = ("technique", "material", "keyword")


class LogSection(msgspec.Struct, frozen=True):
    """Events by ascending time, their sessions, and the release that follows them."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    release: Release | None = None


def log_sections(
    calendar: Calendar, scripted: ScriptedEvents, stock: ObjectStock, rng: Random, events: int
) -> Iterator[LogSection]:
    """Sections of the log by ascending time, with `events` events in total, including the releases."""
    opening, *later = scripted.releases
    script = _ScriptedQueue(scripted.drafts)
    lived = max(0, events - len(scripted.drafts) - len(scripted.releases))
    yield LogSection(script.up_to(opening.second), scripted.sessions, opening)
    simulation, version = Simulation(rng, stock, count(100)), opening.version
    for plan in plan_days(calendar, opening.second + 1, all_people(), lived, rng):
        last = plan.window.last
        stock.set_progress((last - calendar.start) / (calendar.end - calendar.start))
        todays = [release for release in later if plan.window.first <= release.second <= last]
        reindexed = _reindexed(stock, plan) if todays else []
        thinner = replace(plan, events=plan.events - len(reindexed))
        drafts, visits = simulate_day(simulation, thinner, role_profiles(objecttypes(version)))
        drafts = sorted([*drafts, *script.up_to(last), *_index_run(stock, reindexed, last)], key=by_time)
        for release in todays:
            before = [draft for draft in drafts if draft.timestamp <= release.second]
            del drafts[: len(before)]
            yield LogSection(before, [], release)
            version = release.version
        yield LogSection(drafts, [visit.session(calendar.end) for visit in visits])


class _ScriptedQueue:
    """The scripted events by ascending time."""

    def __init__(self, drafts: list[EventDraft]) -> None:
        self._drafts = sorted(drafts, key=by_time)
        self._told = 0

    def up_to(self, second: int) -> list[EventDraft]:
        """The events since the last call up to a second, inclusive."""
        first, self._told = self._told, bisect_right(self._drafts, second, key=by_time)
        return self._drafts[first : self._told]


def _reindexed(stock: ObjectStock, plan: DayPlan) -> list[tuple[str, int]]:
    """The objects to reindex in the night after a release; none if they were too much for a short log."""
    found = [(table, object_id) for table in _REINDEXED for object_id in stock.versions[table]]
    return found if len(found) <= plan.events // 2 else []


def _index_run(stock: ObjectStock, reindexed: list[tuple[str, int]], last: int) -> Iterator[EventDraft]:
    """Index events within the last minutes before midnight, when these objects do not change."""
    for number, (table, object_id) in enumerate(reindexed):
        second = last - 240 + number * 200 // len(reindexed)
        version = stock.version(table, object_id)
        yield EventDraft("OBJECT_INDEX", second, None, True, None, "USER", table, object_id, version)
