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

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:  # noqa: N802
        """As high as the lines at the column's width."""
        width = self._view.columnWidth(index.column())
        lines = lines_of(str(index.data()), option.font, width - 2 * TIGHT)
        height = len(lines) * QFontMetrics(option.font).lineSpacing()
        return QSize(width, max(ROW, height + ROW - QFontMetrics(option.font).lineSpacing()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """The ground of the style, and the lines on it."""
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style, rect = self._view.style(), QRect(option.rect)
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, self._view)
        lines = lines_of(text, option.font, rect.width() - 2 * TIGHT)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(self._view.palette().color(QPalette.ColorRole.Text))
        inner = rect.adjusted(TIGHT, 0, -TIGHT, 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, "\n".join(lines))
        painter.restore()

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
