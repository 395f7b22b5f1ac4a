"""The actions that fit what is typed, best first; knows no view."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

from cdb_desktop.ui.actions import Actions, key_of, plain
from cdb_desktop.ui.palette.matching import distance
from cdb_desktop.ui.palette.ranking import Ranking

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Row:
    """One action as it is listed; ``obstacle`` says why it cannot be done, empty where it can."""

    name: str
    title: str
    menu: str
    key: str
    obstacle: str
    icon: QIcon

    @property
    def spoken(self) -> str:
        """The row in one line."""
        return ", ".join(filter(None, (self.title, self.menu, self.key, self.obstacle)))


class PaletteModel(QAbstractListModel):
    """All actions of the table but the one that opens the list."""

    def __init__(self, actions: Actions, ranking: Ranking, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._ranking = ranking
        self.rows: tuple[Row, ...] = ()

    def find(self, typed: str) -> None:
        """Lists what fits, best first; what can be done before what cannot, then what is likely."""
        order = self._ranking.order()
        fitting = [
            ((fits, bool(row.obstacle), order[row.name]), row)
            for row in map(self._row, self._actions)
            # With the palette open, no field has the focus that Undo and Copy would be about.
            if row.name != "palette"
            and not self._actions.spec(row.name).native
            and (fits := distance(typed, row.title, f"{row.menu} {row.name}")) is not None
        ]
        self.beginResetModel()
        self.rows = tuple(row for _place, row in sorted(fitting, key=lambda one: one[0]))
        self.endResetModel()

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802
        """One for each action that fits."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The title, and all of the row for a screen reader."""
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        return row.spoken if role == Qt.ItemDataRole.AccessibleTextRole else None

    def _row(self, name: str) -> Row:
        action, spec = self._actions[name], self._actions.spec(name)
        return Row(
            name,
            plain(spec.text),
            plain(spec.menu),
            key_of(action),
            self._actions.obstacle(name),
            action.icon(),
        )
