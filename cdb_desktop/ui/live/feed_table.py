"""The table of a feed: follows the newest event until the user scrolls away; then nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice

import msgspec
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QTableView, QWidget

from cdb_desktop.live.feed import Feed
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live.dividers import Divider, Dividers, paint_divider
from cdb_desktop.ui.live.feed_model import FeedModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.table import EventTable

_MOST_RESTORED = 1_000  # selected rows
_NO_UPDATE = QItemSelectionModel.SelectionFlag.NoUpdate
_SELECT = QItemSelectionModel.SelectionFlag.Select
_NO_MODIFIERS = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class FeedTable(EventTable):
    """Follows the newest event, or is paused and counts the new ones.

    Signals: ``following_changed`` with whether it follows.
    """

    following_changed = Signal(bool)
    is_following = True
    _is_adjusting = False  # scroll bars change their values while rows and sizes change

    def __init__(self, model: FeedModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self._feed = model
        self._paused_at = 0  # the number of the first new event
        self._paused_since = datetime.now().astimezone()
        self._top_row = 0  # before rows are removed
        self._top_event: int | None = None  # the number of that at the top while earlier ones are tested
        self.dividers = Dividers(model.feed)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        model.rowsRemoved.connect(self._keep_position)
        model.rowsInserted.connect(self._keep_event)

    @property
    def unseen(self) -> int:
        """The number of new rows while the table is paused."""
        if self.is_following:
            return 0
        return self._feed.rowCount() - self._feed.feed.row_from(self._paused_at)

    def follow(self) -> None:
        """Scrolls to the newest event and stays at the end."""
        self._set_following(True)
        self.updateGeometries()

    def pause(self) -> None:
        """Stops following."""
        self._set_following(False)

    def set_filter(self, chosen: Query) -> None:
        """Changes the filter; position and selection stay with events that are still shown."""
        self._keeping_position(lambda: self._feed.set_filter(chosen))

    def restore_cleared(self) -> None:
        """Shows again what was cleared, above what came since."""
        self._keeping_position(self._feed.restore_cleared)

    def rowsAboutToBeRemoved(  # noqa: N802
        self, parent: QModelIndex | QPersistentModelIndex, start: int, end: int
    ) -> None:
        """Clears a current row that is removed: Qt would make another one current and scroll to it."""
        self._top_row = self.verticalScrollBar().value()
        if start <= self.currentIndex().row() <= end:
            self.selectionModel().setCurrentIndex(QModelIndex(), _NO_UPDATE)
        super().rowsAboutToBeRemoved(parent, start, end)

    def updateGeometries(self) -> None:  # noqa: N802
        """Stays at the end while following; Qt calls this after all changes of rows and sizes."""
        was_adjusting, self._is_adjusting = self._is_adjusting, True
        super().updateGeometries()
        if self.is_following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())
        self._is_adjusting = was_adjusting

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """End and Escape go to the newest event, Home to the oldest, without changing the selection."""
        is_plain = event.modifiers() in _NO_MODIFIERS
        is_escape = event.key() == Qt.Key.Key_Escape and not self.is_following
        if is_plain and event.key() == Qt.Key.Key_Home:
            self.verticalScrollBar().setValue(0)
        elif is_plain and (event.key() == Qt.Key.Key_End or is_escape):
            self.follow()
        else:
            super().keyPressEvent(event)

    def mark(self, moment: datetime) -> None:
        """Adds a mark after the newest event."""
        self.dividers.mark(moment)
        self.viewport().update()

    def name_mark(self, moment: datetime, name: str) -> None:
        """Names the mark of a moment."""
        self.dividers.name_mark(moment, name)
        self.viewport().update()

    def set_last_look(self) -> None:
        """Divides the events up to now, which the user has seen, from later ones."""
        self.dividers.set_last_look(self._feed.feed.end, datetime.now().astimezone())
        self.viewport().update()

    def go_to_mark(self, direction: int) -> None:
        """Scrolls to the next mark, downwards if the ``direction`` is 1, upwards if it is -1, and pauses."""
        row = self.dividers.next_row(self.verticalScrollBar().value() + 1, direction)
        if row is not None:
            self.pause()
            self._scroll_to(row - 1)  # with the row before it in view

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paints the rows and the dividers."""
        super().paintEvent(event)
        paused = () if self.is_following else (Divider(self._paused_at),)
        for divider in (*self.dividers, *paused):
            paint_divider(self, self._feed.feed, divider, self._appearance.tokens)

    def _on_scrolled(self, value: int) -> None:
        if not self._is_adjusting:
            self._set_following(value >= self.verticalScrollBar().maximum())

    def _set_following(self, following: bool) -> None:
        if following == self.is_following:
            return
        if following and self.unseen:
            self.dividers.set_last_look(self._paused_at, self._paused_since)
        self.is_following, self._paused_since = following, datetime.now().astimezone()
        self._paused_at = self._feed.feed.end
        self.viewport().update()
        self.following_changed.emit(following)

    def _keep_position(self, _parent: QModelIndex, first: int, last: int) -> None:
        # Rows are removed at the front, so that those in view have lower numbers. The scroll bar may have
        # moved already if there are fewer rows than its value.
        if not self.is_following:
            self._scroll_to(self._top_row - (last - first + 1))

    def _keep_event(self, _parent: QModelIndex, first: int, last: int) -> None:
        # Earlier events are inserted at the front when they have been tested for another filter.
        if first or self.is_following:
            return
        feed = self._feed.feed
        if self._top_event is None:
            was_empty = last + 1 == self._feed.rowCount()  # a burst may replace all rows
            self._scroll_to(0 if was_empty else self.verticalScrollBar().value() + last + 1)
        else:
            self._scroll_to(feed.row_from(self._top_event))
        if not feed.untested:
            self._top_event = None

    def _keeping_position(self, change: Callable[[], None]) -> None:
        state = FeedScrollState.of(self, self._feed.feed)
        self._is_adjusting = True
        change()
        self.updateGeometries()
        state.restore_selection(self, self._feed.feed)
        self._is_adjusting = False
        if not self.is_following:
            self._scroll_to(self._feed.feed.row_from(state.top))
            self._top_event = state.top if self._feed.feed.untested else None

    def _scroll_to(self, row: int) -> None:
        self._is_adjusting = True
        self.verticalScrollBar().setValue(max(0, row))
        self._is_adjusting = False


