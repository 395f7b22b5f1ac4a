"""Edits that take something away, and refuse to while something else would be missed."""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.describing import described, table_name
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.edit import EditError, column_at, table_at
from cdb_desktop.schema.places import ColumnPlace, TablePlace
from cdb_desktop.schema.removal import dependents, removal_of_all, without


@dataclass(frozen=True, slots=True)
class RemoveTable:
    """Takes a table away with the tables nested in it; links from elsewhere only with ``dependents``."""

    table: int
    dependents: bool = False

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Remove table {table}", table=table_name(document, self.table))

    def apply_to(self, document: Document) -> Document:
        """The document without the table; raises EditError naming what would be missed."""
        table_at(document, self.table)
        return _removed(document, TablePlace(self.table), anyway=self.dependents)


@dataclass(frozen=True, slots=True)
class RemoveColumn:
    """Takes a column away with its own keys; what else needs it only with ``dependents``."""

    place: ColumnPlace
    dependents: bool = False

    def title(self, document: Document) -> Message:
        """What is done."""
        return message("Remove column {column}", column=described(document, self.place))

    def apply_to(self, document: Document) -> Document:
        """The document without the column; raises EditError naming what would be missed."""
        column_at(document, self.place)
        return _removed(document, self.place, anyway=self.dependents)


@dataclass(frozen=True, slots=True)
class RemoveEntries:
    """Takes several columns and nested tables of a table away in one step."""

    table: int
    places: tuple[TablePlace | ColumnPlace, ...]
    dependents: bool = False

    def title(self, document: Document) -> Message:
        """What is done."""
        name = table_name(document, self.table)
        count = len(self.places)
        return message("Remove {count:a column|{count} columns} of {table}", count=count, table=name)

    def removed(self, document: Document) -> Message:
        """What is removed."""
        name = table_name(document, self.table)
        count = len(self.places)
        return message("{count:One column|{count} columns} of {table}", count=count, table=name)

    def apply_to(self, document: Document) -> Document:
        """The document without them; raises EditError naming what would be missed."""
        for place in self.places:
            if isinstance(place, ColumnPlace):
                column_at(document, place)
            else:
                table_at(document, place.table)
        return _removed(document, *self.places, anyway=self.dependents)


def _removed(document: Document, *places: TablePlace | ColumnPlace, anyway: bool) -> Document:
    holding = [dependent for dependent in dependents(document, *places) if dependent.holds]
    if holding and not anyway:
        raise EditError(
            message(
                "{element} cannot be deleted alone: {dependents} would be deleted with it.",
                element=", ".join(described(document, place) for place in places),
                dependents=", ".join(described(document, dependent.place) for dependent in holding),
            )
        )
    return without(document, removal_of_all(document, places))
