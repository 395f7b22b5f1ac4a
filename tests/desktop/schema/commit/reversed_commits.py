"""Commits on the reference server with real rows, and their reversal."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import column, delete, insert, select, update
from sqlalchemy import table as sql_table

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan
from cdb_desktop.schema.commit.reversal import CommitReversal, reverse_commit
from cdb_desktop.schema.commit.saved_ids import save_request
from cdb_desktop.schema.document.column_types import TypeFamily, type_family
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import SetTableOptions
from cdb_desktop.schema.merge.merge import merge
from cdb_desktop.schema.working_copy import new_history
from server_stub.database import Database, open_database
from server_stub.events import Actor, EventLog
from server_stub.foundation.errors import UserError
from server_stub.schema import Schemas
from tests.desktop.schema.merge.triples import RandomEdits
from tests.desktop.schema.models import is_acceptable, museum

_ROOT = Actor(1, "system", "Root")
_ROWS = 3
_MOST_STEPS = 8

# Values of rows by table and column of a document; None for a column of the system.
Cell = tuple[int, int | str]
Values = dict[Cell, dict[int, Any]]


class CommitEdits(RandomEdits):
    """Draws also the options of tables that have columns of the system."""

    def _table_edit(self, document: Document, table: Table) -> Edit:
        if not table.is_nested and self._random.random() < 0.15:
            option = self._random.choice(("is_hierarchical", "pool_link", "has_tags"))
            return SetTableOptions(table.key, {option: not table.flag(option)})
        return super()._table_edit(document, table)


@dataclass(frozen=True)
class ReversedCommit:
    """A commit and its reversal; ``refused`` if rows refused the latter, which was repeated without rows.

    ``was`` and ``now`` are the values before the commit and after its reversal.
    """

    reversal: CommitReversal
    result: Document
    was: Values
    now: Values
    refused: UserError | None


class Service:
    """The reference server on a database file."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.schemas = Schemas(database, EventLog(database, "here"), lambda: 1_700_000_000)

    def save(self, document: Document, head: Document | None) -> None:
        """Saves HEAD."""
        self.schemas.save_head(save_request(document, head))

    def commit(self) -> None:
        """Commits HEAD. Raises UserError if rows refuse that."""
        self.schemas.commit(_ROOT)

    def read(self, version: str) -> Document:
        """A version."""
        return read_document(self.schemas.read(version))

    def plan(self) -> CommitPlan:
        """What a commit would do."""
        return read_commit_plan(self.schemas.plan())

    def fill(self, document: Document, random: Random) -> None:
        """Inserts rows with the ids 1 to 3 into empty tables, with values in most columns."""
        with self.database.write(foreign_keys=False) as connection:
            for table in document.tables:
                physical = sql_table(table.name, *(column(name) for name in _columns(table)))
                if connection.execute(select(physical.c["_id"])).first() is None:
                    rows = [_row(table, number, random) for number in range(1, _ROWS + 1)]
                    connection.execute(insert(physical), rows)

    def fill_new_columns(self, before: Document, document: Document, random: Random) -> None:
        """Gives values to the rows in columns that an older document does not have."""
        with self.database.write(foreign_keys=False) as connection:
            for table in document.tables:
                was = before.by_key.get(table.key)
                new = [one for one in table.columns if was is not None and one.key not in was.by_key]
                physical = sql_table(table.name, column("_id"), *(column(one.name) for one in new))
                for number in range(1, _ROWS + 1) if new else ():
                    values = {one.name: _value(one, number, random) for one in new}
                    connection.execute(update(physical).where(physical.c["_id"] == number).values(values))

    def empty(self, document: Document) -> None:
        """Deletes all rows."""
        with self.database.write(foreign_keys=False) as connection:
            for table in document.tables:
                connection.execute(delete(sql_table(table.name)))

    def values(self, document: Document) -> Values:
        """The values that are not null, by columns of the document and ids of rows."""
        found: Values = {}
        with self.database.read() as connection:
            for table in document.tables:
                names = _columns(table)
                keys: dict[str, int | str] = {one.name: one.key for one in table.columns}
                physical = sql_table(table.name, *(column(name) for name in names))
                for row in connection.execute(select(physical)):
                    cells = dict(zip(names, row, strict=True))
                    for name, value in cells.items():
                        if value is not None:
                            cell = (table.key, keys.get(name, name))
                            found.setdefault(cell, {})[cells["_id"]] = value
        return found


