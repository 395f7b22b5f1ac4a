"""Problems of names and ids: their form, what is reserved, and what stands twice (wire §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.names import LONGEST, SEPARATOR, is_column_name, is_reserved, is_table_name
from cdb_desktop.schema.places import ColumnPlace, TablePlace
from cdb_desktop.schema.problems import Problem, error


def name_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with the names and ids of tables and columns."""
    repeated = _repeated(Counter(table.name for table in document.tables))
    for table in document.tables:
        place = TablePlace(table.key)
        yield from _form(table)
        if table.name in repeated:
            yield error(place, "table_repeated", "Two tables have the name {name}.", name=table.name)
        if table.id not in (None, table.key):
            yield error(place, "table_id_repeated", "Two tables have the id {id}.", id=str(table.id))
        if table.is_nested:
            yield from _nested_form(document, table)
        yield from _columns(table)


def _form(table: Table) -> Iterator[Problem]:
    name, place = table.name, TablePlace(table.key)
    if is_table_name(name):
        if is_reserved(name):
            text = "The name {name} is reserved by the service."
            yield error(place, "table_name_reserved", text, name=name)
    elif not name:
        yield error(place, "table_name_missing", "A table needs a name.")
    elif len(name) > LONGEST:
        text = "{name} is longer than the 63 characters that a table's whole name may have."
        yield error(place, "table_name_long", text, name=name)
    else:
        text = "{name}: a table's name has small letters, digits and _, with a letter first and no _ last."
        yield error(place, "table_name", text, name=name)


def _nested_form(document: Document, table: Table) -> Iterator[Problem]:
    owner = None if table.owner is None else document.by_key.get(table.owner)
    if owner is not None and not table.name.startswith(owner.name + SEPARATOR):
        text = "{name} is nested in {owner}, so its name must begin with {owner}__."
        yield error(TablePlace(table.key), "nested_name", text, name=table.name, owner=owner.name)


def _columns(table: Table) -> Iterator[Problem]:
    names: set[str] = set()
    for column in table.columns:
        name = column.name
        if name in names:
            yield _column_error(
                table, column.key, "column_repeated", "Two columns have the name {name}.", name
            )
        elif not is_column_name(name):
            yield _column_form(table, column.key, name)
        names.add(name)
        if column.id not in (None, column.key):
            text = "Another column has the id of {name}."
            yield _column_error(table, column.key, "column_id_repeated", text, name)


def _column_form(table: Table, key: int, name: str) -> Problem:
    if not name:
        return _column_error(table, key, "column_name_missing", "A column needs a name.", name)
    if len(name) > LONGEST:
        text = "{name} is longer than the 63 characters that a column's name may have."
        return _column_error(table, key, "column_name_long", text, name)
    text = "{name}: a column's name has small letters, digits and _, with a letter first and no _ last."
    return _column_error(table, key, "column_name", text, name)


def _column_error(table: Table, key: int, code: str, text: str, name: str) -> Problem:
    return error(ColumnPlace(table.key, key), code, text, name=f"{table.name}.{name}")


def _repeated(counts: Counter[str]) -> frozenset[str]:
    return frozenset(name for name, count in counts.items() if count > 1)
