"""Rules for links, their foreign keys and reverse edit, and for unique keys (wire §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cdb_desktop.schema.document.column_types import TypeFamily, type_family
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import shown_value
from cdb_desktop.schema.document.model import (
    PRIMARY_KEY,
    Column,
    Document,
    ForeignKey,
    ReverseLink,
    Table,
    UniqueKey,
)
from cdb_desktop.schema.validation.problem import Problem, error, warning

_RULES = (None, "cascade", "restrict", "set null", "set default")


def link_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with link columns, foreign keys and reverse links."""
    edited = {
        (entry.table, entry.column, table.key)
        for table in document.tables
        for entry in table.entries
        if isinstance(entry, ReverseLink)
    }
    for table in document.tables:
        for column in table.columns:
            if column.is_link:
                yield from _link(table, column, edited)
            elif column.flag("reverse_edit"):
                ref = ColumnRef(table.key, column.key)
                yield error(ref, "reverse_type", column=f"{table.name}.{column.name}")
        for key in table.foreign_keys:
            yield from _foreign_key(document, table, key)
        yield from _reverse_links(document, table)


def _link(table: Table, column: Column, edited: set[tuple[int | None, int | None, int]]) -> Iterator[Problem]:
    ref, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
    keys = table.links.get(column.key, ())
    if not keys:
        yield error(ref, "link_key_missing", column=name)
    elif len(keys) > 1:
        yield error(ref, "link_key_repeated", column=name)
    elif column.flag("reverse_edit"):
        target = keys[0].target
        if target is not None and (table.key, column.key, target) not in edited:
            yield error(ref, "reverse_missing", column=name)


def _foreign_key(document: Document, table: Table, key: ForeignKey) -> Iterator[Problem]:
    columns = [table.by_key[column] for column in key.column_keys]
    ref: ElementRef = ColumnRef(table.key, columns[0].key) if columns else TableRef(table.key)
    name = f"{table.name}.{columns[0].name}" if columns else f"{table.name}, {key.name}"
    if len(columns) != 1 or len(key.columns) != 1:
        yield error(ref, "key_columns", column=name)
    elif not columns[0].is_link:
        yield error(ref, "key_type", column=name)
    if key.target is None:
        yield error(ref, "link_dangling", column=name)
    elif len(key.target_columns) != 1 or key.target_columns[0].automatic != PRIMARY_KEY:
        yield error(ref, "key_target", column=name)
    if key.target is not None and document.by_key[key.target].is_nested:
        yield error(ref, "link_nested", column=name, table=document.by_key[key.target].name)
    for rule in ("on_delete", "on_update"):
        if key.raw.get(rule) not in _RULES:
            value = shown_value(key.raw.get(rule))
            yield error(ref, "key_rule", column=name, rule=rule, value=value)
    if columns and key.raw.get("on_delete") in _RULES:
        yield from _delete_rule(ref, name, columns[0], key)


def _delete_rule(ref: ElementRef, name: str, column: Column, key: ForeignKey) -> Iterator[Problem]:
    expected = "cascade" if column.flag("reverse_edit") else "restrict"
    if key.raw.get("on_delete") not in (None, expected):
        value = shown_value(key.raw.get("on_delete"))
        yield warning(ref, "delete_rule", column=name, value=value, expected=expected)


def _reverse_links(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, ReverseLink)]
    counts = Counter((link.table, link.column) for link in links)
    for link in links:
        ref = link.ref(table.key)
        other = None if link.table is None else document.by_key.get(link.table)
        column = None if other is None or link.column is None else other.by_key.get(link.column)
        if other is None or column is None:
            yield error(ref, "reverse_dangling", table=table.name)
            continue
        name = f"{other.name}.{column.name}"
        targets = {key.target for key in other.links.get(column.key, ())}
        if table.key not in targets or not column.flag("reverse_edit"):
            yield error(ref, "reverse_stray", table=table.name, column=name)
        if counts[(link.table, link.column)] > 1:
            yield error(ref, "reverse_repeated", table=table.name, column=name)


def unique_key_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with unique keys."""
    for table in document.tables:
        seen: set[frozenset[int]] = set()
        for key in table.unique_keys:
            yield from _unique_key(table, key)
            columns = frozenset(key.column_keys)
            if columns and columns in seen:
                yield warning(key.ref(table.key), "unique_repeated", table=table.name)
            seen.add(columns)


def _unique_key(table: Table, key: UniqueKey) -> Iterator[Problem]:
    ref = key.ref(table.key) if key.column_keys else TableRef(table.key)
    if not key.columns:
        yield error(ref, "unique_empty", table=table.name)
    for reference in key.columns:
        if reference.key is None and not reference.automatic:
            yield error(ref, "unique_dangling", table=table.name)
        elif reference.key is not None and reference.raw.get("unique_true") is True:
            column = table.by_key[reference.key]
            if type_family(column.type) is not TypeFamily.BOOLEAN:
                yield error(ref, "unique_true", table=table.name, column=column.name)
