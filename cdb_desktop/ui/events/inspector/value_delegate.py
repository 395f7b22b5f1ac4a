"""Sets values over as many lines as they need, up to a bound, and lets parts of them be selected."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from cdb_desktop.ui.theme.measures import TIGHT

WHOLE = Qt.ItemDataRole.UserRole + 1  # the text of a value in full
ROW = 22
_MOST_LINES = 8
_KEPT = 1000  # texts
_MARKED = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_ANYWHERE = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
_Index = QModelIndex | QPersistentModelIndex


class NameDelegate(QStyledItemDelegate):
    """For the column of names, which are not to be opened."""

    def createEditor(self, _parent: QWidget, _option: QStyleOptionViewItem, _index: _Index) -> QWidget:  # noqa: N802
        """None."""
        return None  # type: ignore[return-value]  # Qt takes it for no editor


class ValueDelegate(QStyledItemDelegate):
    """For the column of values of one tree."""

    def __init__(self, view: QTreeView) -> None:
        super().__init__(view)
        self._view = view
        self._font, self._spacing = QFont(), 0
        self._known: dict[tuple[str, int], list[str]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: N802
        """As high as the lines at the column's width."""
        width = self._view.columnWidth(index.column())
        lines = self._lines(str(index.data()), option.font, width - 2 * TIGHT)
        return QSize(width, ROW + (len(lines) - 1) * self._spacing)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """The ground of the style, and the lines on it."""
        rect = QRect(option.rect)
        if option.state & _MARKED:
            self._paint_ground(painter, option, index)
        lines = self._lines(str(index.data()), option.font, rect.width() - 2 * TIGHT)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(self._view.palette().color(QPalette.ColorRole.Text))
        painter.drawText(rect.adjusted(TIGHT, 0, -TIGHT, 0), _LEFT, "\n".join(lines))
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        self.initStyleOption(option, index)
        option.text = ""
        self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, self._view)

    def _lines(self, text: str, font: QFont, width: int) -> list[str]:
        """Those of a text, found once: they are asked for when it is laid out and whenever it is painted."""
        if font != self._font or len(self._known) > _KEPT:
            self._font, self._spacing = QFont(font), QFontMetrics(font).lineSpacing()
            self._known = {}
        found = self._known.get((text, width))
        if found is None:
            found = self._known[text, width] = lines_of(text, font, width)
        return found

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: _Index) -> QWidget:  # noqa: N802
        """The whole text, to be selected and copied but not to be changed."""
        editor = QPlainTextEdit(str(index.data(WHOLE)), parent)
        editor.setObjectName("events.value.text")
        editor.setReadOnly(True)
        flags = Qt.TextInteractionFlag
        editor.setTextInteractionFlags(flags.TextSelectableByKeyboard | flags.TextSelectableByMouse)
        editor.setFrameShape(QFrame.Shape.NoFrame)
        editor.setWordWrapMode(_ANYWHERE)
        editor.document().setDocumentMargin(TIGHT)
        editor.selectAll()
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:  # noqa: N802
        """It has its text from the beginning."""

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:  # noqa: N802
        """Nothing is changed."""


def lines_of(text: str, font: QFont, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` pixels; where there are too many the last one is cut."""
    metrics = QFontMetrics(font)
    if width <= 0 or metrics.horizontalAdvance(text) <= width:
        return [text]
    layout = QTextLayout(text, font)
    wrap = QTextOption()
    wrap.setWrapMode(_ANYWHERE)
    layout.setTextOption(wrap)
    layout.beginLayout()
    starts: list[int] = []
    while (line := layout.createLine()).isValid() and len(starts) <= _MOST_LINES:
        line.setLineWidth(width)
        starts.append(line.textStart())
    layout.endLayout()
    kept, rest = starts[:_MOST_LINES], text[starts[min(len(starts), _MOST_LINES) - 1] :]
    lines = [text[start:end].rstrip() for start, end in pairwise(kept)]
    return [*lines, metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width)]
