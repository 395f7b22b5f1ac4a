"""Edits of links and of column types.

A link is a column with a foreign key and, for reverse edit, an entry in the table that it links to (wire §5).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import ColumnRef, new_key
from cdb_desktop.schema.document.identity import Identity, identified_target
from cdb_desktop.schema.document.model import (
    PRIMARY_KEY,
    Column,
    ColumnReference,
    Document,
    ForeignKey,
    ReverseLink,
    Table,
    TableEntry,
)
from cdb_desktop.schema.document.names import element_name, table_name, with_generated_key_names
from cdb_desktop.schema.edits.columns import with_entry, with_replaced
from cdb_desktop.schema.edits.edit import EditError, require_column, require_new_keys, require_table
from cdb_desktop.schema.edits.new_elements import link_key, new_column, reverse_entry


def _with_foreign_key(document: Document, ref: ColumnRef, target: Table) -> Document:
    """The document with a foreign key for the column, and with its reverse link for ``reverse_edit``."""
    table, column = _column_of(document, ref)
    key = link_key(table, column, target)
    changed = document.with_tables(replace(table, foreign_keys=(*table.foreign_keys, key)))
    return _with_reverse_entry(changed, ref, target.key) if column.flag("reverse_edit") else changed


def _without_foreign_keys(document: Document, ref: ColumnRef) -> Document:
    """The document without the column's foreign keys and without the entries through which it is edited."""
    table, column = _column_of(document, ref)
    kept = tuple(key for key in table.foreign_keys if column.key not in key.column_keys)
    return _without_reverse_entries(document.with_tables(replace(table, foreign_keys=kept)), ref)


def _with_other_target(document: Document, ref: ColumnRef, target: Table) -> Document:
    """The document with another target of the column's foreign keys; their other attributes stay."""
    table, column = _column_of(document, ref)
    keys = tuple(
        _retargeted(key, target) if column.key in key.column_keys else key for key in table.foreign_keys
    )
    changed = document.with_tables(replace(table, foreign_keys=keys))
    changed = with_generated_key_names(changed, [table.key], document)
    changed = _without_reverse_entries(changed, ref)
    return _with_reverse_entry(changed, ref, target.key) if column.flag("reverse_edit") else changed


def _with_reverse_entry(document: Document, ref: ColumnRef, target: int) -> Document:
    """The document with an entry in the target through which the column's rows are edited."""
    table, column = _column_of(document, ref)
    other = document.by_key[target]
    return document.with_tables(replace(other, entries=(*other.entries, reverse_entry(table, column))))


def _without_reverse_entries(document: Document, ref: ColumnRef) -> Document:
    """The document without the entries through which the column's rows are edited."""
    changed = []
    for table in document.referring_to(frozenset({ref.table})):
        kept = tuple(entry for entry in table.entries if not _edits(entry, ref))
        if len(kept) < len(table.entries):
            changed.append(replace(table, entries=kept))
    return document.with_tables(*changed)


def _with_delete_rule(table: Table, column: Column, *, reverse_edit: bool) -> Table:
    """The table with the rule for deleting that belongs to ``reverse_edit``: cascade or restrict."""
    before, after = ("restrict", "cascade") if reverse_edit else ("cascade", "restrict")
    keys = tuple(
        replace(key, raw={**key.raw, "on_delete": after})
        if column.key in key.column_keys and key.raw.get("on_delete") == before
        else key
        for key in table.foreign_keys
    )
    return replace(table, foreign_keys=keys)


def _retargeted(key: ForeignKey, target: Table) -> ForeignKey:
    return replace(
        key,
        target_raw=identified_target(key.target_raw, Identity(target.key, target.id, target.name)),
        target=target.key,
        target_columns=(ColumnReference({PRIMARY_KEY: True}),),
    )


def _edits(entry: TableEntry, ref: ColumnRef) -> bool:
    return isinstance(entry, ReverseLink) and (entry.table, entry.column) == (ref.table, ref.column)


