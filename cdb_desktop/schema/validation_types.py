"""Problems of changed types: the service makes some changes of committed columns, not others (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.schema.column_types import may_change
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.places import ColumnPlace
from cdb_desktop.schema.problems import Problem, error


def type_change_problems(document: Document, current: Document | None) -> Iterator[Problem]:
    """Changes of type since CURRENT that the service refuses when HEAD is saved."""
    if current is None:
        return
    for table in document.tables:
        before = current.by_key.get(table.key)
        if before is not None and before is not table:
            yield from _changes(before, table)


def _changes(before: Table, table: Table) -> Iterator[Problem]:
    for column in table.columns:
        committed = before.by_key.get(column.key)
        if committed is not None and not may_change(committed.type, column.type):
            yield error(
                ColumnPlace(table.key, column.key),
                "type_change",
                "{column} is committed as {old} and cannot become {new}.",
                column=f"{table.name}.{column.name}",
                old=committed.type,
                new=column.type,
            )
