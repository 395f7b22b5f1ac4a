"""Table model of events and of records that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.ui.widgets.event_table.columns import EventColumn

translate = QCoreApplication.translate


def unreadable_title() -> str:
    """What it is."""
    return translate("Unreadable", "Unreadable record")


def unreadable_reason(record: Unreadable) -> str:
    """Why it could not be read."""
    return {
        "not an object": translate("Unreadable", "It is not a JSON object."),
        "no _id": translate("Unreadable", "It has no _id."),
        "no whole number as _id": translate("Unreadable", "Its _id is not a whole number."),
        "an _id beyond 64 bits": translate("Unreadable", "Its _id is larger than 64 bits."),
        "nested too deeply": translate("Unreadable", "Its values are nested too deeply."),
        "too large": translate("Unreadable", "It is too large for this program."),
    }[record.reason]


def unreadable_text(record: Unreadable) -> str:
    """Both in a line."""
    told = translate("Unreadable", "This record could not be read: %1")
    return told.replace("%1", unreadable_reason(record))


def unreadable_cell(record: Unreadable, columns: Sequence[EventColumn], place: int) -> str:
    """What a cell of its row holds: what it is in place of the type, and why where there is room."""
    if place == title_column(columns):
        return unreadable_title()
    return unreadable_reason(record) if columns[place].fills else ""


def title_column(columns: Sequence[EventColumn]) -> int:
    """The column that tells what a row is."""
    return next((place for place, column in enumerate(columns) if column.name == "type"), 0)


# Looking an enumeration up for every cell and role would double the time of a repaint.
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HORIZONTAL = Qt.Orientation.Horizontal
_ROOT = QModelIndex()
# Rows whose heights add up to no more than a view can count.
MOST_ROWS = (2**31 - 1) // 64

Index = QModelIndex | QPersistentModelIndex


class EventModel(QAbstractTableModel):
    """Rows of events, some of which may not be here yet; a source subclasses it."""

    def __init__(self, columns: Sequence[EventColumn], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)

    def event_at(self, row: int) -> Event | None:
        """The event in ``row``, None while it is still on its way."""
        raise NotImplementedError

    def unreadable_at(self, _row: int) -> Unreadable | None:
        """What came for a row and is no event."""
        return None

    def record_at(self, row: int) -> Record | None:
        """What came for a row, an event or not, None while it is on its way."""
        return self.event_at(row) or self.unreadable_at(row)

    def mark_of(self, _event: Event) -> int | None:
        """The place among the tones of marks that a row is painted in, None for none."""
        return None

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """One column for each definition."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """Text and tooltip; all else is the delegate's."""
        if role == _DISPLAY:
            event = self.event_at(index.row())
            if event is None:
                unreadable = self.unreadable_at(index.row())
                return "" if unreadable is None else unreadable_cell(unreadable, self.columns, index.column())
            return self.columns[index.column()].text(event)
        if role == _TOOLTIP:
            event = self.event_at(index.row())
            if event is None:
                unreadable = self.unreadable_at(index.row())
                return None if unreadable is None else unreadable_text(unreadable)
            return self.columns[index.column()].tooltip(event) or None
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        """The titles of the columns, set as their content is."""
        if orientation != _HORIZONTAL:
            return None
        if role == _ALIGNMENT:
            return _RIGHT if self.columns[section].figures else None
        return self.columns[section].title if role == _DISPLAY else None