def _column_of(document: Document, ref: ColumnRef) -> tuple[Table, Column]:
    table = document.by_key[ref.table]
    return table, table.by_key[ref.column]


@dataclass(frozen=True, slots=True)
class AddLink:
    """Adds a column that links to another objecttype, with its foreign key."""

    table: int
    name: str
    target: int
    index: int | None = None
    reverse_edit: bool = False
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        return message(
            "Add link {table}.{column} to {target}",
            table=table_name(document, self.table),
            column=self.name,
            target=table_name(document, self.target),
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the column and its key. Raises EditError if one of the tables does not exist."""
        require_new_keys(document, self.key)
        target = require_table(document, self.target)
        column = new_column(self.key, self.name, "link", {"reverse_edit": self.reverse_edit})
        changed = document.with_tables(with_entry(require_table(document, self.table), column, self.index))
        return _with_foreign_key(changed, ColumnRef(self.table, self.key), target)


@dataclass(frozen=True, slots=True)
class SetLinkTarget:
    """Changes the target of a link."""

    ref: ColumnRef
    target: int

    def title(self, document: Document) -> Message:
        return message(
            "Link {column} to {target}",
            column=element_name(document, self.ref),
            target=table_name(document, self.target),
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the link. Raises EditError if the column is not a link."""
        table, column = _require_link(document, self.ref)
        target = require_table(document, self.target)
        change = _with_other_target if table.links.get(column.key) else _with_foreign_key
        return change(document, self.ref, target)


@dataclass(frozen=True, slots=True)
class SetReverseEdit:
    """Sets whether rows are edited in the table that they link to with a column (wire §5)."""

    ref: ColumnRef
    on: bool

    def title(self, document: Document) -> Message:
        name = element_name(document, self.ref)
        if self.on:
            return message("Edit {column} in the table that it links to", column=name)
        return message("No longer edit {column} in the table that it links to", column=name)

    def apply_to(self, document: Document) -> Document:
        """The document with both sides of it. Raises EditError if the column is not a link."""
        table, column = _require_link(document, self.ref)
        changed = replace(column, raw={**column.raw, "reverse_edit": self.on})
        ruled = _with_delete_rule(with_replaced(table, column, changed), column, reverse_edit=self.on)
        without = _without_reverse_entries(document.with_tables(ruled), self.ref)
        target = next((key.target for key in table.links.get(column.key, ())), None)
        if not self.on or target is None:
            return without
        return _with_reverse_entry(without, self.ref, target)


@dataclass(frozen=True, slots=True)
class ChangeType:
    """Changes the type of a column; ``target`` is the table that a column of type ``link`` points to."""

    ref: ColumnRef
    type: str
    target: int | None = None

    def title(self, document: Document) -> Message:
        table = document.by_key.get(self.ref.table)
        column = None if table is None else table.by_key.get(self.ref.column)
        return message(
            "Change the type of {column} from {old} to {new}",
            column=element_name(document, self.ref),
            old="?" if column is None else column.type,
            new=self.type,
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the type. Raises EditError for a link without a target."""
        table, column = require_column(document, self.ref)
        if self.type == "link" and self.target is None:
            raise EditError(message("A link needs the table that it links to."))
        plain = _without_foreign_keys(document, self.ref) if column.is_link else document
        options = {"type": self.type, **({"reverse_edit": False} if column.flag("reverse_edit") else {})}
        table = plain.by_key[table.key]
        changed = plain.with_tables(
            with_replaced(table, column, replace(column, raw={**column.raw, **options}))
        )
        if self.type != "link" or self.target is None:
            return changed
        return _with_foreign_key(changed, self.ref, require_table(changed, self.target))


def _require_link(document: Document, ref: ColumnRef) -> tuple[Table, Column]:
    table, column = require_column(document, ref)
    if not column.is_link:
        raise EditError(message("{column} is not a link.", column=element_name(document, ref)))
    return table, column
