"""Edits of links and types: what makes a column point to another table, and what it holds otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.column_edits import with_entry, with_replaced
from cdb_desktop.schema.describing import described, table_name
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.edit import EditError, column_at, table_at, unused
from cdb_desktop.schema.elements import Column
from cdb_desktop.schema.linking import (
    linked,
    relinked,
    unlinked,
    with_delete_rule,
    with_reverse_entry,
    without_reverse_entries,
)
from cdb_desktop.schema.making import new_column
from cdb_desktop.schema.places import ColumnPlace, new_key


@dataclass(frozen=True, slots=True)
class AddLink:
    """A new column that links to another objecttype, with its foreign key."""

    table: int
    name: str
    target: int
    index: int | None = None
    reverse_edit: bool = False
    key: int = field(default_factory=new_key)

    def title(self, document: Document) -> Message:
        """What is done."""
        return message(
            "Add link {table}.{column} to {target}",
            table=table_name(document, self.table),
            column=self.name,
            target=table_name(document, self.target),
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the column and its key; raises EditError when one of the tables is gone."""
        unused(document, self.key)
        target = table_at(document, self.target)
        column = new_column(self.key, self.name, "link", {"reverse_edit": self.reverse_edit})
        changed = document.with_tables(with_entry(table_at(document, self.table), column, self.index))
        return linked(changed, ColumnPlace(self.table, self.key), target)


@dataclass(frozen=True, slots=True)
class SetLinkTarget:
    """Another table for a link to point to."""

    place: ColumnPlace
    target: int

    def title(self, document: Document) -> Message:
        """What is done."""
        return message(
            "Link {column} to {target}",
            column=described(document, self.place),
            target=table_name(document, self.target),
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the link; raises EditError when the column is none."""
        table, column = _link_at(document, self.place)
        target = table_at(document, self.target)
        change = relinked if table.links.get(column.key) else linked
        return change(document, self.place, target)


@dataclass(frozen=True, slots=True)
class SetReverseEdit:
    """Whether rows that link with a column are edited in the table that they link to (wire §5)."""

    place: ColumnPlace
    on: bool

    def title(self, document: Document) -> Message:
        """What is done."""
        name = described(document, self.place)
        if self.on:
            return message("Edit {column} in the table that it links to", column=name)
        return message("No longer edit {column} in the table that it links to", column=name)

    def apply_to(self, document: Document) -> Document:
        """The document with both sides of it; raises EditError when the column is no link."""
        table, column = _link_at(document, self.place)
        changed = replace(column, raw={**column.raw, "reverse_edit": self.on})
        ruled = with_delete_rule(with_replaced(table, column, changed), column, reverse_edit=self.on)
        without = without_reverse_entries(document.with_tables(ruled), self.place)
        target = next((key.target for key in table.links.get(column.key, ())), None)
        if not self.on or target is None:
            return without
        return with_reverse_entry(without, self.place, target)


@dataclass(frozen=True, slots=True)
class ChangeType:
    """Another type for a column; ``target`` is the table that a column of type ``link`` points to."""

    place: ColumnPlace
    type: str
    target: int | None = None

    def title(self, document: Document) -> Message:
        """What is done."""
        table = document.by_key.get(self.place.table)
        column = None if table is None else table.by_key.get(self.place.column)
        return message(
            "Change the type of {column} from {old} to {new}",
            column=described(document, self.place),
            old="?" if column is None else column.type,
            new=self.type,
        )

    def apply_to(self, document: Document) -> Document:
        """The document with the type; raises EditError for a link without a target."""
        table, column = column_at(document, self.place)
        if self.type == "link" and self.target is None:
            raise EditError(message("A link needs the table that it points to."))
        plain = unlinked(document, self.place) if column.is_link else document
        options = {"type": self.type, **({"reverse_edit": False} if column.flag("reverse_edit") else {})}
        table = plain.by_key[table.key]
        changed = plain.with_tables(
            with_replaced(table, column, replace(column, raw={**column.raw, **options}))
        )
        if self.type != "link" or self.target is None:
            return changed
        return linked(changed, self.place, table_at(changed, self.target))


def _link_at(document: Document, place: ColumnPlace) -> tuple[Table, Column]:
    table, column = column_at(document, place)
    if not column.is_link:
        raise EditError(message("{column} is not a link.", column=described(document, place)))
    return table, column
