"""Describes a document in relational terms, and lists what these terms cannot express."""

from __future__ import annotations

from collections.abc import Mapping

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.json_values import text_attribute
from cdb_desktop.schema.document.model import (
    Column,
    Document,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
    UnknownEntry,
)
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.exchange.relational import (
    LossList,
    RelationalColumn,
    RelationalLink,
    RelationalModel,
    RelationalTable,
)

# Attributes that are expressed, or that are equal in every new table or column.
_TABLE_DEFAULTS: Mapping[str, object] = {"in_main_search": True}
_TABLE_PARTS = frozenset(
    {"table_id", "name", "owned_by", "columns", "foreign_keys", "unique_keys", "is_hierarchical", "comment"}
)
_COLUMN_PARTS = frozenset({"kind", "column_id", "name", "type", "not_null"})
_DOCUMENT_PARTS = frozenset(
    {
        "type",
        "version",
        "based_on_version",
        "based_on_base_version",
        "max_table_id",
        "max_column_id",
        "tables",
    }
)
_NAMED_OPTIONS = {
    "pool_link": message("Membership in pools"),
    "acl_table": message("Rights of single records"),
    "has_tags": message("Tags"),
    "in_main_search": message("Absence from the main search"),
    "reverse_edit": message("Reverse editing of links"),
    "l10n_languages": message("The languages of the schema"),
}


def describe(document: Document) -> RelationalModel:
    """The tables of a document with their links, and what is lost."""
    losses = LossList()
    for name, value in document.raw.items():
        if name not in _DOCUMENT_PARTS and value:
            losses.add(_option(name))
    tables = tuple(_table(document, table, losses) for table in document.tables)
    losses.add(message("Masks and localized names, which are no part of the schema"))
    return RelationalModel(tables, losses.all())


def _table(document: Document, table: Table, losses: LossList) -> RelationalTable:
    for name, value in table.raw.items():
        is_expressed = name in _TABLE_PARTS or (value or None) == (_TABLE_DEFAULTS.get(name) or None)
        if not is_expressed:
            losses.add(_option(name), table.name)
    if table.is_nested:
        losses.add(
            message("Nested tables, which become tables with a foreign key to their owner"), table.name
        )
    _report_entries(table, losses)
    columns = tuple(_column(table, column, losses) for column in table.columns)
    unique = (_unique_key(table, key, losses) for key in table.unique_keys)
    return RelationalTable(
        name=table.name,
        columns=columns,
        links=_links(document, table, losses),
        unique=tuple(dict.fromkeys(key for key in unique if key)),
        owner=table_name(document, table.owner) if table.owner is not None else "",
        is_hierarchical=table.flag("is_hierarchical"),
        comment=text_attribute(table.raw, "comment"),
    )


def _report_entries(table: Table, losses: LossList) -> None:
    positions = [isinstance(entry, NestedTableEntry) for entry in table.entries]
    if positions != sorted(positions):
        losses.add(message("Positions of nested tables among columns"), table.name)
    for entry in table.entries:
        if isinstance(entry, ReverseLink):
            losses.add(message("Entries through which linking records are edited"), table.name)
        elif isinstance(entry, UnknownEntry):
            losses.add(message("Entries of an unknown kind"), table.name)


def _column(table: Table, column: Column, losses: LossList) -> RelationalColumn:
    for name, value in column.raw.items():
        if name not in _COLUMN_PARTS and value not in (None, False, "", [], {}):
            losses.add(_option(name), f"{table.name}.{column.name}")
    return RelationalColumn(column.name, column.type, column.flag("not_null"))


def _option(name: str) -> Message:
    return _NAMED_OPTIONS.get(name) or message("Option {option}", option=name)


def _links(document: Document, table: Table, losses: LossList) -> tuple[RelationalLink, ...]:
    links: dict[str, RelationalLink] = {}
    for key in table.foreign_keys:
        names = [table.by_key[each].name for each in key.column_keys if each in table.by_key]
        target = None if key.target is None else document.by_key.get(key.target)
        if target is None or len(names) != 1 or names[0] in links:
            losses.add(message("Links without a target"), f"{table.name}.{' + '.join(names)}")
            continue
        rules = (text_attribute(key.raw, rule) for rule in ("on_delete", "on_update"))
        links[names[0]] = RelationalLink((names[0],), target.name, (), *rules)
    return tuple(links.values())


def _unique_key(table: Table, key: UniqueKey, losses: LossList) -> tuple[str, ...]:
    names = tuple(table.by_key[each].name for each in key.column_keys if each in table.by_key)
    if len(names) != len(key.columns) or not names:
        losses.add(message("Unique keys with automatic columns or conditions"), key.name or table.name)
        return ()
    return names
