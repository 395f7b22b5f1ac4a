"""Fills an empty database with the demo: its schema, events, objects and finally its users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

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
from server_stub.demo.history import EventBatch, HistoryOptions, HistoryPart, SessionRows, generate_history
from server_stub.demo.incidents import Release
from server_stub.demo.museum import (
    CURRENT_VERSION,
    HEAD_VERSION,
    museum_document,
    museum_names,
    museum_tables,
)
from server_stub.demo.object_changes import write_past_versions
from server_stub.demo.objects import add_objects
from server_stub.demo.people import add_people, all_people
from server_stub.demo.services import DemoServices
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
    options = HistoryOptions(services.now(), events, seed)
    with uncollected():
        _begin_filling(services.database)
        versions = _write(services, generate_history(options))
    _draft_head(services)
    _build_indexes(services.database)
    with services.database.write() as connection:
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


def _write(services: DemoServices, parts: Iterable[HistoryPart]) -> Mapping[str, Mapping[int, int]]:
    """Writes the parts, each in a transaction; returns the versions of all objects."""
    for part in parts:
        match part:
            case EventBatch(drafts):
                with services.database.write() as connection:
                    services.log.append(connection, drafts)
            case SessionRows(rows):
                with services.database.write() as connection:
                    insert_rows(connection, session, rows)
            case Release():
                _commit_release(services, part)
            case final:
                return final.versions
    raise AssertionError("a history ends with the final versions")


_MARK = "_demo_unfinished"
_INDEXED = (event, session)
_marked = configuration.c.name == _MARK


def _begin_filling(database: Database) -> None:
    """Sets the mark, removes an unfinished demo, and drops the indexes of events and sessions.

    Creating the indexes after the last row is much faster than updating them with each row.
    """
    with database.write(foreign_keys=False) as connection:
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
        with database.write() as connection:
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
