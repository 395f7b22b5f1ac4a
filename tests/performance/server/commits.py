"""Duration of commits: a large first one, those that change every table, and one that rebuilds a table."""

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from server_stub.accounts import ROOT
from server_stub.database import open_database
from server_stub.process.composition import compose
from tests.contract.caller import Caller
from tests.contract.documents import Json, column, foreign_key, holder_of, nested_in, schema, table
from tests.performance.processes import milliseconds, server
from tests.performance.rows import Context, Measured, Row, ratio_row

TABLES = 300
MANY_TABLES = 1000
ROWS = 20_000
_TEXTS = tuple(f"text{number}" for number in range(8))


def commit_300_tables(context: Context) -> Row:
    """The first commit: 300 tables, every fifth nested, all linked, partly in cycles."""
    document = _model()
    times = []
    for number in range(1 if context.is_quick else 5):
        file = context.folder / f"tables-{number}.sqlite"
        with _empty_server(context.folder, file) as root:
            assert root.post("schema/user/HEAD", document).status_code == 200
            times.append(milliseconds(lambda: _commit(root)))
    return Row("server.commit_300_tables_s", round(median(times) / 1000, 3), "s", goal=1)


def change_300_tables(context: Context) -> Row:
    """A commit that renames a column of every table and changes whether another one is required."""
    times = []
    with _empty_server(context.folder, context.folder / "changed.sqlite") as root:
        assert root.post("schema/user/HEAD", _model()).status_code == 200
        _commit(root)
        for number in range(min(context.repeats, 2)):
            head: Json = root.get("schema/user/HEAD", format="json").json()
            for one in head["tables"]:
                first, second, *_ = one["columns"]
                first["name"] = f"renamed{number}"
                second["not_null"] = not number
            assert root.post("schema/user/HEAD", head).status_code == 200
            times.append(milliseconds(lambda: _commit(root)))
    return Row("server.change_300_tables_s", round(min(times) / 1000, 3), "s", goal=3)


def change_1000_tables(context: Context) -> Row:
    """The largest change: every table gets one more column, a column with another name and another that is
    required, and every tenth another name; a client lists events meanwhile.
    """
    return Row("server.change_1000_tables_s", round(_large_change(context)[0] / 1000, 3), "s", goal=8)


def list_while_changing(context: Context) -> Row:
    """The 99th percentile of a client's lists during that commit."""
    times = sorted(_large_change(context)[1])
    slow = times[len(times) * 99 // 100]
    return Row("server.list_while_changing_p99_ms", round(slow, 3), "ms", goal=250)


@lru_cache(maxsize=1)
def _large_change(context: Context) -> tuple[float, list[float]]:
    """Milliseconds of the commit, and of each list meanwhile."""
    file = context.folder / "many.sqlite"
    with _empty_server(context.folder, file) as root:
        assert root.post("schema/user/HEAD", _model(MANY_TABLES)).status_code == 200
        _commit(root)
        _fill(file)
        head: Json = root.get("schema/user/HEAD", format="json").json()
        for number, one in enumerate(head["tables"]):
            first, second, *_ = one["columns"]
            first["name"] = "renamed"
            second["not_null"] = True
            one["columns"].append(column("added"))
            if number % 10 == 0:
                one["name"] += "_renamed"
        assert root.post("schema/user/HEAD", head).status_code == 200
        with ThreadPoolExecutor(1) as pool:
            commit = pool.submit(milliseconds, lambda: _commit(root))
            lists = []
            while not commit.done():
                lists.append(milliseconds(lambda: root.get("event/list", limit=50)))
                time.sleep(0.05)
        return commit.result(), lists


def _fill(file: Path) -> None:
    """Ten rows for every table."""
    with closing(sqlite3.connect(file)) as connection, connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'objecttype%'"
        ).fetchall()
        for (name,) in tables:
            part = str(name).endswith("__parts")
            columns = "_uplink_id, label, size" if part else "field0, field1, field2"
            rows = [(row, row, row) for row in range(1, 11)]
            insert = f"INSERT INTO {name} ({columns}) VALUES (?, ?, ?)"  # noqa: S608 - names of this module
            connection.executemany(insert, rows)


def rebuild_20000_rows(context: Context) -> Row:
    """A column is dropped and a number becomes a text, compared with a manual rebuild of the table."""
    ours, bare = [], []
    file = context.folder / "rebuilt.sqlite"
    with _empty_server(context.folder, file) as root:
        for number in range(min(context.repeats, 5) + 1):
            name = f"work{number}"
            changed = _filled(root, file, name)
            with closing(_copied(file, context.folder / f"bare-{number}.sqlite")) as connection:
                bare.append(milliseconds(lambda: _rebuild(connection, name)))  # noqa: B023
            assert root.post("schema/user/HEAD", changed).status_code == 200
            ours.append(milliseconds(lambda: _commit(root)))
    # The first run of each has cold caches.
    return ratio_row("server.rebuild_20000_rows", median(ours[1:]), median(bare[1:]), goal=1.5)


