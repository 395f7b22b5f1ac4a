"""A list of values to tick that can be brought into an order, by keys too. Knows no meaning of the order."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidgetItem, QWidget

from cdb_desktop.ui.events.browser.checklist import Checklist

_ALT = Qt.KeyboardModifier.AltModifier
_MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}


class MovableList(Checklist):
    """Alt with an arrow moves the current value.

    Signals: ``changed`` when another value is the current one, or it has been moved, ticked or turned.
    """

    changed = Signal()

    def __init__(
        self, hint: str, *, accepts: Callable[[str], str | None], parent: QWidget, name: str, entry: str = ""
    ) -> None:
        super().__init__(hint, accepts=accepts, parent=parent, name=name, entry=entry)
        self.list.installEventFilter(self)
        self.list.currentItemChanged.connect(self._tell)
        self.list.itemChanged.connect(self._tell)

    def may_pass(self, _item: QListWidgetItem, _other: QListWidgetItem) -> bool:
        """Whether the first may be moved beyond the second."""
        return True

    def can_move(self, by: int) -> bool:
        """Whether the current value has a place further up or down."""
        row = self.list.currentRow()
        return row >= 0 and self._target(row, by) is not None

    def move_current(self, by: int) -> None:
        """Moves the current value up or down."""
        row = self.list.currentRow()
        target = self._target(row, by) if row >= 0 else None
        if target is not None:
            self._put(self.list.item(row), target)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Alt with an arrow moves, wherever the focus is."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            by = _MOVES.get(Qt.Key(event.key())) if event.modifiers() & _ALT else None
            if by is not None:
                self.move_current(by)
                return True
        return super().eventFilter(watched, event)

    def _target(self, row: int, by: int) -> int | None:
        """The next row that is in sight, if it may be passed."""
        if self.list.item(row) is self._anyway:
            return None
        rows = range(row + by, self.list.row(self._anyway) if by > 0 else -1, by)
        found = next((one for one in rows if not self.list.item(one).isHidden()), None)
        if found is None or not self.may_pass(self.list.item(row), self.list.item(found)):
            return None
        return found

    def _put(self, item: QListWidgetItem, row: int) -> None:
        self.list.insertItem(row, self.list.takeItem(self.list.row(item)))
        self.list.setCurrentItem(item)
        self.list.scrollToItem(item)
        self.changed.emit()

    def _take_found(self, item: QListWidgetItem) -> None:
        """Ticks what was looked for, behind what is ticked already."""
        item.setCheckState(Qt.CheckState.Checked)
        self._put(item, len(self.ticked) - 1)

    def _tell(self) -> None:
        self.changed.emit()