@contextmanager
def service() -> Iterator[Service]:
    """A reference server without a schema."""
    memory = Path("/dev/shm")  # noqa: S108 - synchronous writes to a disk would take most of the time
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        database = open_database(str(Path(folder) / "room.sqlite"))
        try:
            yield Service(database)
        finally:
            database.close()


def reversed_commit(seed: int) -> ReversedCommit | None:
    """Commits a random document with rows, changes and commits it, and reverses that; None if impossible.

    Impossible are changes that the service does not accept, or that the rows refuse.
    """
    random = Random(seed)
    with service() as own:
        raw = museum()
        del raw["house"], raw["tables"][2]["columns"][0]["remark"]
        first = _edited(read_document(raw), random, 2)
        if not is_acceptable(find_problems(first)):
            return None
        own.save(first, None)
        own.commit()
        before = own.read("1")
        own.fill(before, random)
        changed = _edited(own.read("HEAD"), random, random.randint(1, _MOST_STEPS))
        if not is_acceptable(find_problems(changed, before)):
            return None
        own.save(changed, own.read("HEAD"))
        plan, was = own.plan(), own.values(before)
        try:
            own.commit()
        except UserError:
            return None
        after, head = own.read("CURRENT"), own.read("HEAD")
        own.fill_new_columns(before, after, random)
        own.fill(after, random)
        reversal = reverse_commit(before, after, replaces_columns=seed % 2 == 0, plan=plan)
        document = merge(after, reversal.target, head).document
        own.save(document, head)
        refused: UserError | None = None
        try:
            own.commit()
        except UserError as error:
            refused = error
            own.empty(after)
            own.commit()
        result = own.read("CURRENT")
        return ReversedCommit(reversal, result, was, own.values(result), refused)


def _edited(document: Document, random: Random, steps: int) -> Document:
    drawer, history = CommitEdits(random), new_history(document)
    for _ in range(steps):
        history = drawer.step(history)
    return history.document


def _columns(table: Table) -> list[str]:
    system = ["_id", "_uplink_id"] if table.is_nested else ["_id", "_version"]
    options = {"is_hierarchical": "_parent_id", "pool_link": "_pool_id", "has_tags": "_tags"}
    system += [name for option, name in options.items() if table.flag(option)]
    return [*system, *(one.name for one in table.columns)]


def _row(table: Table, number: int, random: Random) -> Mapping[str, object]:
    system: dict[str, object] = {
        "_id": number,
        "_uplink_id": number,
        "_version": 1,
        "_parent_id": number - 1 or None,
        "_pool_id": number,
        "_tags": json.dumps([number]),
    }
    values = {one.name: _value(one, number, random) for one in table.columns}
    return {name: system.get(name, values.get(name)) for name in _columns(table)}


def _value(of: Column, number: int, random: Random) -> object:
    """A value that no other row of the column has, or none where that is possible."""
    if not of.flag("not_null") and random.random() < 0.1:
        return None
    day = f"2026-01-0{number}"
    time, cents = random.choice((("00:00:00", "00"), ("12:30:00", "25")))
    values: dict[TypeFamily, object] = {
        **dict.fromkeys((TypeFamily.INTEGER, TypeFamily.SERIAL, TypeFamily.LINK), number),
        **dict.fromkeys((TypeFamily.FILE, TypeFamily.CUSTOM), json.dumps({"id": number})),
        TypeFamily.LOCALIZED: json.dumps({random.choice(("de-DE", "en-US")): f"text {number}"}),
        TypeFamily.DECIMAL: f"{number}.{cents}",
        TypeFamily.BOOLEAN: number % 2,
        TypeFamily.DATE: day,
        TypeFamily.DATE_TIME: f"{day}T{time}",
        TypeFamily.DATE_RANGE: json.dumps({"from": "2026-01-01", "to": day}),
    }
    family = type_family(of.type)
    return values.get(family, f"text {number}") if family else f"text {number}"