class FeedScrollState(msgspec.Struct, frozen=True):
    """The numbers of the event at the top, of the current one, and of the selected ones."""

    top: int
    current: int | None
    selected: tuple[int, ...]

    @classmethod
    def of(cls, table: QTableView, feed: Feed) -> FeedScrollState:
        """The state of a table that shows ``feed``."""
        top, current = table.verticalScrollBar().value(), table.currentIndex().row()
        return cls(
            feed.number(top) if top < len(feed) else feed.end,
            feed.number(current) if current >= 0 else None,
            tuple(feed.number(row) for row in islice(selected_rows(table), _MOST_RESTORED)),
        )

    def restore_selection(self, table: QTableView, feed: Feed) -> None:
        """Selects the same events again, as far as they are shown."""
        model, chosen = table.model(), QItemSelection()
        last = model.columnCount() - 1
        for first, end in _ranges(_rows(feed, self.selected)):
            chosen.select(model.index(first, 0), model.index(end, last))
        selection = table.selectionModel()
        for row in _rows(feed, () if self.current is None else (self.current,)):
            selection.setCurrentIndex(model.index(row, 0), _NO_UPDATE)
        selection.select(chosen, _SELECT)


def selected_rows(table: QTableView) -> Iterator[int]:
    """The selected rows from the top; asking Qt for them one by one would take seconds."""
    selection = table.selectionModel().selection()
    ranges = [(one.top(), one.bottom()) for one in map(selection.at, range(selection.count()))]
    reached = -1
    for top, bottom in sorted(ranges):
        yield from range(max(top, reached + 1), bottom + 1)
        reached = max(reached, bottom)


def _rows(feed: Feed, numbers: tuple[int, ...]) -> Iterator[int]:
    for number in numbers:
        row = feed.row_from(number)
        if row < len(feed) and feed.number(row) == number:
            yield row


def _ranges(rows: Iterator[int]) -> Iterator[tuple[int, int]]:
    """The first and last of consecutive rows; selecting them one by one would take long."""
    first = end = -1
    for row in rows:
        if row != end + 1 or first < 0:
            if first >= 0:
                yield first, end
            first = row
        end = row
    if first >= 0:
        yield first, end
