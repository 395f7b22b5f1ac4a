"""The table model of the last requests, newest first; knows no service."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor

from cdb_desktop.client import Exchange
from cdb_desktop.events.request_log import MAX_REQUESTS
from cdb_desktop.ui.events.requests.request_words import cells, details_words, titles
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.model import Index

TIME, METHOD, RESULT, ROWS, SIZE, TOOK, ADDRESS = range(7)
_ROOT = QModelIndex()
_ROLE = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = (ROWS, SIZE, TOOK)


class RequestModel(QAbstractTableModel):
    """A row for each exchange."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.exchanges: list[Exchange] = []

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """As many as are kept."""
        return 0 if parent.isValid() else len(self.exchanges)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """When, what, and what came of it."""
        return 0 if parent.isValid() else ADDRESS + 1

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        """Texts; a failure is told in words and in its colour."""
        exchange, column = self.exchanges[index.row()], index.column()
        if role == _ROLE.DisplayRole:
            return cells(exchange)[column]
        if role == _ROLE.ToolTipRole:
            return details_words(exchange)
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if column in _NUMBERS else _LEFT
        if role == _ROLE.ForegroundRole:
            return self._colour(exchange, column)
        return None

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        """The titles, over their columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if section in _NUMBERS else _LEFT
        return titles()[section] if role == _ROLE.DisplayRole else None

    def show(self, exchanges: Sequence[Exchange]) -> None:
        """Other ones in place of those before."""
        self.beginResetModel()
        self.exchanges = list(exchanges)
        self.endResetModel()

    def add(self, exchange: Exchange) -> None:
        """Another one has ended; the oldest goes where there are too many."""
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
