"""The table model of a feed: events arrive at the end and are removed at the front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Signal

from cdb_desktop.client import Event
from cdb_desktop.events.event_cache import EventCache
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.widgets.event_table.columns import feed_columns
from cdb_desktop.ui.widgets.event_table.marks import Marks
from cdb_desktop.ui.widgets.event_table.model import EventModel, Index

_ROOT = QModelIndex()
_INSERT_INTERVAL = 50  # milliseconds between two insertions of rows
_RUSH_INTERVAL = 10  # the same while more is waiting than is inserted at once
_INSERTED_AT_ONCE = 2_000  # events
_REMOVED_AT_ONCE = 2_000  # events, if the user has chosen a smaller capacity


class FeedModel(EventModel):
    """The shown rows of a bounded feed; only the model changes the feed.

    Signals: ``inserted`` with the number of new rows · ``removing`` before events are removed because the
    feed is bounded, with a function that returns them, oldest first.
    """

    inserted = Signal(int)
    removing = Signal(object)

    def __init__(self, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(feed_columns(), parent)
        self.feed = feed
        self._details = EventCache()
        self._marks = Marks({})
        self._waiting: list[Event] = []
        self._inserted = 0  # of the waiting ones, which are not copied with each insertion
        self._timer = QTimer(self, singleShot=True, interval=_INSERT_INTERVAL)
        self._timer.timeout.connect(self._insert_waiting)

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The number of shown events."""
        return 0 if parent.isValid() else len(self.feed)

    def event_at(self, row: int) -> Event:
        """The event in ``row`` as it was polled; all are loaded."""
        return self.feed[row]

    def record_at(self, row: int) -> Event:
        """The event as it is painted: the whole record if it was fetched."""
        return self._details.whole(self.feed[row])

    def show_details(self, events: Iterable[Event]) -> None:
        """Shows whole records in place of polled ones."""
        self._details.add(events)
        if len(self.feed):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.feed) - 1, len(self.columns) - 1))

    def mark_of(self, event: Event) -> int | None:
        """The color mark of an event, as far as its short record shows it (wire §3)."""
        return self._marks.of(event)

    def show_marks(self, texts: Mapping[str, str]) -> None:
        """Changes the rules for color marks."""
        self._marks = Marks(texts)
        if len(self.feed):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.feed) - 1, len(self.columns) - 1))

    def forget_ids(self) -> None:
        """Forgets the known ids, which mean other events in another log."""
        self.feed.forget_ids()
        self._details = EventCache()
        self._marks = Marks(self._marks.texts)

    def add(self, events: Iterable[Event]) -> None:
        """Adds received events, oldest first, except for known ones.

        They are inserted at once, or collected for 50 ms if others have just been inserted.
        """
        self._waiting.extend(self.feed.take_unknown(events))
        if not self._timer.isActive():
            self._insert_waiting()

    def append(self, events: Sequence[Event]) -> int:
        """Inserts unknown events and removes the oldest ones where needed; the number of new rows."""
        self._remove_oldest(self.feed.surplus(len(events)))
        shown = self.feed.shown(events)
        if shown:
            rows = len(self.feed)
            self.beginInsertRows(_ROOT, rows, rows + len(shown) - 1)
            self.feed.append(events, shown)
            self.endInsertRows()
        else:
            self.feed.append(events, shown)
        # Their size in memory is known only now.
        self._remove_oldest(self.feed.surplus(0))
        return len(shown)

    def shrink(self) -> bool:
        """Removes some of the oldest events if there are more than the feed may keep; whether there were."""
        surplus = min(self.feed.surplus(0), _REMOVED_AT_ONCE)
        self._remove_oldest(surplus)
        return surplus > 0

    def set_filter(self, chosen: FeedFilter) -> None:
        """Changes the filter."""
        self.beginResetModel()
        self.feed.set_filter(chosen)
        self.endResetModel()

    def clear(self) -> None:
        """Shows only events received from now on."""
        self.beginResetModel()
        self.feed.clear()
        self.endResetModel()

    def restore_cleared(self) -> None:
        """Shows again what was cleared."""
        self.beginResetModel()
        self.feed.restore_cleared()
        self.endResetModel()

    def retranslate(self) -> None:
        """Translates the column titles again."""
        self.columns = feed_columns()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def _insert_waiting(self) -> None:
        events = self._waiting[self._inserted : self._inserted + _INSERTED_AT_ONCE]
        if not events:
            return
        self._inserted += len(events)
        if self._inserted == len(self._waiting):
            self._waiting, self._inserted = [], 0
        self.inserted.emit(self.append(events))
        self._timer.start(_RUSH_INTERVAL if self._waiting else _INSERT_INTERVAL)

    def _remove_oldest(self, number: int) -> None:
        if not number:
            return
        self.removing.emit(partial(self.feed.oldest, number))
        rows = self.feed.row_from(self.feed.removed + number)
        if not rows:
            self.feed.remove_oldest(number)
            return
        self.beginRemoveRows(_ROOT, 0, rows - 1)
        self.feed.remove_oldest(number)
        self.endRemoveRows()
