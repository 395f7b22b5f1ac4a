"""The tree of names and values in the inspector; branches are filled when they are expanded."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import msgspec
from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPalette,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from cdb_desktop.events.event_details import FieldGroup, PathStep, RecordLine
from cdb_desktop.foundation.i18n import number_text, tr, visible
from cdb_desktop.ui.theme.measures import CAPTION, GAP, TIGHT, scaled, tabular

_VALUE = Qt.ItemDataRole.UserRole
_MOST = 1000  # children of one node; the JSON contains all
_SHOWN = 500  # characters of a text in its cell
_REST = "…"
_FEW = 2  # members that are expanded initially
_YES_OR_NO = frozenset({"pollable", "session_self"})
_NARROWEST_NAME = 60
_MOST_OF_WIDTH = 0.45  # for the names, so that there is space for values
_INDENT = 14
WHOLE = Qt.ItemDataRole.UserRole + 1  # the text of a value in full
_PATH = Qt.ItemDataRole.UserRole + 2  # the name of a field on the wire, or the name itself
ROW = 22
_TITLE_ROW = 18
_NAME_MARGIN = 3
_MOST_LINES = 8
_MAX_TEXTS = 1000  # texts
_LINE_BREAK = "\u2028"  # that of a text layout, of one character too
_MARKED = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_ANYWHERE = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
_Index = QModelIndex | QPersistentModelIndex


class ValueTree(QTreeWidget):
    """Two columns; values can be copied, and parts of them selected after a double click or F2.

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
        self.setItemDelegateForColumn(0, _NameDelegate(self))
        self.setItemDelegateForColumn(1, _ValueDelegate(self))
        self.setEditTriggers(QTreeWidget.EditTrigger.DoubleClicked)
        self.itemExpanded.connect(self._fill)
        self.itemExpanded.connect(self._fit_names)

    def show_fields(self, fields: Iterable[tuple[str, str]]) -> None:
        """Shows one line for each pair of name and text."""
        self.clear()
        self._whole = None
        self.setRootIsDecorated(False)
        self.addTopLevelItems([self._item(name, text) for name, text in fields])
        self._fit_names()

    def show_groups(self, groups: Iterable[FieldGroup]) -> None:
        """Shows the fields of each group below its title."""
        self.show_fields(())
        for group in groups:
            title = QTreeWidgetItem([group.title])
            title.setFlags(Qt.ItemFlag.NoItemFlags)  # the keys go from field to field
            title.setFont(0, scaled(self.font(), CAPTION, QFont.Weight.DemiBold))
            title.setForeground(0, self._muted())
            title.setSizeHint(0, QSize(0, _TITLE_ROW))
            self.addTopLevelItem(title)
            title.setFirstColumnSpanned(True)
            for one in group.fields:
                item = self._item(one.name, one.text, one.path)
                if one.path in _YES_OR_NO:
                    item.setText(1, tr("Yes") if one.text == "true" else tr("No"))
                self.addTopLevelItem(item)
        self._fit_names()

    def show_value(self, value: Any) -> None:
        """Shows the members of a JSON value."""
        self.clear()
        self._whole = value
        self.setRootIsDecorated(True)
        items = [self._item(name, one) for name, one in _members(value)]
        self.addTopLevelItems(items)
        for item in items if len(items) <= _FEW else ():
            item.setExpanded(_is_branch(item.data(0, _VALUE).value))
        self._fit_names()

    def copy(self) -> None:
        """Copies the selected values; of several lines also the names."""
        chosen = self.selectedItems()
        lines = [(_path_of(item), _copy_text(item.data(0, _VALUE).value)) for item in chosen]
        if lines:
            text = lines[0][1] if len(lines) == 1 else "\n".join("\t".join(line) for line in lines)
            QGuiApplication.clipboard().setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_F2 and self.currentIndex().isValid():
            self.edit(self.currentIndex().siblingAtColumn(1))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        place, item = event.pos(), self.currentItem()
        if event.reason() != QContextMenuEvent.Reason.Keyboard:
            item = self.itemAt(place)
        elif item is not None:
            self.scrollToItem(item)
            place = self.visualItemRect(item).bottomLeft()
        line = None if item is None else self._line(item)
        self.menu_requested.emit(line, self.viewport().mapToGlobal(place))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for item in self.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive):
                item.setForeground(0, self._muted())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
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
        """The line of an item; None for items without a name and the number of omitted members."""
        if _path_of(item) in ("", _REST):
            return None
        steps: list[PathStep] = []
        value = item.data(0, _VALUE).value
        at: QTreeWidgetItem | None = item
        while at is not None:
            above = at.parent()
            holder = self._whole if above is None else above.data(0, _VALUE).value
            steps.insert(0, PathStep(_path_of(at), in_list=isinstance(holder, list)))
            at = above
        return RecordLine(tuple(steps), value, _copy_text(value))

    def _fill(self, item: QTreeWidgetItem) -> None:
        value = item.data(0, _VALUE).value
        # Plus and asterisk expand the current item even if it has no children.
        if _is_branch(value) and item.childCount() == 0:
            item.addChildren([self._item(name, one) for name, one in _members(value)])

    def _item(self, name: str, value: Any, path: str = "") -> QTreeWidgetItem:
        text = _text_of(value)
        item = QTreeWidgetItem([name, text[:_SHOWN]])
        item.setData(0, _VALUE, _Value(value))
        item.setData(0, _PATH, path or name)
        item.setData(1, WHOLE, text)
        item.setToolTip(0, path or name)
        item.setToolTip(1, text[:_SHOWN])
        width = self.fontMetrics().horizontalAdvance(name) + 2 * GAP
        item.setSizeHint(0, QSize(width, ROW))
        item.setForeground(0, self._muted())
        if _is_branch(value):
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        else:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        return item


