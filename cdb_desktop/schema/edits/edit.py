"""The protocol of edits, their error, helpers for all of them, and new elements.

Edits name elements by their keys, new ones included, so that they can be applied again to another document.
New elements are as exported models write them: without ids, with hints (wire §5).
"""

from collections.abc import Mapping
from typing import Protocol

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_values import Json, ReasonError
from cdb_desktop.schema.document.model import (
    PRIMARY_KEY,
    Column,
    ColumnReference,
    Document,
    ForeignKey,
    NestedTableEntry,
    ReverseLink,
    Table,
    UniqueKey,
)
from cdb_desktop.schema.document.names import (
    foreign_key_name,
    option_name,
    option_value_text,
    unique_key_name,
)


class Edit(Protocol):
    """A change of a document by the user."""

    def title(self, document: Document) -> Message:
        """The title for undo and redo; ``document`` is the document before the edit."""

    def apply_to(self, document: Document) -> Document:
        """The document after the edit. Raises EditError."""


class EditError(ReasonError):
    """An edit is impossible; ``message`` is the reason."""


def require_table(document: Document, key: int) -> Table:
    """A table by its key. Raises EditError."""
    found = document.by_key.get(key)
    if found is None:
        raise EditError(message("This table is no longer there."))
    return found


def require_column(document: Document, ref: ColumnRef) -> tuple[Table, Column]:
    """A column and its table. Raises EditError."""
    table = require_table(document, ref.table)
    found = table.by_key.get(ref.column)
    if found is None:
        raise EditError(message("This column of {table} is no longer there.", table=table.name))
    return table, found


def require_new_keys(document: Document, *keys: int) -> None:
    """Raises EditError if an element with one of these keys exists."""
    if not document.column_keys.isdisjoint(keys) or not document.by_key.keys().isdisjoint(keys):
        raise EditError(message("This step has already been done."))


def with_options(raw: Json, options: Mapping[str, object]) -> dict[str, object]:
    """The attributes with other values; None removes one."""
    merged = {**raw, **options}
    return {name: value for name, value in merged.items() if name not in options or value is not None}


def option_title(element: str, options: Mapping[str, object]) -> Message:
    """The title of an edit that sets options of an element."""
    if len(options) != 1:
        return message(
            "Change {count:an option|{count} options} of {element}", count=len(options), element=element
        )
    option, value = next(iter(options.items()))
    name = option_name(option)
    if value is None:
        return message("Clear “{option}” of {element}", option=name, element=element)
    text = option_value_text(option, value)
    return message("Set “{option}” of {element} to {value}", option=name, element=element, value=text)


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
