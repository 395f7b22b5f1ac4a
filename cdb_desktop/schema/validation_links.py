"""Problems of links: one foreign key each that points somewhere, both sides of reverse edit (wire §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import PRIMARY_KEY, Column, ForeignKey, ReverseLink, shown_value
from cdb_desktop.schema.places import ColumnPlace, Place, TablePlace
from cdb_desktop.schema.problems import Problem, error, warning

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
                place = ColumnPlace(table.key, column.key)
                yield error(place, "reverse_type", text, column=f"{table.name}.{column.name}")
        for key in table.foreign_keys:
            yield from _foreign_key(document, table, key)
        yield from _reverse_links(document, table)


def _link(table: Table, column: Column, edited: set[tuple[int | None, int | None, int]]) -> Iterator[Problem]:
    place, name = ColumnPlace(table.key, column.key), f"{table.name}.{column.name}"
    keys = table.links.get(column.key, ())
    if not keys:
        yield error(place, "link_key_missing", "The link {column} has no foreign key.", column=name)
    elif len(keys) > 1:
        yield error(place, "link_key_repeated", "The link {column} has several foreign keys.", column=name)
    elif column.flag("reverse_edit"):
        target = keys[0].target
        if target is not None and (table.key, column.key, target) not in edited:
            text = "{column} is to be edited in the table that it links to, but has no entry there."
            yield error(place, "reverse_missing", text, column=name)


def _foreign_key(document: Document, table: Table, key: ForeignKey) -> Iterator[Problem]:
    columns = [table.by_key[column] for column in key.column_keys]
    place: Place = ColumnPlace(table.key, columns[0].key) if columns else TablePlace(table.key)
    name = f"{table.name}.{columns[0].name}" if columns else f"{table.name}, {key.name}"
    if len(columns) != 1 or len(key.columns) != 1:
        yield error(place, "key_columns", "The foreign key of {column} needs just one column.", column=name)
    elif not columns[0].is_link:
        yield error(place, "key_type", "{column} has a foreign key but is no link.", column=name)
    if key.target is None:
        yield error(place, "link_dangling", "{column} links to a table that is not there.", column=name)
    elif len(key.target_columns) != 1 or key.target_columns[0].automatic != PRIMARY_KEY:
        yield error(place, "key_target", "{column} must link to the other table's primary key.", column=name)
    if key.target is not None and document.by_key[key.target].is_nested:
        text = "{column} links to {table}, which is a nested table and no objecttype."
        yield error(place, "link_nested", text, column=name, table=document.by_key[key.target].name)
    for rule in ("on_delete", "on_update"):
        if key.raw.get(rule) not in _RULES:
            text = "{column} has {value} for {rule}; there are cascade, restrict, set null and set default."
            value = shown_value(key.raw.get(rule))
            yield error(place, "key_rule", text, column=name, rule=rule, value=value)
    if columns and key.raw.get("on_delete") in _RULES:
        yield from _delete_rule(place, name, columns[0], key)


def _delete_rule(place: Place, name: str, column: Column, key: ForeignKey) -> Iterator[Problem]:
    expected = "cascade" if column.flag("reverse_edit") else "restrict"
    if key.raw.get("on_delete") not in (None, expected):
        text = "{column} has {value} for on_delete; the service uses {expected} here."
        value = shown_value(key.raw.get("on_delete"))
        yield warning(place, "delete_rule", text, column=name, value=value, expected=expected)


def _reverse_links(document: Document, table: Table) -> Iterator[Problem]:
    links = [entry for entry in table.entries if isinstance(entry, ReverseLink)]
    counts = Counter((link.table, link.column) for link in links)
    for link in links:
        place = link.place(table.key)
        other = None if link.table is None else document.by_key.get(link.table)
        column = None if other is None or link.column is None else other.by_key.get(link.column)
        if other is None or column is None:
            text = "{table} has an entry for editing a column that is not there."
            yield error(place, "reverse_dangling", text, table=table.name)
            continue
        name = f"{other.name}.{column.name}"
        targets = {key.target for key in other.links.get(column.key, ())}
        if table.key not in targets or not column.flag("reverse_edit"):
            text = "{table} has an entry for editing {column}, which is not to be edited there."
            yield error(place, "reverse_stray", text, table=table.name, column=name)
        if counts[(link.table, link.column)] > 1:
            text = "{table} has more than one entry for editing {column}."
            yield error(place, "reverse_repeated", text, table=table.name, column=name)
