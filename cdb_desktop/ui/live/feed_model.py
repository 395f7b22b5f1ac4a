"""The table model of a feed: events arrive at the end and are removed at the front."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, QTimer, Signal

from cdb_desktop.client import Event
from cdb_desktop.events.result import EventCache
from cdb_desktop.live.feed import Feed
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.widgets.event_table.columns import feed_columns
from cdb_desktop.ui.widgets.event_table.model import EventModel, Index, Marks

_ROOT = QModelIndex()
_INSERT_INTERVAL = 50  # milliseconds between two insertions of rows
_RUSH_INTERVAL = 10  # the same while more is waiting than is inserted at once
_INSERTED_AT_ONCE = 2_000  # events
_TESTING_NEW = 0.005  # seconds of testing new events, in each of several feeds
_TESTING = 0.01  # seconds of testing earlier events for another filter
_REMOVED_AT_ONCE = 2_000  # events, if the user has chosen a smaller capacity


class FeedModel(EventModel):
    """The shown rows of a bounded feed; only the model changes the feed.

    Signals: ``inserted`` with the number of new rows · ``removing`` before events are removed because the
    feed is bounded, with a function that returns them, oldest first · ``tested`` when earlier events were
    tested for another filter.
    """

    inserted = Signal(int)
    removing = Signal(object)
    tested = Signal()

    def __init__(self, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(feed_columns(), parent)
        self.feed = feed
        self._details = EventCache()
        self._marks = Marks({})
        self._waiting: list[Event] = []
        self._inserted = 0  # of the waiting ones, which are not copied with each insertion
        self._timer = QTimer(self, singleShot=True, interval=_INSERT_INTERVAL)
        self._timer.timeout.connect(self._insert_waiting)
        self._test_timer = QTimer(self, singleShot=True, interval=_RUSH_INTERVAL)
        self._test_timer.timeout.connect(self._insert_earlier)
        self._test_timer.start()

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

    def show_marks(self, queries: Mapping[str, Query]) -> None:
        """Changes the rules for color marks."""
        self._marks = Marks(queries)
        if len(self.feed):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.feed) - 1, len(self.columns) - 1))

    def forget_ids(self) -> None:
        """Forgets the known ids, which mean other events in another log."""
        self.feed.forget_ids()
        self._details = EventCache()
        self._marks = Marks(self._marks.queries)

    def add(self, events: Iterable[Event]) -> None:
        """Adds received events, oldest first, except for known ones.

        They are inserted at once, or collected for 50 ms if others have just been inserted.
        """
        self._waiting.extend(self.feed.take_unknown(events))
        if not self._timer.isActive():
            self._insert_waiting()

    def append(self, events: Sequence[Event], seconds: float = math.inf) -> tuple[int, int]:
        """Inserts unknown events and removes the oldest ones where needed.

        Returns the number of new rows, and that of the events, which is smaller than that of ``events`` if to
        test all for the filter would have taken longer than ``seconds``.
        """
        shown = self.feed.shown(events, seconds)
        events = events[: len(shown)]
        self._remove_oldest(self.feed.surplus(len(events)))
        number = sum(shown)
        if number:
            rows = len(self.feed)
            self.beginInsertRows(_ROOT, rows, rows + number - 1)
            self.feed.append(events, shown)
            self.endInsertRows()
        else:
            self.feed.append(events, shown)
        # Their size in memory is known only now.
        self._remove_oldest(self.feed.surplus(0))
        return number, len(events)

    def shrink(self) -> bool:
        """Removes some of the oldest events if there are more than the feed may keep; whether there were."""
        surplus = min(self.feed.surplus(0), _REMOVED_AT_ONCE)
        self._remove_oldest(surplus)
        return surplus > 0

    def set_filter(self, chosen: Query) -> None:
        """Changes the filter."""
        self.beginResetModel()
        self.feed.set_filter(chosen)
        self.feed.prepend(self.feed.earlier_rows(_TESTING))
        self.endResetModel()
        self._test_timer.start()

    def clear(self) -> None:
        """Shows only events received from now on."""
        self.beginResetModel()
        self.feed.clear()
        self.endResetModel()

    def restore_cleared(self) -> None:
        """Shows again what was cleared."""
        self.beginResetModel()
        self.feed.restore_cleared()
        self.feed.prepend(self.feed.earlier_rows(_TESTING))
        self.endResetModel()
        self._test_timer.start()

    def _insert_waiting(self) -> None:
        events = self._waiting[self._inserted : self._inserted + _INSERTED_AT_ONCE]
        if not events:
            return
        rows, inserted = self.append(events, _TESTING_NEW)
        self._inserted += inserted
        if self._inserted == len(self._waiting):
            self._waiting, self._inserted = [], 0
        self.inserted.emit(rows)
        self._timer.start(_RUSH_INTERVAL if self._waiting else _INSERT_INTERVAL)

    def _insert_earlier(self) -> None:
        """Inserts rows of earlier events that have been tested for the filter."""
        if not self.feed.untested:
            return
        numbers = self.feed.earlier_rows(_TESTING)
        if numbers:
            self.beginInsertRows(_ROOT, 0, len(numbers) - 1)
            self.feed.prepend(numbers)
            self.endInsertRows()
        self.tested.emit()
        self._test_timer.start()

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
