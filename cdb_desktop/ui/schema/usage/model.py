"""The Qt model of the list of tables by their use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from cdb_desktop.events.table_use import Use
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.schema.usage.words import KnownUse
from cdb_desktop.vocabulary.times import day_and_time

Index = QModelIndex | QPersistentModelIndex
# A table by its key in the document, an object type that is no table of it by its name.
Key = int | str
Row = tuple[str, KnownUse]

NAME, ROWS, LAST_WRITE, LAST_READ = range(4)
_TIMES = (LAST_WRITE, LAST_READ)
_USES = (Use.INSERT, Use.UPDATE, Use.DELETE, Use.VIEW, Use.SEARCH, Use.INDEX)
_DISPLAY = int(Qt.ItemDataRole.DisplayRole)
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROOT = QModelIndex()

# What rows are sorted by: a name in lower case, a number, or a POSIX time, 0 if there is none in the period;
# None if it is unknown.
_Value = str | float | None


@dataclass(frozen=True, slots=True)
class _Line:
    """A row as it was when it was shown: numbers of a scan change while it runs."""

    key: Key
    name: str
    values: tuple[_Value, ...]


class UseModel(QAbstractTableModel):
    """One row for each table. Rows that are shown again stay the same rows, whatever has changed in them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[_Line] = []
        self._sorting = NAME, Qt.SortOrder.AscendingOrder
        self._titles = (
            *(tr("Table"), tr("Rows"), tr("Last write"), tr("Last read")),
            *(tr("Inserts"), tr("Updates"), tr("Deletions"), tr("Views"), tr("Searches"), tr("Indexed")),
        )

    def show_rows(self, rows: Mapping[Key, Row]) -> None:
        """Shows these rows in the order that was chosen."""
        gone = [at for at, line in enumerate(self._lines) if line.key not in rows]
        for at in reversed(gone):
            self.beginRemoveRows(_ROOT, at, at)
            del self._lines[at]
            self.endRemoveRows()
        lines = {key: _Line(key, name, _values(name, use)) for key, (name, use) in rows.items()}
        self._lines = [lines[line.key] for line in self._lines]
        known = {line.key for line in self._lines}
        new = [line for key, line in lines.items() if key not in known]
        if new:
            self.beginInsertRows(_ROOT, len(self._lines), len(self._lines) + len(new) - 1)
            self._lines += new
            self.endInsertRows()
        self.sort(*self._sorting)
        if self._lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, len(self._titles) - 1))

    def key(self, row: int) -> Key:
        """The table of a row."""
        return self._lines[row].key

    def longest_texts(self, column: int) -> Sequence[str]:
        """Texts of a column of which one is about as long as any of them."""
        if column == NAME:
            return [line.name for line in self._lines]
        values = {line.values[column] for line in self._lines}
        highest = max((value for value in values if isinstance(value, int | float)), default=None)
        return [_text(column, value) for value in (values & {None, 0.0}) | {highest}]

    def rowCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:  # noqa: N802
        return 0 if parent.isValid() else len(self._titles)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY
    ) -> object:
        is_title = orientation == Qt.Orientation.Horizontal and role == _DISPLAY
        return self._titles[section] if is_title else None

    def data(self, index: Index, role: int = _DISPLAY) -> object:
        line, column = self._lines[index.row()], index.column()
        if role == _DISPLAY:
            return line.name if column == NAME else _text(column, line.values[column])
        if role == _ALIGNMENT and column != NAME and column not in _TIMES:
            return _RIGHT
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column; unknown values are the lowest."""
        self._sorting = column, order

        def rank(line: _Line) -> tuple[bool, object]:
            value = line.values[column]
            return value is not None, value

        is_reverse = order == Qt.SortOrder.DescendingOrder
        lines = sorted(self._lines, key=rank, reverse=is_reverse)
        if lines == self._lines:
            return
        self.layoutAboutToBeChanged.emit()
        places = {line.key: at for at, line in enumerate(lines)}
        before = self.persistentIndexList()
        after = [self.index(places[self._lines[one.row()].key], one.column()) for one in before]
        self._lines = lines
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()


def _values(name: str, known: KnownUse) -> tuple[_Value, ...]:
    use = known.use
    write = _seconds(use.last_write if use else None, is_known=use is not None and known.knows_writes)
    read = _seconds(use.last_read if use else None, is_known=known.reads is not None)
    return name.lower(), known.rows, write, read, *(known.number(each) for each in _USES)


def _seconds(moment: datetime | None, *, is_known: bool) -> float | None:
    if moment is not None:
        return moment.timestamp()
    return 0.0 if is_known else None


def _text(column: int, value: _Value) -> str:
    if not isinstance(value, int | float):
        return tr("unknown")
    if column not in _TIMES:
        return number_text(value)
    return day_and_time(datetime.fromtimestamp(value, UTC)) if value else tr("not in the period")
