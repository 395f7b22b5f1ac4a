"""Marks a filling as begun, clears away what an interrupted one left behind, and does without indexes.

The mark stands from the first transaction of a filling to its last one, which also adds the users: a database
without users is filled, and where the mark stands in it, cleared before.
"""

from __future__ import annotations

from sqlalchemy import Connection, MetaData, delete, insert, inspect, select, update

from server_stub.database import Database
from server_stub.database.bulk import drop_indexes, missing_indexes
from server_stub.database.tables import (
    configuration,
    counter,
    event,
    journal,
    localization,
    schema_version,
    session,
)
from server_stub.demo.datamodel import CURRENT_VERSION, museum_tables

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
