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
                text = "{column} is not a link, so its rows cannot be edited elsewhere."
                ref = ColumnRef(table.key, column.key)
                yield error(ref, "reverse_type", text, column=f"{table.name}.{column.name}")
        for key in table.foreign_keys:
            yield from _foreign_key(document, table, key)
        yield from _reverse_links(document, table)


def _link(table: Table, column: Column, edited: set[tuple[int | None, int | None, int]]) -> Iterator[Problem]:
    ref, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
    keys = table.links.get(column.key, ())
    if not keys:
        yield error(ref, "link_key_missing", "The link {column} has no foreign key.", column=name)
    elif len(keys) > 1:
        yield error(ref, "link_key_repeated", "The link {column} has several foreign keys.", column=name)
    elif column.flag("reverse_edit"):
        target = keys[0].target
        if target is not None and (table.key, column.key, target) not in edited:
            text = "{column} is to be edited in the table that it links to, but has no entry there."
            yield error(ref, "reverse_missing", text, column=name)


def _foreign_key(document: Document, table: Table, key: ForeignKey) -> Iterator[Problem]:
    columns = [table.by_key[column] for column in key.column_keys]
    ref: ElementRef = ColumnRef(table.key, columns[0].key) if columns else TableRef(table.key)
    name = f"{table.name}.{columns[0].name}" if columns else f"{table.name}, {key.name}"
    if len(columns) != 1 or len(key.columns) != 1:
        yield error(ref, "key_columns", "The foreign key of {column} needs just one column.", column=name)
    elif not columns[0].is_link:
        yield error(ref, "key_type", "{column} has a foreign key but is no link.", column=name)
    if key.target is None:
        yield error(ref, "link_dangling", "{column} links to a table that is not there.", column=name)
    elif len(key.target_columns) != 1 or key.target_columns[0].automatic != PRIMARY_KEY:
        yield error(ref, "key_target", "{column} must link to the other table's primary key.", column=name)
    if key.target is not None and document.by_key[key.target].is_nested:
        text = "{column} links to {table}, which is a nested table and no objecttype."
        yield error(ref, "link_nested", text, column=name, table=document.by_key[key.target].name)
    for rule in ("on_delete", "on_update"):
        if key.raw.get(rule) not in _RULES:
            text = "{column} has {value} for {rule}; there are cascade, restrict, set null and set default."
            value = shown_value(key.raw.get(rule))
            yield error(ref, "key_rule", text, column=name, rule=rule, value=value)
    if columns and key.raw.get("on_delete") in _RULES:
        yield from _delete_rule(ref, name, columns[0], key)


def _delete_rule(ref: ElementRef, name: str, column: Column, key: ForeignKey) -> Iterator[Problem]:
    expected = "cascade" if column.flag("reverse_edit") else "restrict"
    if key.raw.get("on_delete") not in (None, expected):
        text = "{column} has {value} for on_delete; the service uses {expected} here."
        value = shown_value(key.raw.get("on_delete"))
        yield warning(ref, "delete_rule", text, column=name, value=value, expected=expected)


def _reverse_links(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, ReverseLink)]
    counts = Counter((link.table, link.column) for link in links)
    for link in links:
        ref = link.ref(table.key)
        other = None if link.table is None else document.by_key.get(link.table)
        column = None if other is None or link.column is None else other.by_key.get(link.column)
        if other is None or column is None:
            text = "{table} has an entry for editing a column that is not there."
            yield error(ref, "reverse_dangling", text, table=table.name)
            continue
        name = f"{other.name}.{column.name}"
        targets = {key.target for key in other.links.get(column.key, ())}
        if table.key not in targets or not column.flag("reverse_edit"):
            text = "{table} has an entry for editing {column}, which is not to be edited there."
            yield error(ref, "reverse_stray", text, table=table.name, column=name)
        if counts[(link.table, link.column)] > 1:
            text = "{table} has more than one entry for editing {column}."
            yield error(ref, "reverse_repeated", text, table=table.name, column=name)


def unique_key_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with unique keys."""
    for table in document.tables:
        seen: set[frozenset[int]] = set()
        for key in table.unique_keys:
            yield from _unique_key(table, key)
            columns = frozenset(key.column_keys)
            if columns and columns in seen:
                text = "{table} has two unique keys over the same columns."
                yield warning(key.ref(table.key), "unique_repeated", text, table=table.name)
            seen.add(columns)


def _unique_key(table: Table, key: UniqueKey) -> Iterator[Problem]:
    ref = key.ref(table.key) if key.column_keys else TableRef(table.key)
    if not key.columns:
        yield error(ref, "unique_empty", "A unique key of {table} has no columns.", table=table.name)
    for reference in key.columns:
        if reference.key is None and not reference.automatic:
            text = "A unique key of {table} names a column that is not there."
            yield error(ref, "unique_dangling", text, table=table.name)
        elif reference.key is not None and reference.raw.get("unique_true") is True:
            column = table.by_key[reference.key]
            if type_family(column.type) is not TypeFamily.BOOLEAN:
                text = "Only one row of {table} may have {column}: that needs a column of true and false."
                yield error(ref, "unique_true", text, table=table.name, column=column.name)
