"""Compares two events: fetches their records and shows them side by side in a dialog."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTableWidgetItem, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.event_details import ComparedValue, compare_events
from cdb_desktop.events.result import readable_events
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import whole_events
from cdb_desktop.ui.events.browser.table import number_of_rows, rows_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.times import day_and_time

_WORK = "events.compare"
_SIZE = 860, 560
_LONGEST_CELL = 400  # characters of a cell
_ACROSS = Qt.Orientation.Horizontal
_VALUES = 2  # columns before the values: the sign and the path
_TONES = {"~": "warning", "−": "danger", "+": "good"}


class CompareController(QObject):
    """Compares rows of the table, or any two events."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context

    def compare(self) -> None:
        """Compares the two selected rows, or the selected row with the next one."""
        table = self._context.view.table
        ranges = table.selected_ranges
        rows = list(rows_of(ranges)) if number_of_rows(ranges) == 2 else []
        if number_of_rows(ranges) == 1:
            row = next(rows_of(ranges))
            rows = [row, row + 1] if row + 1 < self._context.view.model.rowCount() else []
        if rows:
            self._context.tasks.start(_WORK, self._show(rows), on_error=self._failed)
        else:
            self._context.view.count.show_message(tr("Select two events to compare."))

    def compare_events(self, events: Sequence[Event]) -> None:
        """Compares two events."""
        ids = sorted(event.id for event in events)
        self._context.tasks.start(_WORK, self._show_whole(ids), on_error=self._failed)

    async def _show(self, rows: list[int]) -> None:
        records = await self._context.rows.records(rows)
        short = readable_events(records)
        if len(short) < len(records):
            self._context.view.count.show_message(tr("A record that could not be read cannot be compared."))
            return
        # The older one is at the left in any order of the rows.
        await self._show_whole(sorted(event.id for event in short))

    async def _show_whole(self, ids: Sequence[int]) -> None:
        whole = await whole_events(self._context.client, ids)
        self._context.view.end_trouble(_WORK)
        if len(whole) == 2:
            left, right = whole
            CompareDialog(self._context.view.appearance, left, right, self._context.view).open()
        else:
            self._context.view.count.show_message(tr("One of them has been deleted."))

    def _failed(self, error: Exception) -> None:
        self._context.view.show_trouble(_WORK, error)


class CompareDialog(BaseDialog):
    """A table of paths and the values of both events; a sign marks those that differ."""

    def __init__(self, appearance: Appearance, left: Event, right: Event, parent: QWidget) -> None:
        super().__init__(appearance, "events.compare", parent)
        self._lines = compare_events(left, right)
        self.table = named("events.compare.table", PlainTable(self))
        self.only = named("events.compare.only", QCheckBox(tr("Only &differences"), self))
        number = sum(1 for line in self._lines if line.sign)
        text = tr(
            "{differing:1 of {count} values differs.|{differing} of {count} values differ.}",
            differing=number,
            count=len(self._lines),
        )
        self.set_texts(tr("Compare two events"), text, tr("Close"))
        self.cancel_button.hide()
        self.accept_button.clicked.connect(self.close)
        self._arrange_table(left, right)
        self.body.addWidget(self.only)
        self.body.addWidget(self.table, stretch=1)
        self.only.toggled.connect(self._show_lines)
        self.only.setChecked(True)
        self.resize(*_SIZE)
        self.table.setFocus()

    def _show_lines(self) -> None:
        shown = [line for line in self._lines if line.sign or not self.only.isChecked()]
        self.table.setRowCount(len(shown))
        for row, line in enumerate(shown):
            for column, text in enumerate((line.sign, line.path, line.left, line.right)):
                self.table.setItem(row, column, self._item(line, text, is_name=column < _VALUES))
        self.table.selectRow(0)

    def _item(self, line: ComparedValue, text: str | None, *, is_name: bool) -> QTableWidgetItem:
        item = QTableWidgetItem((text or "")[:_LONGEST_CELL])
        item.setToolTip((text or "")[:_LONGEST_CELL])
        if line.sign and is_name:
            item.setForeground(QColor(getattr(self._appearance.tokens, _TONES[line.sign])))
            font = QFont(self.table.font())
            font.setWeight(QFont.Weight.DemiBold)
            item.setFont(font)
        return item

    def _arrange_table(self, left: Event, right: Event) -> None:
        table = self.table
        table.setColumnCount(_VALUES + 2)
        table.setAccessibleName(tr("Values of both events"))
        table.setHorizontalHeaderLabels(["", tr("Value"), _name(left), _name(right)])
        for column, event in ((_VALUES, left), (_VALUES + 1, right)):
            table.model().setHeaderData(column, _ACROSS, _name(event), Qt.ItemDataRole.ToolTipRole)
        table.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        for column, mode in enumerate(
            (
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.ResizeToContents,
                QHeaderView.ResizeMode.Stretch,
                QHeaderView.ResizeMode.Stretch,
            )
        ):
            header.setSectionResizeMode(column, mode)


def _name(event: Event) -> str:
    return f"{number_text(event.id)} · {event.type} · {day_and_time(event.timestamp)}"
