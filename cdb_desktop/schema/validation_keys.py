"""Problems of unique keys (wire §5)."""

from __future__ import annotations

from collections.abc import Iterator

from cdb_desktop.schema.column_types import Family, family
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import UniqueKey
from cdb_desktop.schema.places import TablePlace
from cdb_desktop.schema.problems import Problem, error, warning


def unique_key_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with unique keys."""
    for table in document.tables:
        seen: set[frozenset[int]] = set()
        for key in table.unique_keys:
            yield from _unique_key(table, key)
            columns = frozenset(key.column_keys)
            if columns and columns in seen:
                text = "{table} has two unique keys over the same columns."
                yield warning(key.place(table.key), "unique_repeated", text, table=table.name)
            seen.add(columns)


def _unique_key(table: Table, key: UniqueKey) -> Iterator[Problem]:
    place = key.place(table.key) if key.column_keys else TablePlace(table.key)
    if not key.columns:
        yield error(place, "unique_empty", "A unique key of {table} has no columns.", table=table.name)
    for reference in key.columns:
        if reference.key is None and not reference.automatic:
            text = "A unique key of {table} names a column that is not there."
            yield error(place, "unique_dangling", text, table=table.name)
        elif reference.key is not None and reference.raw.get("unique_true") is True:
            column = table.by_key[reference.key]
            if family(column.type) is not Family.BOOLEAN:
                text = "Only one row of {table} may have {column}: that needs a column of true and false."
                yield error(place, "unique_true", text, table=table.name, column=column.name)
