"""The table of the last requests, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from cdb_desktop.client import Exchange
from cdb_desktop.events.request_log import MAX_REQUESTS
from cdb_desktop.foundation.formatting import size_text
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import tabular
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.event_table.model import Index
from cdb_desktop.vocabulary.times import clock_time

TIME, METHOD, RESULT, ROWS, SIZE, TOOK, ADDRESS = range(7)
_ROOT = QModelIndex()
_ROLE = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = (ROWS, SIZE, TOOK)
_SAMPLES = {
    TIME: "00:00:00",
    METHOD: "Methode",
    RESULT: "200 error.user.xxxx",
    ROWS: "00,000",
    SIZE: "000.0 bytes",
    TOOK: "00,000 ms",
}
_HEADER = """
QHeaderView { background: palette(base); }
QHeaderView::section {
    background: palette(base); color: palette(placeholder-text); font-weight: normal;
    border: none; border-bottom: 1px solid palette(dark); padding: 0 8px; height: 27px;
}
"""


def titles() -> tuple[str, ...]:
    """The titles of the columns."""
    return (
        tr("Time"),
        tr("Method"),
        tr("Result"),
        tr("Rows"),
        tr("Size"),
        tr("Took"),
        tr("Address and parameters"),
    )


def cells(exchange: Exchange) -> tuple[str, ...]:
    """The texts of a row."""
    return (
        clock_time(exchange.started),
        exchange.method,
        outcome_text(exchange),
        "" if exchange.rows is None else number_text(exchange.rows),
        size_text(exchange.size) if exchange.size else "",
        tr("{number} ms", number=round(exchange.seconds * 1000)),
        address_text(exchange),
    )


def address_text(exchange: Exchange) -> str:
    """Path and parameters, readable and without the token."""
    query = " & ".join(f"{name}={value}" for name, value in exchange.parameters)
    return f"{exchange.path}  {query}".strip()


def outcome_text(exchange: Exchange) -> str:
    """``200``, ``403 error.user.no_system_right``, or why there is no answer."""
    failure = exchange.failure
    reasons = {
        "cancelled": tr("given up"),
        "slow": tr("no answer in time"),
        "answer": tr("not understood"),
    }
    reason = reasons.get(failure, failure)
    if failure.startswith("unreachable."):
        reason = tr("not reached: {failure}", failure=failure.partition(".")[2])
    return " ".join(part for part in (str(exchange.status or ""), reason) if part)


def details_text(exchange: Exchange) -> str:
    """All details, one per line."""
    lines = [f"{exchange.method} {exchange.path}"]
    lines += [f"  {name} = {value}" for name, value in exchange.parameters]
    if exchange.withheld:
        lines.append(tr("The body was not recorded: it is confidential or too large."))
    elif exchange.request.body:
        lines.append(exchange.request.body.decode("utf-8", "replace")[:2000])
    return "\n".join(lines)


class RequestModel(QAbstractTableModel):
    """A row for each request."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.exchanges: list[Exchange] = []

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The number of rows."""
        return 0 if parent.isValid() else len(self.exchanges)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """The number of columns."""
        return 0 if parent.isValid() else ADDRESS + 1

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        """The texts; failures are red."""
        exchange, column = self.exchanges[index.row()], index.column()
        if role == _ROLE.DisplayRole:
            return cells(exchange)[column]
        if role == _ROLE.ToolTipRole:
            return details_text(exchange)
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if column in _NUMBERS else _LEFT
        if role == _ROLE.ForegroundRole:
            return self._colour(exchange, column)
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        """The titles."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if section in _NUMBERS else _LEFT
        return titles()[section] if role == _ROLE.DisplayRole else None

    def show(self, exchanges: Sequence[Exchange]) -> None:
        """Shows other requests."""
        self.beginResetModel()
        self.exchanges = list(exchanges)
        self.endResetModel()

    def add(self, exchange: Exchange) -> None:
        """Adds a request and drops the oldest if there are too many."""
        self.beginInsertRows(_ROOT, 0, 0)
        self.exchanges.insert(0, exchange)
        self.endInsertRows()
        if len(self.exchanges) > MAX_REQUESTS:
            self.beginRemoveRows(_ROOT, MAX_REQUESTS, len(self.exchanges) - 1)
            del self.exchanges[MAX_REQUESTS:]
            self.endRemoveRows()

    def _colour(self, exchange: Exchange, column: int) -> QColor:
        tokens = self._appearance.tokens
        if column == RESULT and exchange.failure not in ("", "cancelled"):
            return QColor(tokens.danger)
        return QColor(tokens.text if column in (RESULT, ADDRESS) else tokens.muted)


class RequestTable(QTableView):
    """A table in which one row can be selected."""

    def __init__(self, model: RequestModel, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.setObjectName("events.requests.table")
        self.setFont(tabular(self.font()))
        self.setModel(model)
        self.setItemDelegate(_RequestDelegate(appearance, self))
        self._arrange()
        self._arrange_headers(model)
        self._follow_density()
        appearance.changed.connect(self._follow_density)

    @property
    def chosen_row(self) -> int | None:
        """The selected row."""
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The titles and one row."""
        least = self.horizontalHeader().sizeHint().height() + self._appearance.row
        return QSize(super().minimumSizeHint().width(), least)

    def _arrange(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for bar in (self.verticalScrollBar(), self.horizontalScrollBar()):
            bar.setStyleSheet(SLIM_SCROLL_BAR)

    def _arrange_headers(self, model: RequestModel) -> None:
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setStyleSheet(_HEADER)
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSelectionModel(QItemSelectionModel(model, header))
        metrics = QFontMetrics(self.font())
        for column, sample in _SAMPLES.items():
            header.resizeSection(column, metrics.horizontalAdvance(sample) + 3 * GAP)

    def _follow_density(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._appearance.row)


class _RequestDelegate(QStyledItemDelegate):
    """Aligns texts with their titles."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, QColor(self._appearance.tokens.selected))
        inner = option.rect.adjusted(GAP, 0, -GAP, 0)
        text = painter.fontMetrics().elidedText(str(index.data()), Qt.TextElideMode.ElideRight, inner.width())
        painter.setPen(index.data(Qt.ItemDataRole.ForegroundRole))
        painter.drawText(inner, index.data(Qt.ItemDataRole.TextAlignmentRole), text)
