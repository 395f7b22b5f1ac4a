"""New elements of a document as exported models write them: without ids, with hints (wire §5)."""

from __future__ import annotations

from collections.abc import Mapping

from cdb_desktop.schema.document.model import (
    PRIMARY_KEY,
    Column,
    ColumnReference,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
)
from cdb_desktop.schema.document.names import foreign_key_name, unique_key_name

NEW_COLUMN_TYPE = "text_oneline"

_TABLE_OPTIONS = {
    "pool_link": False,
    "acl_table": False,
    "has_tags": False,
    "is_hierarchical": False,
    "in_main_search": True,
}
_PARTS: Mapping[str, object] = {"columns": (), "unique_keys": (), "foreign_keys": ()}


def new_table(key: int, name: str, options: Mapping[str, object]) -> Table:
    """An objecttype without columns."""
    return Table({"name": name, **_TABLE_OPTIONS, **options, **_PARTS}, key, None, (), (), ())


def new_nested_table(key: int, name: str, owner: Table) -> Table:
    """A nested table without columns."""
    owned_by = _named("table", owner.id, owner.name)
    return Table({"name": name, "owned_by": owned_by, **_PARTS}, key, owner.key, (), (), ())


def nested_entry(table: Table) -> NestedTableEntry:
    """The entry for a nested table in its owner."""
    return NestedTableEntry(
        {"kind": "link", **_named("table", table.id, table.name), "not_null": False}, table.key
    )


def new_column(key: int, name: str, type_: str, options: Mapping[str, object]) -> Column:
    """A column that stores values."""
    plain = {"kind": "column", "name": name, "type": type_, "not_null": False, "reverse_edit": False}
    return Column({**plain, **options}, key)


def reverse_entry(table: Table, column: Column) -> ReverseLink:
    """The entry through which rows of ``table`` that link with ``column`` are edited."""
    named = {**_named("table", table.id, table.name), **_named("column", column.id, column.name)}
    return ReverseLink({"kind": "reverse_link", **named, "not_null": False}, table.key, column.key)


def link_key(table: Table, column: Column, target: Table) -> ForeignKey:
    """The foreign key that a link column must have."""
    target_raw = {"table_id": target.id} if target.id else {}
    return ForeignKey(
        raw={
            "name": foreign_key_name(table.name, (column.name,), target.name),
            "on_delete": "cascade" if column.flag("reverse_edit") else "restrict",
            "on_update": "cascade",
            "columns": (),
            "referenced_table": (),
        },
        columns=(reference_to(column),),
        target_raw={**target_raw, "name_hint": target.name, "columns": ()},
        target=target.key,
        target_columns=(ColumnReference({PRIMARY_KEY: True}),),
    )


def new_unique_key(table: Table, columns: tuple[Column, ...]) -> UniqueKey:
    """A key over columns of a table, in this order."""
    name = unique_key_name(table.name, [column.name for column in columns])
    return UniqueKey({"name": name, "columns": ()}, tuple(reference_to(column) for column in columns))


def reference_to(column: Column) -> ColumnReference:
    """A key's reference to a column."""
    named = {"column_id": column.id} if column.id else {}
    return ColumnReference({**named, "column_name_hint": column.name}, column.key)


def _named(kind: str, id_: int | None, name: str) -> dict[str, object]:
    named: dict[str, object] = {f"other_{kind}_id": id_} if id_ else {}
    return {**named, f"other_{kind}_name_hint": name}
