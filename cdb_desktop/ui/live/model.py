"""The table model over the live feed: rows come at the end and leave at the front."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject

from cdb_desktop.client import Event
from cdb_desktop.live.feed import Feed
from cdb_desktop.ui.widgets.event_columns import feed_columns
from cdb_desktop.ui.widgets.event_model import EventModel, Index

_ROOT = QModelIndex()


class FeedModel(EventModel):
    """Rows of a bounded feed."""

    def __init__(self, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(feed_columns(), parent)
        self._feed = feed

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The events that are still remembered."""
        return 0 if parent.isValid() else len(self._feed)

    def event_at(self, row: int) -> Event:
        """The event in ``row``; all are here."""
        return self._feed[row]

    def append(self, events: Sequence[Event]) -> None:
        """Adds events at the end with one change of rows, after making room at the front."""
        surplus = self._feed.surplus(len(events))
        if surplus:
            self.beginRemoveRows(_ROOT, 0, surplus - 1)
            self._feed.forget(surplus)
            self.endRemoveRows()
        if events:
            self.beginInsertRows(_ROOT, len(self._feed), len(self._feed) + len(events) - 1)
            self._feed.append(events)
            self.endInsertRows()
