"""A schema service on a real SQLite file, with helpers that read and compare its tables."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnClause, column, insert, select, table

from server_stub.database import Database
from server_stub.events import Actor, EventLog
from server_stub.schema import CommitResult, Schemas
from tests.server_stub.schema.documents import Json

NOW = 1_700_000_000
ROOT = Actor(1, "system", "Root")


@dataclass(frozen=True)
class Harness:
    """The service, its database, its log, and the database file."""

    schemas: Schemas
    database: Database
    log: EventLog
    path: Path

    def save_and_commit(self, document: Json) -> Json:
        """Saves and commits a document; returns the new CURRENT after comparing it with the database."""
        self.schemas.save_head(document)
        self.commit()
        return self.schemas.read("CURRENT")

    def commit(self) -> CommitResult:
        """Commits HEAD, and compares the result with its plan and the tables."""
        plan, before = self.schemas.plan(), self.tables().keys()
        assert [step for step in plan["steps"] if step.get("stake", {}).get("blocking")] == []
        done = self.schemas.commit(ROOT)
        nothing_saved = plan["steps"] == [] and done.version == plan["current_version"]
        assert nothing_saved or done.version == plan["head_version"]
        assert before - {was(step) for step in plan["steps"]} | made(plan) == self.tables().keys()
        assert self.tables() == expected_tables(self.schemas.read("CURRENT"))
        assert self.sql("PRAGMA integrity_check") == [("ok",)]
        assert self.sql("PRAGMA foreign_key_check") == []
        return done

    def change(self) -> Json:
        """Returns HEAD as a client reads it."""
        return self.schemas.read("HEAD")

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Runs a statement on a separate connection, with foreign keys enforced."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            connection.execute("PRAGMA foreign_keys=ON")
            return connection.execute(statement, values).fetchall()

    def insert(self, table_name: str, *rows: Json) -> None:
        """Inserts rows with the same columns."""
        columns: list[ColumnClause[object]] = [column(name) for name in rows[0]]
        with self.database.write() as connection:
            connection.execute(insert(table(table_name, *columns)), list(rows))

    def rows(self, table_name: str, *names: str) -> list[tuple[Any, ...]]:
        """The values of columns, by ascending id."""
        columns: list[ColumnClause[object]] = [column(name) for name in names]
        chosen = select(*columns).select_from(table(table_name)).order_by(column("_id"))
        with self.database.read() as connection:
            return [tuple(row) for row in connection.execute(chosen)]

    def tables(self) -> Json:
        """The definitions of all user tables in the database."""
        found = self.sql(
            "SELECT name FROM sqlite_schema WHERE type='table' AND (name NOT LIKE '\\_%' ESCAPE '\\' "
            "OR name LIKE '\\_moved%' ESCAPE '\\' OR name LIKE '\\_dropped%' ESCAPE '\\' "
            "OR name LIKE '\\_alembic%' ESCAPE '\\')"
        )
        return {name: self._table(name) for (name,) in found}

    def _table(self, name: str) -> Json:
        columns = self.sql('SELECT name, type, "notnull" FROM pragma_table_info(?)', name)
        ends = 'SELECT "from", "table", "to", lower(on_delete), lower(on_update)'
        links = self.sql(ends + " FROM pragma_foreign_key_list(?)", name)
        uniques = self.sql('SELECT name, partial FROM pragma_index_list(?) WHERE "unique"', name)
        return {
            "columns": {column: (type_, bool(required)) for column, type_, required in columns},
            "links": set(links),
            "uniques": {
                (key, partial, *(row[0] for row in self.sql("SELECT name FROM pragma_index_info(?)", key)))
                for key, partial in uniques
            },
        }


def was(step: Json) -> str | None:
    """The name that a table loses by a step of a plan."""
    lost = {"rename_table": step.get("from"), "drop_table": step["table"]}
    name: str | None = lost.get(step["action"])
    return name


def made(plan: Json) -> set[str]:
    """The names that a plan gives to tables."""
    return {step["table"] for step in plan["steps"] if step["action"] in ("create_table", "rename_table")}


_TYPES = {
    "number": "BIGINT",
    "serial": "BIGINT",
    "integer": "BIGINT",
    "link": "BIGINT",
    "decimal.2": "NUMERIC(15, 2)",
    "integer.2": "NUMERIC(15, 2)",
    "boolean": "BOOLEAN",
}


def expected_tables(document: Json) -> Json:
    """The expected definitions of the tables of a document, by the rules of wire §5."""
    tables = {one["table_id"]: one["name"] for one in document["tables"]}
    return {one["name"]: _expected(one, tables) for one in document["tables"]}


def _expected(one: Json, tables: dict[int, str]) -> Json:
    columns = {"_id": ("INTEGER", True)}
    links = set()
    owner = one.get("owned_by")
    if owner:
        columns["_uplink_id"] = ("BIGINT", True)
        links.add(("_uplink_id", tables[owner["other_table_id"]], "_id", "cascade", "cascade"))
    else:
        columns["_version"] = ("BIGINT", True)
    if one.get("is_hierarchical"):
        columns["_parent_id"] = ("BIGINT", False)
        links.add(("_parent_id", one["name"], "_id", "restrict", "cascade"))
    if one.get("pool_link"):
        columns["_pool_id"] = ("BIGINT", False)
    if one.get("has_tags"):
        columns["_tags"] = ("TEXT", False)
    for each in one["columns"]:
        if each["kind"] == "column":
            columns[each["name"]] = (_TYPES.get(each["type"], "TEXT"), bool(each.get("not_null")))
    for key in one.get("foreign_keys") or ():
        target = tables[key["referenced_table"]["table_id"]]
        source = key["columns"][0]["column_name_hint"]
        links.add((source, target, "_id", key["on_delete"], key["on_update"]))
    return {"columns": columns, "links": links, "uniques": set(_uniques(one))}


def _uniques(one: Json) -> list[tuple[Any, ...]]:
    uniques = []
    for key in one.get("unique_keys") or ():
        partial = [ref["column_name_hint"] for ref in key["columns"] if ref.get("unique_true")]
        plain = [_reference(ref) for ref in key["columns"] if not ref.get("unique_true")]
        uniques.append((key["name"], int(bool(partial)), *(plain or partial)))
    return uniques


def _reference(reference: Json) -> str:
    if reference.get("auto_column_uplink"):
        return "_uplink_id"
    if reference.get("auto_column_parent"):
        return "_parent_id"
    return str(reference["column_name_hint"])
