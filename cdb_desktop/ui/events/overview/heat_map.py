"""A table of numbers as a picture: the more, the darker; the exact number is told beside it. Asks nobody."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from cdb_desktop.events.summary import SummaryTable
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled, tabular
from cdb_desktop.ui.theme.measures import CAPTION, GAP, TIGHT

_ROW, _FOOT, _WIDEST = 18, 20, 240
_MOST_ROWS = 12
_FAINTEST = 0.12


class HeatMap(QWidget):
    """Rows of cells; names at the left, the first and the last column below."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.summary.plot")
        self._appearance = appearance
        self._table = SummaryTable()
        self.setFont(tabular(scaled(self.font(), CAPTION)))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    def show_table(self, table: SummaryTable) -> None:
        """Shows the first rows of a table."""
        self._table = table
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as the rows."""
        return QSize(600, max(1, self._rows) * _ROW + _FOOT + 2 * GAP)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """All rows are seen."""
        return QSize(300, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """A tooltip tells the number under the mouse."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._told(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Cells, and the names of rows and of the columns at the ends."""
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.ground))
            for row in range(self._rows):
                self._paint_row(painter, row)
            if self._table.columns:
                left = self._left()
                foot = QRect(left, self.height() - _FOOT - GAP, self.width() - left - GAP, _FOOT)
                painter.setPen(QColor(tokens.muted))
                painter.drawText(
                    foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._table.columns[0]
                )
                painter.drawText(
                    foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._table.columns[-1]
                )

    def _paint_row(self, painter: QPainter, row: int) -> None:
        tokens, table = self._appearance.tokens, self._table
        place = QRect(GAP, GAP + row * _ROW, self._left() - 2 * GAP, _ROW)
        name = painter.fontMetrics().elidedText(table.rows[row], Qt.TextElideMode.ElideRight, place.width())
        painter.setPen(QColor(tokens.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
        for column, number in enumerate(table.values[row]):
            colour = QColor(tokens.accent if number else tokens.line)
            colour.setAlphaF(_FAINTEST + (1 - _FAINTEST) * number / table.highest if number else 0.4)
            painter.fillRect(self._cell(row, column), colour)

    @property
    def _rows(self) -> int:
        return min(len(self._table.rows), _MOST_ROWS)

    def _left(self) -> int:
        """Where the cells begin: the names have the room that they need."""
        names = self._table.rows[: self._rows]
        widest = max(map(self.fontMetrics().horizontalAdvance, names), default=0)
        return min(widest, _WIDEST) + 3 * GAP

    def _cell(self, row: int, column: int) -> QRect:
        start, number = self._left(), len(self._table.columns)
        room = self.width() - start - GAP
        left, right = (start + room * one // number for one in (column, column + 1))
        return QRect(left, GAP + row * _ROW, max(1, right - left - 1), _ROW - TIGHT // 2)

    def _told(self, x: int, y: int) -> str:
        row, start = (y - GAP) // _ROW, self._left()
        room = self.width() - start - GAP
        if x < start or not 0 <= row < self._rows or not self._table.columns:
            return ""
        column = min((x - start) * len(self._table.columns) // room, len(self._table.columns) - 1)
        number = number_text(self._table.values[row][column])
        return f"{self._table.rows[row]} · {self._table.columns[column]}: {number}"
