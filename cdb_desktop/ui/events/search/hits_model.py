"""The table model of what a search has found; knows no service."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace
from PySide6.QtCore import QModelIndex, QObject, Qt

from cdb_desktop.client import Event
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.widgets.event_table.columns import EventColumn, browser_columns
from cdb_desktop.ui.widgets.event_table.model import EventModel, Index
from cdb_desktop.vocabulary.pattern import Hit

_ROOT = QModelIndex()
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_TOOLTIP = int(Qt.ItemDataRole.ToolTipRole)
_HORIZONTAL = Qt.Orientation.Horizontal
_OF_EVENT = ("id", "time", "type", "user", "object")
WHERE, PIECE = "where", "piece"


class HitsModel(EventModel):
    """A row for each hit: the event, where it was found, and a piece of the text around it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_hit_columns(), parent)
        self.hits: list[Hit] = []

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        """As many as have been found."""
        return 0 if parent.isValid() else len(self.hits)

    def event_at(self, row: int) -> Event | None:
        """The event in which something was found."""
        return self.hits[row].event

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        """What a hit tells beside its event's fields."""
        name, hit = self.columns[index.column()].name, self.hits[index.row()]
        if role == _TOOLTIP and name != "time":
            return f"{hit.path}: {hit.piece}"
        if role == _DISPLAY and name in (WHERE, PIECE):
            return hit.path if name == WHERE else hit.piece
        return super().data(index, role)

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

    def drop(self, ids: Collection[int]) -> None:
        """Hits of events that are gone are none any more."""
        left = [hit for hit in self.hits if hit.event.id not in ids]
        if len(left) < len(self.hits):
            self.beginResetModel()
            self.hits = left
            self.endResetModel()

    def retranslate(self) -> None:
        """The titles in the language of the moment."""
        self.columns = _hit_columns()
        self.headerDataChanged.emit(_HORIZONTAL, 0, len(self.columns) - 1)


def _hit_columns() -> tuple[EventColumn, ...]:
    where, piece = tr("Found in"), tr("Text")
    return (
        *(replace(one, fills=False) for one in browser_columns() if one.name in _OF_EVENT),
        EventColumn(WHERE, where, "info.query.search.0", _of_the_hit),
        EventColumn(PIECE, piece, "", _of_the_hit, fills=True),
    )


def _of_the_hit(_event: Event) -> str:
    return ""
