"""The table model over the live feed: rows come at the end and leave at the front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal

from cdb_desktop.client import Event
from cdb_desktop.live.feed import Feed
from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.widgets.event_table.columns import feed_columns
from cdb_desktop.ui.widgets.event_table.marks import Marks
from cdb_desktop.ui.widgets.event_table.model import EventModel, Index

_ROOT = QModelIndex()
_STEP = 2_000  # events that leave at once where the user wants a smaller feed


class FeedModel(EventModel):
    """The shown rows of a bounded feed; the feed is changed through the model only.

    Signals: ``leaving`` when events are about to leave it because it is bounded, with a function that gives
    them, oldest first.
    """

    leaving = Signal(object)

    def __init__(self, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(feed_columns(), parent)
        self.feed = feed
        self._marks = Marks({})

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The events that are remembered and shown."""
        return 0 if parent.isValid() else len(self.feed)

    def event_at(self, row: int) -> Event:
        """The event in ``row``; all are here."""
        return self.feed[row]

    def mark_of(self, event: Event) -> int | None:
        """What the user's rules say of an event, as far as a short record tells (wire §3)."""
        return self._marks.of(event)

    def show_marks(self, texts: Mapping[str, str]) -> None:
        """Other rules are in force, for what is here as for what comes."""
        self._marks = Marks(texts)
        if len(self.feed):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.feed) - 1, len(self.columns) - 1))

    def forget_ids(self) -> None:
        """From now on ids mean other events than before."""
        self.feed.forget_ids()
        self._marks = Marks(self._marks.texts)

    def append(self, events: Sequence[Event]) -> int:
        """Adds unknown events at the end with one change of rows, after making room at the front.

        Gives how many of them are shown.
        """
        self._let_go(self.feed.surplus(len(events)))
        shown = self.feed.shown(events)
        if shown:
            rows = len(self.feed)
            self.beginInsertRows(_ROOT, rows, rows + len(shown) - 1)
            self.feed.append(events, shown)
            self.endInsertRows()
        else:
            self.feed.append(events, shown)
        # How many bytes they take is known now.
        self._let_go(self.feed.surplus(0))
        return len(shown)

    def shrink(self) -> bool:
        """Lets some of the oldest go where there are more than the feed may keep; whether there were."""
        surplus = min(self.feed.surplus(0), _STEP)
        self._let_go(surplus)
        return surplus > 0

    def set_filter(self, choice: FeedFilter) -> None:
        """Shows other events of those that there are."""
        self.beginResetModel()
        self.feed.set_filter(choice)
        self.endResetModel()

    def clear(self) -> None:
        """Shows only what comes from now on."""
        self.beginResetModel()
        self.feed.clear()
        self.endResetModel()

    def restore_cleared(self) -> None:
        """Shows again what was cleared away."""
        self.beginResetModel()
        self.feed.restore_cleared()
        self.endResetModel()

    def retranslate(self) -> None:
        """Fetches the titles of the columns in the language of now."""
        self.columns = feed_columns()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    def _let_go(self, leaving: int) -> None:
        if not leaving:
            return
        self.leaving.emit(partial(self.feed.oldest, leaving))
        rows = self.feed.row_from(self.feed.removed + leaving)
        if not rows:
            self.feed.remove_oldest(leaving)
            return
        self.beginRemoveRows(_ROOT, 0, rows - 1)
        self.feed.remove_oldest(leaving)
        self.endRemoveRows()