class _Value(msgspec.Struct, frozen=True):
    """A value as it is: Qt has no integers beyond 64 bits."""

    value: Any


def _path_of(item: QTreeWidgetItem) -> str:
    """The name of an item on the wire; empty for a title."""
    return str(item.data(0, _PATH) or "")


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


def _text_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{{number_text(len(value))}}}"
    if isinstance(value, list):
        return f"[{number_text(len(value))}]"
    return _copy_text(value)


def _copy_text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


class _NameDelegate(QStyledItemDelegate):
    """For the column of names, which cannot be edited: they are beside the first lines of their values."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        self.initStyleOption(option, index)
        name, option.text = option.text, ""
        self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, self._view)
        first = QRect(option.rect).adjusted(_NAME_MARGIN, 0, -_NAME_MARGIN, 0)
        first.setHeight(min(ROW, first.height()))
        painter.save()
        painter.setFont(option.font)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        elided = option.fontMetrics.elidedText(visible(name), Qt.TextElideMode.ElideRight, first.width())
        painter.drawText(first, _LEFT, elided)
        painter.restore()

    def createEditor(self, _parent: QWidget, _option: QStyleOptionViewItem, _index: _Index) -> QWidget:  # noqa: N802
        return None  # type: ignore[return-value]  # Qt takes it for no editor


class _ValueDelegate(QStyledItemDelegate):
    """For the column of values: wraps long values, and an editor lets the user select parts."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view = view
        self._font, self._spacing = QFont(), 0
        self._cache: dict[tuple[str, int], list[str]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: N802
        if index.data(WHOLE) is None:
            return QSize(0, _TITLE_ROW)
        width = self._view.columnWidth(index.column())
        lines = self._lines(str(index.data()), option.font, width - 2 * TIGHT)
        return QSize(width, ROW + (len(lines) - 1) * self._spacing)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        rect = QRect(option.rect)
        if option.state & _MARKED:
            self.initStyleOption(option, index)
            option.text = ""
            self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, self._view)
        lines = self._lines(str(index.data()), option.font, rect.width() - 2 * TIGHT)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(self._view.palette().color(QPalette.ColorRole.Text))
        painter.drawText(rect.adjusted(TIGHT, 0, -TIGHT, 0), _LEFT, "\n".join(lines))
        painter.restore()

    def _lines(self, text: str, font: QFont, width: int) -> list[str]:
        """The wrapped lines of a text, cached for layout and painting."""
        if font != self._font or len(self._cache) > _MAX_TEXTS:
            self._font, self._spacing = QFont(font), QFontMetrics(font).lineSpacing()
            self._cache = {}
        found = self._cache.get((text, width))
        if found is None:
            found = self._cache[text, width] = lines_of(visible(text), font, width)
        return found

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index) -> QWidget:  # noqa: N802
        editor = QPlainTextEdit(str(index.data(WHOLE)), parent, readOnly=True)
        editor.setObjectName("events.value.text")
        flags = Qt.TextInteractionFlag
        editor.setTextInteractionFlags(flags.TextSelectableByKeyboard | flags.TextSelectableByMouse)
        editor.setFrameShape(QFrame.Shape.NoFrame)
        editor.setWordWrapMode(_ANYWHERE)
        editor.document().setDocumentMargin(TIGHT)
        editor.selectAll()
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:  # noqa: N802
        """Does nothing: the editor has its text already."""

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:  # noqa: N802
        """Does nothing: values cannot be changed."""


def lines_of(text: str, font: QFont, width: int, most: int = _MOST_LINES) -> list[str]:
    """``text`` in lines of at most ``width`` pixels; the last of ``most`` is elided if there are more.

    It has the line breaks of ``text``.
    """
    metrics = QFontMetrics(font)
    if width <= 0 or ("\n" not in text and metrics.horizontalAdvance(text) <= width):
        return text.split("\n")[:most]
    layout = QTextLayout(text.replace("\n", _LINE_BREAK), font)
    wrap = QTextOption()
    wrap.setWrapMode(_ANYWHERE)
    layout.setTextOption(wrap)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid() and len(starts) <= most:
        line.setLineWidth(width)
        starts.append(line.textStart())
    layout.endLayout()
    kept, rest = starts[:most], text[starts[min(len(starts), most) - 1] :]
    lines = [text[start:end].rstrip() for start, end in pairwise(kept)]
    first, more, _others = rest.partition("\n")
    last = f"{first}…" if more else first
    return [*lines, metrics.elidedText(last, Qt.TextElideMode.ElideRight, width)]