@contextmanager
def _empty_server(folder: Path, file: Path) -> Iterator[Caller]:
    """Root's client of a server without a schema."""
    database = open_database(str(file))
    users = compose(database, demo=True).users
    with database.write() as connection:
        users.add(connection, "root", "root", displayname="Root", rights=(ROOT,))
    database.close()
    with (
        server(folder, "--database", str(file)) as base,
        httpx.Client(base_url=base, trust_env=False, timeout=60) as client,
    ):
        yield Caller(client).signed_in("root")


def _commit(root: Caller) -> None:
    done = root.post("schema/commit")
    assert done.status_code == 200, done.text


def _model(count: int = TABLES) -> Json:
    tables, top = [], count * 4 // 5
    for number in range(top):
        name = f"objecttype{number}"
        fields = [column(f"field{each}") for each in range(6)]
        fields += [column("year", "number"), column("made", "date"), column("other", "link")]
        one = table(name, *fields, foreign_keys=[foreign_key("other", f"objecttype{number * 7 % top}")])
        one["unique_keys"] = [{"columns": [{"column_name_hint": "field0"}]}]
        one |= {"is_hierarchical": number % 8 == 0, "pool_link": number % 3 == 0}
        tables.append(one)
        if number % 4 == 0:
            one["columns"].append(holder_of(f"{name}__parts"))
            tables.append(
                table(f"{name}__parts", column("label"), column("size", "decimal.2"), **nested_in(name))
            )
    assert len(tables) == count
    return schema(*tables, l10n_languages=["de-DE", "en-US"])


def _filled(root: Caller, file: Path, name: str) -> Json:
    """A committed table with rows, and the HEAD that changes it."""
    found = root.get("schema/user/HEAD", format="json")
    head: Json = found.json() if found.status_code == 200 else schema()
    head["tables"].append(table(name, *map(column, _TEXTS), column("year", "number"), column("gone")))
    assert root.post("schema/user/HEAD", head).status_code == 200
    _commit(root)
    columns = (*_TEXTS, "year", "gone")
    insert = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executemany(insert, (_row(number) for number in range(ROWS)))
    changed: Json = root.get("schema/user/HEAD", format="json").json()
    changed["tables"][-1]["columns"].pop()
    changed["tables"][-1]["columns"][-1]["type"] = "text"
    return changed


def _row(number: int) -> tuple[Any, ...]:
    return (*(f"{name} of object {number}" for name in _TEXTS), number, "x")


def _copied(file: Path, copy: Path) -> sqlite3.Connection:
    """A copy of the data, opened with the settings of the server."""
    made = sqlite3.connect(copy, isolation_level=None)
    with closing(sqlite3.connect(file)) as source:
        source.backup(made)
    for setting in ("journal_mode=WAL", "synchronous=NORMAL", f"mmap_size={1 << 30}", "foreign_keys=OFF"):
        made.execute(f"PRAGMA {setting}")
    return made


def _rebuild(connection: sqlite3.Connection, name: str) -> None:
    """The manual procedure of SQLite's documentation."""
    texts = ", ".join(_TEXTS)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        f"CREATE TABLE new_{name} (_id INTEGER NOT NULL PRIMARY KEY, _version BIGINT DEFAULT 1 NOT NULL, "
        f"{', '.join(f'{one} TEXT' for one in _TEXTS)}, year TEXT)"
    )
    connection.execute(
        f"INSERT INTO new_{name} (_id, _version, {texts}, year) "  # noqa: S608
        f"SELECT _id, _version, {texts}, CAST(year AS TEXT) FROM {name}"
    )
    connection.execute(f"DROP TABLE {name}")
    connection.execute(f"ALTER TABLE new_{name} RENAME TO {name}")
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.execute("COMMIT")


MEASUREMENTS = (
    Measured("server.commit_300_tables_s", commit_300_tables),
    Measured("server.change_300_tables_s", change_300_tables, is_quick=False),
    Measured("server.change_1000_tables_s", change_1000_tables, is_quick=False),
    Measured("server.list_while_changing_p99_ms", list_while_changing, is_quick=False),
    Measured("server.rebuild_20000_rows", rebuild_20000_rows, is_quick=False),
)
