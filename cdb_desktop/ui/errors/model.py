"""The list of codes behind the page of errors; knows no view."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from cdb_desktop.vocabulary.error_catalogue import CatalogueEntry

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class CodesModel(QAbstractListModel):
    """One row for each entry, read by its title."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[CatalogueEntry, ...] = ()

    def show_entries(self, entries: tuple[CatalogueEntry, ...]) -> None:
        """Shows other entries, or the same in another language."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802
        """One for each entry."""
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title; code and title for tooltip and screen reader."""
        entry = self.entries[index.row()]
        title = entry.explanation.title
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.code
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{title}, {entry.code}"
        return None
