"""Names and values as a tree that opens level by level, so that a large block costs nothing unread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from cdb_desktop.events.event_details import PathStep, RecordLine
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.inspector.value_delegate import ROW, WHOLE, NameDelegate, ValueDelegate
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR

_VALUE = Qt.ItemDataRole.UserRole
_MOST = 1000  # children of one node; all of them stand in the JSON
_SHOWN = 500  # characters of a text in its cell
_REST = "…"
_FEW = 2  # members that are shown open at once
_NARROWEST_NAME = 60
_MOST_OF_WIDTH = 0.45  # for the names, so that there is room for values
_INDENT = 14


class ValueTree(QTreeWidget):
    """Two columns without a header; the values can be copied, and by a double click or F2 parts of them.

    Signals: ``menu_requested`` (Line or None, global place) for the line that is pointed at or current.
    """

    menu_requested = Signal(object, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole: Any = None
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(tabular(self.font()))
        self.setIndentation(_INDENT)
        self.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.header().setMinimumSectionSize(_NARROWEST_NAME)
        self.header().sectionResized.connect(self.scheduleDelayedItemsLayout)
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setItemDelegateForColumn(1, ValueDelegate(self))
        self.setEditTriggers(QTreeWidget.EditTrigger.DoubleClicked)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)
        self.itemExpanded.connect(self._fill)
        self.itemExpanded.connect(self._fit_names)

    def show_fields(self, fields: Iterable[tuple[str, str]]) -> None:
        """Shows one line for each pair of name and text."""
        self.clear()
        self._whole = None
        self.setRootIsDecorated(False)
        self.addTopLevelItems([self._made(name, text) for name, text in fields])
        self._fit_names()

    def show_value(self, value: Any) -> None:
        """Shows the members of a JSON value."""
        self.clear()
        self._whole = value
        self.setRootIsDecorated(True)
        items = [self._made(name, one) for name, one in _members(value)]
        self.addTopLevelItems(items)
        for item in items if len(items) <= _FEW else ():
            item.setExpanded(_is_branch(item.data(0, _VALUE).value))
        self._fit_names()

    def copy(self) -> None:
        """The chosen values; of several lines also the names."""
        chosen = self.selectedItems()
        lines = [(item.text(0), _copied(item.data(0, _VALUE).value)) for item in chosen]
        if lines:
            text = lines[0][1] if len(lines) == 1 else "\n".join("\t".join(line) for line in lines)
            QGuiApplication.clipboard().setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """The copy key copies values, F2 opens the value of the line."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_F2 and self.currentIndex().isValid():
            self.edit(self.currentIndex().siblingAtColumn(1))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """The menu of the line that is pointed at, beside all lines about none; by its key of the current."""
        place, item = event.pos(), self.currentItem()
        if event.reason() != QContextMenuEvent.Reason.Keyboard:
            item = self.itemAt(place)
        elif item is not None:
            self.scrollToItem(item)
            place = self.visualItemRect(item).bottomLeft()
        line = None if item is None else self._line(item)
        self.menu_requested.emit(line, self.viewport().mapToGlobal(place))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Names are muted in the colours of the day."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for item in self.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive):
                item.setForeground(0, self._muted())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Names take their part of the width."""
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        if self.topLevelItemCount() == 0:
            return  # measuring nothing would still make the tree lay itself out
        most = round(self.viewport().width() * _MOST_OF_WIDTH)
        self.setColumnWidth(0, max(_NARROWEST_NAME, min(self.sizeHintForColumn(0), most)))

    def _muted(self) -> QBrush:
        return self.palette().brush(QPalette.ColorRole.PlaceholderText)

    def _line(self, item: QTreeWidgetItem) -> RecordLine | None:
        """None for a sentence, which has no name, and for the number of those that are left out."""
        if item.text(0) in ("", _REST):
            return None
        steps: list[PathStep] = []
        value = item.data(0, _VALUE).value
        at: QTreeWidgetItem | None = item
        while at is not None:
            above = at.parent()
            holder = self._whole if above is None else above.data(0, _VALUE).value
            steps.insert(0, PathStep(at.text(0), in_list=isinstance(holder, list)))
            at = above
        return RecordLine(tuple(steps), value, _copied(value))

    def _fill(self, item: QTreeWidgetItem) -> None:
        value = item.data(0, _VALUE).value
        # Plus and asterisk open whatever is current, also what holds nothing.
        if _is_branch(value) and item.childCount() == 0:
            item.addChildren([self._made(name, one) for name, one in _members(value)])

    def _made(self, name: str, value: Any) -> QTreeWidgetItem:
        text = _told(value)
        item = QTreeWidgetItem([name, text[:_SHOWN].replace("\n", " ")])
        item.setData(0, _VALUE, _Held(value))
        item.setData(1, WHOLE, text)
        item.setToolTip(0, name)
        item.setToolTip(1, text[:_SHOWN])
        width = self.fontMetrics().horizontalAdvance(name) + 2 * GAP
        item.setSizeHint(0, QSize(width, ROW))
        item.setForeground(0, self._muted())
        if _is_branch(value):
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        else:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        return item


class _Held(msgspec.Struct, frozen=True):
    """A value as it is: Qt has no integers beyond 64 bits."""

    value: Any


def _is_branch(value: Any) -> bool:
    return isinstance(value, Mapping | list) and bool(value)


def _members(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, Mapping):
        pairs = [(str(key), one) for key, one in value.items()]
    elif isinstance(value, list):
        pairs = [(str(place), one) for place, one in enumerate(value)]
    else:
        pairs = [("", value)]
    rest = len(pairs) - _MOST
    return pairs if rest <= 0 else [*pairs[:_MOST], (_REST, f"+ {number_text(rest)}")]


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{number_text(len(value))}}}"
    if isinstance(value, list):
        return f"[{number_text(len(value))}]"
    return _copied(value)


def _copied(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
