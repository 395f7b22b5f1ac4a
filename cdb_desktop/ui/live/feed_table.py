"""The table of the feed: stays with its end until somebody scrolls away, and then nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QWidget

from cdb_desktop.live.feed_filter import FeedFilter
from cdb_desktop.ui.live.divider import Divider, paint_divider
from cdb_desktop.ui.live.dividers import Dividers
from cdb_desktop.ui.live.model import FeedModel
from cdb_desktop.ui.live.place import Place
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.table import EventTable

_KEEP = QItemSelectionModel.SelectionFlag.NoUpdate
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class FeedTable(EventTable):
    """Follows the newest event, or holds still and counts what has come since.

    Signals: ``following_changed`` with whether it follows.
    """

    following_changed = Signal(bool)
    is_following = True
    _is_settling = False  # scroll bars move by themselves while rows and sizes change

    def __init__(self, model: FeedModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self._feed = model
        self._held_at = 0
        self._top = 0  # the row at the top before rows leave
        self._held_since = datetime.now().astimezone()
        self.dividers = Dividers(model.feed)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        model.rowsRemoved.connect(self._keep_place)

    @property
    def unseen(self) -> int:
        """The rows that have come since the table holds still."""
        if self.is_following:
            return 0
        return self._feed.rowCount() - self._feed.feed.row_from(self._held_at)

    def follow(self) -> None:
        """Goes to the newest event and stays with the end."""
        self._set_following(True)
        self.updateGeometries()

    def hold(self) -> None:
        """Stands still from now on."""
        self._set_following(False)

    def set_filter(self, choice: FeedFilter) -> None:
        """Shows other events; place and selection stay with the events that are still shown."""
        self._change(Place.of(self), lambda: self._feed.set_filter(choice))

    def restore_cleared(self) -> None:
        """Shows again what was cleared away, above what came since."""
        self._change(Place.of(self), self._feed.restore_cleared)

    def rowsAboutToBeRemoved(  # noqa: N802
        self, parent: QModelIndex | QPersistentModelIndex, start: int, end: int
    ) -> None:
        """The current row goes with its event: by itself Qt makes another one current and scrolls to it."""
        self._top = self.verticalScrollBar().value()
        if start <= self.currentIndex().row() <= end:
            self.selectionModel().setCurrentIndex(QModelIndex(), _KEEP)
        super().rowsAboutToBeRemoved(parent, start, end)

    def updateGeometries(self) -> None:  # noqa: N802
        """Every change of rows and sizes ends here: whoever follows stays at the end."""
        settling, self._is_settling = self._is_settling, True
        super().updateGeometries()
        if self.is_following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())
        self._is_settling = settling

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """End and Escape lead to the newest event, Home to the oldest; the selection stays."""
        is_plain = event.modifiers() in _PLAIN
        if is_plain and event.key() == Qt.Key.Key_Home:
            self.verticalScrollBar().setValue(0)
        elif is_plain and (event.key() == Qt.Key.Key_End or self._is_way_back(event)):
            self.follow()
        else:
            super().keyPressEvent(event)

    def mark(self, moment: datetime) -> None:
        """A line below what has come by ``moment``."""
        self.dividers.mark(moment)
        self.viewport().update()

    def take_marks(self, other: FeedTable) -> None:
        """Has the lines of another feed with the same events."""
        self.dividers.take(other.dividers)

    def look_away(self) -> None:
        """Who looks at the feed again finds a line above what has come since."""
        self.dividers.look_away(self._feed.feed.end, datetime.now().astimezone())
        self.viewport().update()

    def go_to_mark(self, way: int) -> None:
        """To the next marked moment, downwards where the ``way`` is 1, else upwards; it holds still there."""
        row = self.dividers.next_row(self.verticalScrollBar().value() + 1, way)
        if row is not None:
            self.hold()
            self._scroll_to(row - 1)  # with what came before it in sight

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The rows, and lines above those that have come since the table holds still, or since a mark."""
        super().paintEvent(event)
        held = None if self.is_following else Divider(self._held_at)
        for divider in (*self.dividers, *([held] if held else [])):
            paint_divider(self, self._feed.feed, divider, self._appearance.tokens)

    def _is_way_back(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and not self.is_following

    def _scrolled(self, value: int) -> None:
        if not self._is_settling:
            self._set_following(value >= self.verticalScrollBar().maximum())

    def _set_following(self, following: bool) -> None:
        if following == self.is_following:
            return
        if following and self.unseen:
            # Who goes to the end at once wants to find where they stopped.
            self.dividers.look_away(self._held_at, self._held_since)
        self.is_following, self._held_since = following, datetime.now().astimezone()
        self._held_at = self._feed.feed.end
        self.viewport().update()
        self.following_changed.emit(following)

    def _keep_place(self, _parent: QModelIndex, first: int, last: int) -> None:
        # Rows leave at the front: the ones in sight have lower numbers now. The bar may have moved already,
        # where there are fewer rows now than it stood at.
        if not self.is_following:
            self._scroll_to(self._top - (last - first + 1))

    def _change(self, place: Place, change: Callable[[], None]) -> None:
        self._is_settling = True
        change()
        self.updateGeometries()
        place.select(self)
        self._is_settling = False
        if not self.is_following:
            self._scroll_to(place.row(self._feed.feed))

    def _scroll_to(self, row: int) -> None:
        self._is_settling = True
        self.verticalScrollBar().setValue(max(0, row))
        self._is_settling = False
