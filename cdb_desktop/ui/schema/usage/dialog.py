"""The list of tables by their use, which says the same as the colors of the diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QTableView, QWidget

from cdb_desktop.events.table_use import Use
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.schema.usage.words import KnownUse
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import make_plain
from cdb_desktop.vocabulary.times import day_and_time

_WIDTH, _HEIGHT = 980, 480


class UsageDialog(BaseDialog):
    """The list. It is not modal, so that the diagram can be used meanwhile.

    Signals: ``reveal_requested`` and ``events_requested`` with the key of a table.
    """

    reveal_requested = Signal(object)
    events_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget, *, may_see_events: bool) -> None:
        super().__init__(appearance, "schema.usage.tables", parent)
        self.setModal(False)
        self.table = named("schema.usage.tables.rows", QTableView(self))
        make_plain(self.table)
        self.table.setAccessibleName(tr("Tables by use"))
        self.table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        self._model = UseModel(self)
        self.table.setModel(self._model)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setSortIndicator(LAST_WRITE, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self._widths = [0] * self._model.columnCount()
        self.table.activated.connect(lambda _index: self._emit(self.reveal_requested))
        self.table.selectionModel().selectionChanged.connect(self._enable)
        self.body.addWidget(self.table, stretch=1)
        self.events = self.add_button(tr("Show its &events"), lambda: self._emit(self.events_requested))
        self._may_see_events = may_see_events
        self.set_texts(tr("Tables by use"), "", tr("Show in the diagram"))
        self.cancel_button.setText(tr("Close"))
        self.accept_button.clicked.connect(lambda: self._emit(self.reveal_requested))
        self._enable()
        self.resize(_WIDTH, _HEIGHT)
        self.table.setFocus()

    def show_uses(self, rows: Mapping[int, Row], others: Mapping[str, KnownUse], note: str) -> None:
        """Shows the tables by their keys, and object types that are no tables of the model.

        Selection, order and scroll position stay.
        """
        self.set_text(note)
        every: dict[Key, Row] = dict(rows.items())
        every |= {
            name: (tr("{name} (not in this model)", name=name), known) for name, known in others.items()
        }
        self._model.show_rows(every)
        self._widen()
        self._enable()

    def _widen(self) -> None:
        """Makes columns wide enough for their texts; only wider, so that they do not jump during a scan."""
        header, metrics = self.table.horizontalHeader(), self.table.fontMetrics()
        for column, before in enumerate(self._widths):
            texts = self._model.longest_texts(column)
            needed = max(map(metrics.horizontalAdvance, texts), default=0) + 2 * GAP + 1
            needed = max(needed, header.sectionSizeHint(column))
            if needed > before:
                self._widths[column] = needed
                header.resizeSection(column, needed)

    @property
    def _chosen(self) -> int | None:
        found = self.table.selectionModel().selectedRows()
        key = self._model.key(found[0].row()) if found else None
        return key if isinstance(key, int) else None

    def _emit(self, signal: object) -> None:
        if self._chosen is not None:
            signal.emit(self._chosen)  # type: ignore[attr-defined]

    def _enable(self, *_selections: object) -> None:
        self.accept_button.setEnabled(self._chosen is not None)
        self.events.setEnabled(self._chosen is not None and self._may_see_events)


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
