"""Problems of nested tables: each has one owner, and there one entry that holds it (wire §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import NestedLink
from cdb_desktop.schema.places import TablePlace
from cdb_desktop.schema.problems import Problem, error

_TOP_LEVEL_ONLY = ("is_hierarchical", "pool_link", "acl_table", "has_tags", "in_main_search", "in_facets")


def nesting_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with ``owned_by`` and with the entries for nested tables."""
    circles = _in_circles(document)
    for table in document.tables:
        if table.is_nested:
            yield from _nested(document, table, is_circle=table.key in circles)
        yield from _entries(document, table)


def _nested(document: Document, table: Table, *, is_circle: bool) -> Iterator[Problem]:
    place = TablePlace(table.key)
    if table.owner is None or table.owner not in document.by_key:
        yield error(place, "owner_missing", "The table that owns {table} is not there.", table=table.name)
    if is_circle:
        yield error(place, "owner_circle", "{table} is nested in itself.", table=table.name)
    for option in _TOP_LEVEL_ONLY:
        if table.flag(option):
            text = "{table} is nested and cannot have {option}."
            yield error(place, "nested_option", text, table=table.name, option=option)
    owner = None if table.owner is None else document.by_key.get(table.owner)
    if owner is not None:
        yield from _place_in_owner(table, owner)


def _place_in_owner(table: Table, owner: Table) -> Iterator[Problem]:
    count = sum(isinstance(entry, NestedLink) and entry.table == table.key for entry in owner.entries)
    if count == 0:
        text = "{owner} has no entry for its nested table {table}."
        yield error(TablePlace(table.key), "entry_missing", text, owner=owner.name, table=table.name)


def _entries(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, NestedLink)]
    counts = Counter(link.table for link in links)
    for link in links:
        place = link.place(table.key)
        nested = None if link.table is None else document.by_key.get(link.table)
        if nested is None:
            text = "{table} has an entry for a nested table that is not there."
            yield error(place, "entry_dangling", text, table=table.name)
            continue
        if nested.owner != table.key:
            text = "{table} has an entry for {nested}, which is not nested in it."
            yield error(place, "entry_foreign", text, table=table.name, nested=nested.name)
        if counts[link.table] > 1:
            text = "{table} has more than one entry for {nested}."
            yield error(place, "entry_repeated", text, table=table.name, nested=nested.name)


def _in_circles(document: Document) -> frozenset[int]:
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
