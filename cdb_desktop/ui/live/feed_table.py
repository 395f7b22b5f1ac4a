"""The table of a feed: follows the newest event until the user scrolls away; then nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QTableView, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.live.feed import Feed
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live.feed_model import FeedModel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import CAPTION, GAP, scaled
from cdb_desktop.ui.theme.tokens import Tokens
from cdb_desktop.ui.widgets.event_table.table import EventTable, joined, rows_of, selected_ranges
from cdb_desktop.vocabulary.times import clock_time

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
            tuple(feed.number(row) for row in islice(rows_of(selected_ranges(table)), _MOST_RESTORED)),
        )

    def restore_selection(self, table: QTableView, feed: Feed) -> None:
        """Selects the same events again, as far as they are shown."""
        model, chosen = table.model(), QItemSelection()
        last = model.columnCount() - 1
        # Selecting rows one by one would take long.
        for first, end in joined((row, row) for row in _rows(feed, self.selected)):
            chosen.select(model.index(first, 0), model.index(end, last))
        selection = table.selectionModel()
        for row in _rows(feed, () if self.current is None else (self.current,)):
            selection.setCurrentIndex(model.index(row, 0), _NO_UPDATE)
        selection.select(chosen, _SELECT)


def _rows(feed: Feed, numbers: tuple[int, ...]) -> Iterator[int]:
    for number in numbers:
        row = feed.row_from(number)
        if row < len(feed) and feed.number(row) == number:
            yield row


_MOST_MARKS = 100
_LINE = 2


class Divider(msgspec.Struct, frozen=True):
    """A line above the event with this ``number``, with the time of ``moment`` at its end.

    A mark of the user is shown even if no rows follow; ``name`` is what the user has called it, or empty.
    """

    number: int
    moment: datetime | None = None
    is_mark: bool = False
    name: str = ""


class Dividers:
    """The dividers of a feed: marks, until their rows are removed, and the one of the last look."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._last_look: Divider | None = None
        self.marks: tuple[Divider, ...] = ()  # the marks, oldest first

    def __iter__(self) -> Iterator[Divider]:
        if self._last_look is not None:
            yield self._last_look
        yield from self.marks

    def mark(self, moment: datetime) -> None:
        """Adds a mark after the newest event; one that is there already gives it its name."""
        name = next((one.name for one in self.marks if one.number == self._feed.end), "")
        new = Divider(self._feed.end, moment, is_mark=True, name=name)
        before = [one for one in self.marks if self._feed.removed <= one.number != new.number]
        self.marks = (*before, new)[-_MOST_MARKS:]

    def name_mark(self, moment: datetime, name: str) -> None:
        """Names the mark of a moment; a name that it has from an earlier mark at its place is kept."""
        self.marks = tuple(
            replace(one, name=", ".join(filter(None, (one.name, name)))) if one.moment == moment else one
            for one in self.marks
        )

    def set_last_look(self, number: int, moment: datetime) -> None:
        """The user has not seen events from ``number`` on, which are new since ``moment``."""
        self._last_look = Divider(number, moment)

    def copy_from(self, other: Dividers) -> None:
        """Takes the dividers of another feed with the same events."""
        self._last_look, self.marks = other._last_look, other.marks

    def next_row(self, row: int, direction: int) -> int | None:
        """The row below the next mark from ``row``, in the ``direction`` 1 (down) or -1 (up)."""
        rows = sorted(
            {self._feed.row_from(one.number) for one in self.marks if one.number >= self._feed.removed}
        )
        found = [one for one in rows if (one - row) * direction > 0]
        return found[0 if direction > 0 else -1] if found else None


def paint_divider(table: QTableView, feed: Feed, divider: Divider, tokens: Tokens) -> None:
    """Paints a divider over the rows of a table if it is in view."""
    row, rows = feed.row_from(divider.number), len(feed)
    if not rows or (row == rows and not divider.is_mark) or divider.number < feed.removed:
        return
    last = min(row, rows - 1)
    top = table.rowViewportPosition(last) + (table.rowHeight(last) if row == rows else 0)
    viewport = table.viewport()
    if not 0 <= top <= viewport.height():
        return
    with QPainter(viewport) as painter:
        painter.fillRect(0, top - _LINE // 2, viewport.width(), _LINE, QColor(tokens.accent))
        if divider.moment is not None:
            painter.setFont(scaled(table.font(), CAPTION))
            metrics, half = painter.fontMetrics(), viewport.width() // 2
            text = metrics.elidedText(_label_text(divider, divider.moment), Qt.TextElideMode.ElideRight, half)
            # As high as digits, so that it is between the texts of the rows.
            width, height = metrics.horizontalAdvance(text) + GAP, metrics.ascent()
            upper = max(0, min(top - height // 2, viewport.height() - height))
            rect = QRect(viewport.width() - width, upper, width, height)
            painter.fillRect(rect, QColor(tokens.accent))
            painter.setPen(QColor(tokens.ground))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _label_text(divider: Divider, moment: datetime) -> str:
    time = clock_time(moment)
    if divider.name:
        return f"{divider.name} · {time}"
    return tr("marked at {time}", time=time) if divider.is_mark else tr("new since {time}", time=time)
