"""The dialog with two events side by side, their differences marked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QCheckBox, QHeaderView, QTableWidgetItem, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.event_details import ComparedValue, compare_events
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.times import day_and_time

_SIZE = 860, 560
_MOST = 400  # characters of a cell
_ACROSS = Qt.Orientation.Horizontal
_VALUES = 2  # columns before them: the sign and the path
_TONES = {"~": "warning", "−": "danger", "+": "good"}


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
        self.say(tr("Compare two events"), text, tr("Close"))
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
        item = QTableWidgetItem((text or "")[:_MOST])
        item.setToolTip((text or "")[:_MOST])
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
