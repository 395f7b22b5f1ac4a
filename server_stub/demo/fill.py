"""Fills an empty database with the demo: its schema, events, objects and finally its users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from sqlalchemy import Connection, MetaData, delete, insert, inspect, select, update

from server_stub.database import Database
from server_stub.database.bulk import drop_indexes, insert_rows, missing_indexes
from server_stub.database.tables import (
    configuration,
    counter,
    event,
    journal,
    localization,
    schema_version,
    session,
)
from server_stub.demo.history import Commission, Events, Part, Sessions, narrative
from server_stub.demo.incidents import Release
from server_stub.demo.museum_model import (
    CURRENT_VERSION,
    HEAD_VERSION,
    museum_document,
    museum_names,
    museum_tables,
)
from server_stub.demo.objects import add_objects
from server_stub.demo.people import add_people, everybody
from server_stub.demo.services import House
from server_stub.memory import uncollected
from server_stub.schema import Schemas


def fill(house: House, *, events: int = 20_000, seed: int = 1) -> None:
    """Makes the demo house in a database without users; the same seed and `now()` make the same rows.

    `events` are written for the thirty days up to `house.now()`, three at least. The users come in the last
    transaction, so a filling that was interrupted is found and done anew at the next start (see `beginning`);
    a new file is found in its place only when it is whole.
    """
    commission = Commission(house.now(), events, seed)
    with uncollected():
        begin(house.database)
        versions = _write(house, narrative(commission))
    draft_head(house)
    build_indexes(house.database)
    with house.database.write() as connection:
        add_objects(connection, versions, Random(f"{seed} objects"))
        add_people(connection, house.users, everybody())
        end(connection)


def _write(house: House, parts: Iterable[Part]) -> Mapping[str, Mapping[int, int]]:
    """Writes part by part, each in its transaction; answers the versions of the ending."""
    for part in parts:
        match part:
            case Events(rows):
                with house.database.write() as connection:
                    house.log.append_rows(connection, rows)
            case Sessions(rows):
                with house.database.write() as connection:
                    insert_rows(connection, session, rows)
            case Release():
                release(house, part)
            case ending:
                return ending.versions
    raise AssertionError("a narrative ends with its ending")


_MARK = "_demo_unfinished"
_INDEXED = (event, session)
_marked = configuration.c.name == _MARK


def begin(database: Database) -> None:
    """Leaves an empty database with the mark, its log and sessions without an index."""
    with database.write(foreign_keys=False) as connection:
        for table in _INDEXED:
            drop_indexes(connection, table)
        if connection.execute(select(configuration).where(_marked)).first() is not None:
            _clear(connection)
        else:
            connection.execute(insert(configuration).values(name=_MARK, value="true"))


def build_indexes(database: Database) -> None:
    """Gives the log and its sessions their indexes back, each in its own transaction."""
    with database.read() as connection:
        missing = [index for table in _INDEXED for index in missing_indexes(connection, table)]
    for index in missing:
        with database.write() as connection:
            index.create(connection)


def end(connection: Connection) -> None:
    """Takes the mark away."""
    connection.execute(delete(configuration).where(_marked))


def _clear(connection: Connection) -> None:
    standing = set(inspect(connection).get_table_names())
    ours = standing.intersection(museum_tables(CURRENT_VERSION))
    metadata = MetaData()
    metadata.reflect(connection, only=sorted(ours), resolve_fks=False)
    metadata.drop_all(connection)
    for emptied in (event, session, localization, journal, schema_version):
        connection.execute(delete(emptied))
    connection.execute(update(counter).values(value=0))


def release(house: House, due: Release) -> None:
    """Makes a version CURRENT, with its names; the room's clock stands at the second of the release."""
    schemas = Schemas(house.database, house.log, lambda: due.second)
    before = schemas.read("HEAD") if due.version > 1 else None
    schemas.save_head(museum_document(due.version, before))
    schemas.commit(due.actor)
    schemas.save_names("CURRENT", museum_names(due.version))


def draft_head(house: House) -> None:
    """Leaves a HEAD with a table more, a column less, one renamed and one of another type."""
    before = house.schemas.read("HEAD")
    house.schemas.save_head(museum_document(HEAD_VERSION, before))
    house.schemas.save_names("HEAD", museum_names(HEAD_VERSION))
