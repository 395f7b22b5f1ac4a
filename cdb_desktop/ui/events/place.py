"""Where somebody was in the table, so that a refresh brings them back to the same events."""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.events.pages import Result
from cdb_desktop.ui.widgets.event_table import EventTable


@dataclass(frozen=True, slots=True)
class Place:
    """The row at the top and its event, and the selected event, in a result of ``total`` rows."""

    row: int = 0
    top: int | None = None
    selected: int | None = None
    total: int = 0

    @classmethod
    def of(cls, table: EventTable, result: Result | None) -> Place:
        """The place of now."""
        if result is None:
            return cls()
        row = table.verticalScrollBar().value()
        chosen = table.currentIndex().row() if table.selectionModel().hasSelection() else -1
        return cls(row, _id(result, row), _id(result, chosen), result.rows)

    def scroll(self, table: EventTable, result: Result) -> None:
        """Goes back to the event at the top; at the very top it stays there and sees what is new."""
        if self.row == 0:
            return
        known = None if self.top is None else result.row_of(self.top)
        # What is new stands above, so everything else has moved down by as much as there is more.
        moved = self.row + result.rows - self.total
        table.verticalScrollBar().setValue(moved if known is None else known)

    def select(self, table: EventTable, result: Result) -> bool:
        """Selects the event again, if its page is here; says whether there is nothing left to select."""
        if table.selectionModel().hasSelection():
            return True
        row = None if self.selected is None else result.row_of(self.selected)
        if row is not None:
            scrolled = table.verticalScrollBar().value()
            table.selectRow(row)
            table.verticalScrollBar().setValue(scrolled)
        return self.selected is None or row is not None


def _id(result: Result, row: int) -> int | None:
    event = result.event(row) if row >= 0 else None
    return None if event is None else event.id
