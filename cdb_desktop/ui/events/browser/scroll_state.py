"""The scroll position and the selection of the table, which a refresh restores at the same events."""

from __future__ import annotations

import msgspec

from cdb_desktop.events.result import QueryResult
from cdb_desktop.ui.widgets.event_table.table import EventTable


class ScrollState(msgspec.Struct, frozen=True):
    """The row at the top and its event, and the selected event, in a result of ``total`` rows.

    ``chosen`` is the selected row while its event is still on its way.
    """

    row: int = 0
    top: int | None = None
    selected: int | None = None
    total: int = 0
    chosen: int | None = None

    @classmethod
    def of(cls, table: EventTable, result: QueryResult | None, before: ScrollState) -> ScrollState:
        """The state of the table; what could not be selected again since ``before`` is not forgotten.

        While rows are loaded it is the one ``before``.
        """
        if result is None:
            return before
        row = table.verticalScrollBar().value()
        top = _id(result, row)
        if not table.selectionModel().hasSelection():
            return cls(row, top, before.selected, result.rows)
        chosen = table.currentIndex().row()
        selected = _id(result, chosen)
        return cls(row, top, selected, result.rows, chosen if selected is None else None)

    def scroll(self, table: EventTable, result: QueryResult) -> None:
        """Goes back to the event at the top; at the very top it stays there and sees what is new."""
        if self.row == 0:
            return
        known = None if self.top is None else result.row_of(self.top)
        # After a few rows that held the place of others the scroll bar would not reach down to them yet.
        table.doItemsLayout()
        table.verticalScrollBar().setValue(self._moved(self.row, result) if known is None else known)

    def select(self, table: EventTable, result: QueryResult) -> bool:
        """Selects the event again, if its page is here; says whether there is nothing left to select."""
        if table.selectionModel().hasSelection():
            return True
        if self.chosen is not None:
            row: int | None = self._moved(self.chosen, result)
        else:
            row = None if self.selected is None else result.row_of(self.selected)
        if row is not None:
            scrolled = table.verticalScrollBar().value()
            table.selectRow(row)
            table.verticalScrollBar().setValue(scrolled)
        return self.selected is None or row is not None

    def _moved(self, row: int, result: QueryResult) -> int:
        # What is new stands above, so everything else has moved down by as much as there is more.
        return row + result.rows - self.total


def _id(result: QueryResult, row: int) -> int | None:
    event = result.event(row) if row >= 0 else None
    return None if event is None else event.id
