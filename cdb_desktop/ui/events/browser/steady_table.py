"""A table of events that moves sideways only when somebody wants it to, and in which columns can stay."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QWidget

from cdb_desktop.ui.events.browser.pinned_columns import PinnedColumns
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.model import EventModel
from cdb_desktop.ui.widgets.event_table.table import EventTable

_Move = QAbstractItemView.CursorAction
_VISIBLE = QAbstractItemView.ScrollHint.EnsureVisible


class SteadyTable(EventTable):
    """Its first columns can be pinned; Left and Right scroll by a column."""

    def __init__(self, model: EventModel, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(model, appearance, parent)
        self.pinned = PinnedColumns(self, appearance)

    def indexAt(self, place: QPoint) -> QModelIndex:  # noqa: N802
        """What is seen there: a column that stays covers those that are scrolled below it."""
        column = self.pinned.column_at(place.x())
        return super().indexAt(place) if column is None else self.model().index(self.rowAt(place.y()), column)

    def scrollTo(  # noqa: N802
        self, index: QModelIndex | QPersistentModelIndex, hint: QAbstractItemView.ScrollHint = _VISIBLE
    ) -> None:
        """Only rows are gone to: what somebody has scrolled to at the right stays in sight."""
        bar = self.horizontalScrollBar()
        across = bar.value()
        super().scrollTo(index, hint)
        bar.setValue(across)

    def scroll_to_last_column(self) -> None:
        """Brings it into sight, also one that has just been shown."""
        self.updateGeometries()
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().maximum())

    def moveCursor(self, action: _Move, modifiers: Qt.KeyboardModifier) -> QModelIndex:  # noqa: N802
        """A row is chosen as a whole: Left and Right scroll by a column instead of choosing one."""
        if action is _Move.MoveNext and not self.currentIndex().isValid():
            # Asked when the focus comes: Qt would make the first row the current one without selecting it.
            return QModelIndex()
        if action not in (_Move.MoveLeft, _Move.MoveRight):
            return super().moveCursor(action, modifiers)
        self._scroll_across(1 if action is _Move.MoveRight else -1)
        return self.currentIndex()

    def _scroll_across(self, by: int) -> None:
        """To the next column that does not begin at the left, counted from those that stay."""
        header, bar = self.horizontalHeader(), self.horizontalScrollBar()
        shown = (place for place in range(header.count()) if not header.isSectionHidden(place))
        edges = sorted(header.sectionPosition(place) - self.pinned.width for place in shown)
        beyond = [edge for edge in edges if (edge - bar.value()) * by > 0]
        if beyond:
            bar.setValue(beyond[0] if by > 0 else beyond[-1])
