"""Table model of events and of records that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.foundation.i18n import tr, visible
from cdb_desktop.ui.widgets.event_table.columns import EventColumn

# Looking up enumerations for every cell and role would double the time of a repaint.
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HORIZONTAL = Qt.Orientation.Horizontal
_ROOT = QModelIndex()
# Their heights must fit into the int of a view.
MOST_ROWS = (2**31 - 1) // 64
Index = QModelIndex | QPersistentModelIndex


def unreadable_title() -> str:
    """The text in place of the type."""
    return tr("Unreadable record")


def unreadable_reason(record: Unreadable) -> str:
    """Why the record cannot be read."""
    return {
        "not_object": tr("It is not a JSON object."),
        "no_id": tr("It has no _id."),
        "id_not_integer": tr("Its _id is not a whole number."),
        "id_too_large": tr("Its _id is larger than 64 bits."),
        "too_deep": tr("Its values are nested too deeply."),
        "too_large": tr("It is too large for this program."),
    }[record.reason]


def unreadable_text(record: Unreadable) -> str:
    """The tooltip of the row."""
    return tr("This record could not be read: {reason}", reason=unreadable_reason(record))


def unreadable_cell(record: Unreadable, columns: Sequence[EventColumn], place: int) -> str:
    """The text of a cell: the title in the column of the type, the reason in the one that fills the row."""
    if place == title_column(columns):
        return unreadable_title()
    return unreadable_reason(record) if columns[place].fills else ""


def title_column(columns: Sequence[EventColumn]) -> int:
    """The index of the column for the title of unreadable records: that of the type."""
    return next((place for place, column in enumerate(columns) if column.name == "type"), 0)


class EventModel(QAbstractTableModel):
    """Rows of events, some of which may not be loaded yet. Base of the models with a source."""

    def __init__(self, columns: Sequence[EventColumn], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)

    def event_at(self, row: int) -> Event | None:
        """The event in ``row``, None if it is not loaded or not readable."""
        raise NotImplementedError

    def unreadable_at(self, _row: int) -> Unreadable | None:
        """The unreadable record in a row, or None."""
        return None

    def record_at(self, row: int) -> Record | None:
        """The event or unreadable record in ``row``, None while it is not loaded."""
        return self.event_at(row) or self.unreadable_at(row)

    def mark_of(self, _event: Event) -> int | None:
        """The index in `TONES` of the mark of an event, None for none."""
        return None

    @property
    def has_matches(self) -> bool:
        """Whether displayed texts may show what was searched for."""
        return False

    def matches_in(self, _text: str, _event_type: str = "") -> Sequence[tuple[int, int]]:
        """The ranges of a displayed text that show what was searched for."""
        return ()

    @property
    def has_notes(self) -> bool:
        """Whether rows may have notes below them."""
        return False

    def note_below(self, _row: int) -> str:
        """A note that is shown in a line below a row, such as about missing ids; empty for none."""
        return ""

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """Text and tooltip."""
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
            return visible(self.columns[index.column()].tooltip(event) or "") or None
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        """Titles, aligned like the content of their columns."""
        if orientation != _HORIZONTAL:
            return None
        if role == _ALIGNMENT:
            return _RIGHT if self.columns[section].figures else None
        return self.columns[section].title if role == _DISPLAY else None
