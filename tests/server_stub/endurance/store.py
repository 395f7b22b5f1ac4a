"""The databases on which servers are killed, raced and interrupted, with a view of their own of the rows."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import psycopg

from server_stub.accounts import ROOT
from server_stub.database import open_database
from server_stub.foundation.times import wall_clock
from server_stub.process.composition import compose
from tests.postgresql import Cluster


class Store(Protocol):
    """A database; `url` is its address for the server."""

    url: str

    def rows(self, query: str) -> Sequence[tuple[Any, ...]]:
        """Returns the rows of a query without the server's help."""

    def check(self) -> None:
        """Fails if the database is damaged."""


class SqliteStore:
    """A file, which is created by the server."""

    def __init__(self, folder: Path) -> None:
        self.url = str(folder / "server.sqlite")

    def rows(self, query: str) -> Sequence[tuple[Any, ...]]:
        database = sqlite3.connect(self.url)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def check(self) -> None:
        assert self.rows("PRAGMA integrity_check") == [("ok",)]
        assert self.rows("PRAGMA foreign_key_check") == []


class PostgresqlStore:
    """A database of a cluster, by default a new one."""

    def __init__(self, cluster: Cluster, name: str | None = None) -> None:
        self.cluster = cluster
        self.name = name or cluster.create_database()
        self.url = cluster.url(self.name)

    def rows(self, query: str) -> Sequence[tuple[Any, ...]]:
        return self.cluster.execute(query, self.name)

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        """A connection of another program, which commits every statement outside of a transaction."""
        return self.cluster.connect(self.name)

    def check(self) -> None:
        # PostgreSQL checks its log when it starts, and its links always; this reads every row.
        assert self.rows("SELECT count(*) FROM _event WHERE head IS NULL") == [(0,)]


def add_users(url: str) -> None:
    """Adds a user "root" with every right and a user "viewer" with none; log-ins are their passwords."""
    database = open_database(url)
    users = compose(database, demo=True, now=wall_clock).users
    with database.write() as connection:
        for login, rights in (("root", (ROOT,)), ("viewer", ())):
            users.add(connection, login, login, displayname=login.title(), rights=rights)
    database.close()
