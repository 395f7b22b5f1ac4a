"""Rules for the names, ids and nesting of tables and for the names of their columns (wire §5).

They apply to a whole document and to one new name while it is being typed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document, NestedTableEntry, Table
from cdb_desktop.schema.document.names import (
    LONGEST,
    SEPARATOR,
    is_column_name,
    is_reserved,
    is_table_name,
    nested_name,
)
from cdb_desktop.schema.validation.problem import Problem, error

_TOP_LEVEL_ONLY = ("is_hierarchical", "pool_link", "acl_table", "has_tags", "in_main_search", "in_facets")


def name_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with the names and ids of tables and columns."""
    repeated = _repeated(Counter(table.name for table in document.tables))
    for table in document.tables:
        ref = TableRef(table.key)
        if code := _table_form(table.name):
            yield error(ref, code, name=table.name)
        if table.name in repeated:
            yield error(ref, "table_repeated", name=table.name)
        if table.id not in (None, table.key):
            yield error(ref, "table_id_repeated", id=str(table.id))
        if table.is_nested:
            yield from _nested_name(document, table)
        yield from _column_names(table)


def new_name_problem(document: Document, ref: TableRef | ColumnRef, name: str) -> Message | None:
    """Why the service would refuse the name, None if it would not; for a nested table without its owner's."""
    code = _new_column(document, ref, name) if isinstance(ref, ColumnRef) else _new_table(document, ref, name)
    return error(ref, code, name=name).message if code else None


def _new_column(document: Document, ref: ColumnRef, name: str) -> str:
    others = (column for column in document.by_key[ref.table].columns if column.key != ref.column)
    return _column_form(name) or ("column_repeated" if any(one.name == name for one in others) else "")


def _new_table(document: Document, ref: TableRef, name: str) -> str:
    owner = document.by_key.get(document.by_key[ref.table].owner or 0)
    whole = name if owner is None or not name else nested_name(owner.name, name)
    others = (table for table in document.tables if table.key != ref.table)
    return _table_form(whole) or ("table_repeated" if any(one.name == whole for one in others) else "")


def _table_form(name: str) -> str:
    """The code of the problem with the form of a table's whole name, empty if there is none."""
    if is_table_name(name):
        return "table_name_reserved" if is_reserved(name) else ""
    if not name:
        return "table_name_missing"
    return "table_name_long" if len(name) > LONGEST else "table_name"


def _column_form(name: str) -> str:
    """The code of the problem with the form of a column's name, empty if there is none."""
    if is_column_name(name):
        return ""
    if not name:
        return "column_name_missing"
    return "column_name_long" if len(name) > LONGEST else "column_name"


def _nested_name(document: Document, table: Table) -> Iterator[Problem]:
    owner = None if table.owner is None else document.by_key.get(table.owner)
    if owner is not None and not table.name.startswith(owner.name + SEPARATOR):
        yield error(TableRef(table.key), "nested_name", name=table.name, owner=owner.name)


def _column_names(table: Table) -> Iterator[Problem]:
    names: set[str] = set()
    for column in table.columns:
        name = column.name
        if name in names:
            yield _column_error(table, column.key, "column_repeated", name)
        elif code := _column_form(name):
            yield _column_error(table, column.key, code, name)
        names.add(name)
        if column.id not in (None, column.key):
            yield _column_error(table, column.key, "column_id_repeated", name)


def _column_error(table: Table, key: int, code: str, name: str) -> Problem:
    return error(ColumnRef(table.key, key), code, name=f"{table.name}.{name}")


def _repeated(counts: Counter[str]) -> frozenset[str]:
    return frozenset(name for name, count in counts.items() if count > 1)


def nesting_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with ``owned_by`` and with the entries for nested tables."""
    circles = _in_cycles(document)
    for table in document.tables:
        if table.is_nested:
            yield from _nested_table(document, table, is_circle=table.key in circles)
        yield from _nested_entries(document, table)


def _nested_table(document: Document, table: Table, *, is_circle: bool) -> Iterator[Problem]:
    ref = TableRef(table.key)
    if table.owner is None or table.owner not in document.by_key:
        yield error(ref, "owner_missing", table=table.name)
    if is_circle:
        yield error(ref, "owner_circle", table=table.name)
    for option in _TOP_LEVEL_ONLY:
        if table.flag(option):
            yield error(ref, "nested_option", table=table.name, option=option)
    owner = None if table.owner is None else document.by_key.get(table.owner)
    if owner is not None:
        yield from _entry_in_owner(table, owner)


def _entry_in_owner(table: Table, owner: Table) -> Iterator[Problem]:
    count = sum(isinstance(entry, NestedTableEntry) and entry.table == table.key for entry in owner.entries)
    if count == 0:
        yield error(TableRef(table.key), "entry_missing", owner=owner.name, table=table.name)


def _nested_entries(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, NestedTableEntry)]
    counts = Counter(link.table for link in links)
    for link in links:
        ref = link.ref(table.key)
        nested = None if link.table is None else document.by_key.get(link.table)
        if nested is None:
            yield error(ref, "entry_dangling", table=table.name)
            continue
        if nested.owner != table.key:
            yield error(ref, "entry_foreign", table=table.name, nested=nested.name)
        if counts[link.table] > 1:
            yield error(ref, "entry_repeated", table=table.name, nested=nested.name)


def _in_cycles(document: Document) -> frozenset[int]:
    """The tables that own themselves, through others or at once."""
    above = {table.key: table.owner for table in document.tables if table.owner is not None}
    found: set[int] = set()
    settled: set[int] = set()
    for start in above:
        path: list[int] = []
        key: int | None = start
        while key is not None and key not in settled:
            settled.add(key)
            path.append(key)
            key = above.get(key)
        if key in path:
            found.update(path[path.index(key) :])
    return frozenset(found)
