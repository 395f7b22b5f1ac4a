"""The remembered connections as a list; knows neither where they are kept nor what becomes of a choice."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QMenu, QWidget

from cdb_desktop.ui.connection.entry import Entry
from cdb_desktop.ui.connection.entry_delegate import ENTRY, EntryDelegate
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.menus import on_context_menu


class EntryList(QListWidget):
    """One row a connection.

    Signals, each with an Entry: ``opened`` when it is to be connected · ``changed`` when it is to be looked
    at or changed · ``forgotten`` when it is to be remembered no longer.
    """

    opened = Signal(object)
    changed = Signal(object)
    forgotten = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(EntryDelegate(appearance, self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
        on_context_menu(self, self._open_menu)

    @property
    def current(self) -> Entry | None:
        """The entry of the current row."""
        return self._entry(self.currentItem())

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Shows these in place of what was there."""
        self.clear()
        for entry in entries:
            item = QListWidgetItem(f"{entry.title}, {entry.subtitle}")  # what a screen reader says
            item.setData(ENTRY, entry)
            item.setToolTip(f"{entry.login} · {entry.address}")
            self.addItem(item)

    def point_at(self, entry: Entry) -> None:
        """Makes the row of an entry the current one without opening it; none where it is not in the list."""
        rows = (row for row in range(self.count()) if self._entry(self.item(row)) == entry)
        with QSignalBlocker(self):
            self.setCurrentRow(next(rows, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Return opens, Delete forgets."""
        entry = self.current
        if entry is not None and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit(entry)
        elif entry is not None and event.key() == Qt.Key.Key_Delete:
            self.forgotten.emit(entry)
        else:
            super().keyPressEvent(event)

    def _open_menu(self, index: QModelIndex, at: QPoint) -> None:
        """Beside all entries there is none."""
        entry = index.data(ENTRY)
        if not isinstance(entry, Entry):
            return
        translate = QCoreApplication.translate
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, signal in (
            (translate("Connection", "&Connect"), self.opened),
            (translate("Connection", "C&hange…"), self.changed),
            (translate("Connection", "&Forget"), self.forgotten),
        ):
            menu.addAction(text).triggered.connect(lambda _=False, signal=signal: signal.emit(entry))
        menu.popup(at)

    def _entry(self, item: QListWidgetItem | None) -> Entry | None:
        found = None if item is None else item.data(ENTRY)
        return found if isinstance(found, Entry) else None
