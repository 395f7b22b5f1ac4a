"""The list of tables by their use, which says the same as the colors of the diagram."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTableWidgetItem, QWidget

from cdb_desktop.events.table_use import Use
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.schema.usage.words import KnownUse
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.times import day_and_time

_KEY = Qt.ItemDataRole.UserRole
_VALUE = Qt.ItemDataRole.UserRole + 1
_USES = (Use.INSERT, Use.UPDATE, Use.DELETE, Use.VIEW, Use.SEARCH, Use.INDEX)
_WIDTH, _HEIGHT = 980, 480
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

Row = tuple[str, KnownUse]


class UsageDialog(BaseDialog):
    """The list. It is not modal, so that the diagram can be used meanwhile.

    Signals: ``reveal_requested`` and ``events_requested`` with the key of a table.
    """

    reveal_requested = Signal(object)
    events_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget, *, may_see_events: bool) -> None:
        super().__init__(appearance, "schema.usage.tables", parent)
        self.setModal(False)
        self.table = named("schema.usage.tables.rows", PlainTable(self))
        self.table.setAccessibleName(tr("Tables by use"))
        self.table.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        titles = (
            *(tr("Table"), tr("Rows"), tr("Last write"), tr("Last read")),
            *(tr("Inserts"), tr("Updates"), tr("Deletions"), tr("Views"), tr("Searches"), tr("Indexed")),
        )
        self.table.setColumnCount(len(titles))
        self.table.setHorizontalHeaderLabels(titles)
        header = self.table.horizontalHeader()
        for column in range(len(titles)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setSortIndicator(2, Qt.SortOrder.AscendingOrder)
        self.table.setSortingEnabled(True)
        self.table.itemActivated.connect(lambda _item: self._emit(self.reveal_requested))
        self.table.itemSelectionChanged.connect(self._enable)
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

        The selected row stays selected.
        """
        chosen = self._chosen
        self.set_text(note)
        self.table.setSortingEnabled(False)
        self.table.setRowCount(0)
        self.table.setRowCount(len(rows) + len(others))
        for at, (key, (name, known)) in enumerate(rows.items()):
            self._fill(at, key, name, known)
        for at, (name, known) in enumerate(others.items(), len(rows)):
            self._fill(at, None, tr("{name} (not in this model)", name=name), known)
        self.table.setSortingEnabled(True)
        for at in range(self.table.rowCount()):
            item = self.table.item(at, 0)
            if item is not None and chosen is not None and item.data(_KEY) == chosen:
                self.table.selectRow(at)
        self._enable()

    @property
    def _chosen(self) -> int | None:
        found = self.table.selectedItems()
        key = found[0].data(_KEY) if found else None
        return key if isinstance(key, int) else None

    def _emit(self, signal: object) -> None:
        if self._chosen is not None:
            signal.emit(self._chosen)  # type: ignore[attr-defined]

    def _enable(self) -> None:
        self.accept_button.setEnabled(self._chosen is not None)
        self.events.setEnabled(self._chosen is not None and self._may_see_events)

    def _fill(self, at: int, key: int | None, name: str, known: KnownUse) -> None:
        use = known.use
        last_write = use.last_write if use is not None else None
        last_read = use.last_read if use is not None else None
        cells = [
            _Cell(name, name.lower()),
            _number(known.rows),
            _time(last_write, is_known=use is not None and known.knows_writes),
            _time(last_read, is_known=known.reads is not None),
            *(_number(known.number(each)) for each in _USES),
        ]
        for column, cell in enumerate(cells):
            cell.setData(_KEY, key)
            self.table.setItem(at, column, cell)


class _Cell(QTableWidgetItem):
    """A cell that is sorted by a value; those without one come first."""

    def __init__(self, text: str, value: str | float | None) -> None:
        super().__init__(text)
        self._value = value

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, _Cell):
            return NotImplemented
        one, two = self._value, other._value
        if one is None or two is None:
            return one is None and two is not None
        return one < two  # type: ignore[operator]


def _number(value: int | None) -> _Cell:
    cell = _Cell(tr("unknown") if value is None else number_text(value), value)
    cell.setTextAlignment(_RIGHT)
    return cell


def _time(moment: datetime | None, *, is_known: bool) -> _Cell:
    if moment is not None:
        return _Cell(day_and_time(moment), moment.timestamp())
    return _Cell(tr("not in the period"), 0.0) if is_known else _Cell(tr("unknown"), None)
