"""The table model of what a search has found; knows no service."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QCoreApplication, QLocale, QModelIndex, QObject, Qt

from cdb_desktop.events.pattern import Hit
from cdb_desktop.ui.widgets.event_model import Index
from cdb_desktop.vocabulary.times import day_and_time, exact_time

_ROOT = QModelIndex()
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
ID, TIME, TYPE, WHERE, PIECE = range(5)
_COLUMNS = 5


class HitsModel(QAbstractTableModel):
    """A row for each hit."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.hits: list[Hit] = []

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """As many as have been found."""
        return 0 if parent.isValid() else len(self.hits)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """Id, time, type, where and what."""
        return 0 if parent.isValid() else _COLUMNS

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """The texts; the delegate marks the match."""
        if role not in (_DISPLAY, _TOOLTIP):
            return None
        hit = self.hits[index.row()]
        if role == _TOOLTIP:
            return exact_time(hit.event.timestamp) if index.column() == TIME else f"{hit.path}: {hit.piece}"
        return (
            QLocale().toString(hit.event.id),
            day_and_time(hit.event.timestamp),
            hit.event.type,
            hit.path,
            hit.piece,
        )[index.column()]

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        """The titles of the columns."""
        if orientation != Qt.Orientation.Horizontal or role != _DISPLAY:
            return None
        translate = QCoreApplication.translate
        return (
            translate("Columns", "Id"),
            translate("Columns", "Time"),
            translate("Columns", "Type"),
            translate("Columns", "Found in"),
            translate("Columns", "Text"),
        )[section]

    def clear(self) -> None:
        """Nothing has been found yet."""
        self.beginResetModel()
        self.hits = []
        self.endResetModel()

    def add(self, hits: Sequence[Hit]) -> None:
        """More has been found."""
        if hits:
            self.beginInsertRows(_ROOT, len(self.hits), len(self.hits) + len(hits) - 1)
            self.hits.extend(hits)
            self.endInsertRows()
