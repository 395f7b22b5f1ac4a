"""Builders of events and models for the tests."""

from datetime import UTC, datetime

from PySide6.QtCore import QModelIndex, Qt

from cdb_desktop.client import Event
from cdb_desktop.ui.widgets.event_table.columns import browser_columns
from cdb_desktop.ui.widgets.event_table.model import EventModel, Index

_TYPES = (
    "OBJECT_UPDATE",
    "SEARCH",
    "OBJECT_DELETE",
    "USER_LOGIN",
    "EXPORT_FINISH",
    "WEBHOOK_ERROR",
    "OBJECT_INDEX",
)
_ROOT = QModelIndex()


def event(event_id: int) -> Event:
    """An event with a value for every column."""
    return Event(
        id=event_id,
        type=_TYPES[event_id % len(_TYPES)],
        timestamp=datetime(2026, 1, 2, 3, 4, event_id % 60, tzinfo=UTC),
        user_displayname="Anna Weber",
        objecttype="work",
        object_id=event_id,
        object_version=3,
    )


class EndlessModel(EventModel):
    """A model of any number of rows, created on access; every tenth row is not loaded."""

    def __init__(self, rows: int) -> None:
        super().__init__(browser_columns())
        self._rows = rows
        self.flag_calls = 0

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Counts the calls of a view."""
        self.flag_calls += 1
        return super().flags(index)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The number of rows."""
        return 0 if parent.isValid() else self._rows

    def event_at(self, row: int) -> Event | None:
        """The event of a row."""
        return None if row % 10 == 9 else event(row)
