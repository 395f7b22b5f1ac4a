"""The sheet with the summary of a result: plot, numbers, and ways to take them along. Counts nothing."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QTableWidgetItem,
    QWidget,
)

from cdb_desktop.events.summary import SummaryKind, SummaryTable
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.events.overview.heat_map import HeatMap
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind as Waiting
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.plain_table import PlainTable

_SIZE = 900, 660
_FRAME = 48  # pixels that the title and the edges of a window take at most
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MOST_ROWS = 500
_FITTED = 200  # columns; only days are ever more, and those are of one width


class SummarySheet(BaseDialog):
    """What by what.

    Signals: ``kind_chosen`` (Kind).
    """

    kind_chosen = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "events.summary", parent)
        self._shown = SummaryTable()
        self.kind = ignore_wheel(named("events.summary.kind", QComboBox(self)))
        self.plot = HeatMap(appearance, self)
        self.plot.hide()
        self.waiting = named("events.summary.waiting", EmptyState(appearance, self))
        self.table = named("events.summary.table", PlainTable(self))
        self.table.hide()
        self._save = QPushButton(tr("Save &table…"), self)
        self._save_plot = QPushButton(tr("Save &plot…"), self)
        self._copy = QPushButton(tr("&Copy table"), self)
        self.say(tr("Summary"), tr("Reading the events…"), tr("Close"))
        self.cancel_button.hide()
        self.accept_button.clicked.connect(self.close)
        self._fill()
        # Its foot stays in sight on a low screen too.
        self.resize(QSize(*_SIZE).boundedTo(self.screen().availableSize() - QSize(_FRAME, _FRAME)))

    @property
    def chosen(self) -> SummaryKind:
        """What is counted by what."""
        return SummaryKind(self.kind.currentData())

    def show_waiting(self, text: str) -> None:
        """What is done before there are numbers stands in their place."""
        self.waiting.show_state(Waiting.LOADING, tr("Counting the events"), text)

    def show_none(self) -> None:
        """There will be no numbers, and what has failed is told above."""
        self.waiting.show_state(Waiting.FAILED, tr("No numbers"), tr("Open the summary again to retry."))

    def show_table(self, table: SummaryTable, *, unreadable: int = 0, without_time: int = 0) -> None:
        """Shows the numbers, and how many records are in none of them."""
        self._shown = table
        self.waiting.hide()
        self.table.show()
        told = [tr("{count:1 event|{count} events}", count=table.total)]
        if unreadable:
            told.append(tr("left out as they could not be read: {count}", count=unreadable))
        if without_time:
            told.append(tr("left out as they have no time: {count}", count=without_time))
        self.tell(" · ".join(told))
        self.plot.show_table(table)
        self.plot.setVisible(bool(table.rows))
        rows = table.rows[:_MOST_ROWS]
        self.table.clear()
        self.table.setRowCount(len(rows))
        self.table.setColumnCount(len(table.columns) + 1)
        self.table.setHorizontalHeaderLabels([*table.columns, "Σ"])
        self.table.setVerticalHeaderLabels(rows)
        for row in range(len(rows)):
            numbers = table.values[row]
            for column, number in enumerate((*numbers, sum(numbers))):
                item = QTableWidgetItem(number_text(number) if number else "·")
                item.setTextAlignment(_RIGHT)
                self.table.setItem(row, column, item)
        self._fit_columns(table)
        for button in (self._save, self._save_plot, self._copy):
            button.setEnabled(bool(table.rows))

    def _fit_columns(self, table: SummaryTable) -> None:
        """With room for titles and numbers; asking every cell would take long."""
        header, measure = self.table.horizontalHeader(), self.table.fontMetrics().horizontalAdvance
        number = measure(number_text(table.total))
        widths = [max(number, measure(title)) + 3 * GAP for title in table.columns]
        widest = max(widths, default=number + 3 * GAP)
        header.setDefaultSectionSize(widest)
        for place, width in enumerate(widths[:_FITTED]):
            if width != widest:
                header.resizeSection(place, width)

    def save_table(self, target: Path) -> None:
        """Writes the numbers as CSV."""
        self._write(target, self._shown.as_csv().encode())

    def save_plot(self, target: Path) -> None:
        """Writes the plot as a picture."""
        picture = QBuffer()
        self.plot.grab().save(picture, "PNG")
        self._write(target, bytes(picture.data().data()))

    def _write(self, target: Path, content: bytes) -> None:
        try:
            write_whole(target, content, private=False)
        except OSError as error:
            self.show_fault(tr("Not written: {reason}", reason=error.strerror or str(error)))

    def _fill(self) -> None:
        names = {
            SummaryKind.TYPE_DAY: tr("Types by day"),
            SummaryKind.USER_HOUR: tr("Users by hour of the day"),
            SummaryKind.USER_TYPE: tr("Users by type"),
        }
        for kind, name in names.items():
            self.kind.addItem(name, kind)
        self.kind.setAccessibleName(tr("What is counted"))
        self.kind.currentIndexChanged.connect(lambda: self.kind_chosen.emit(self.chosen))
        self.plot.setAccessibleName(tr("Heat map of the numbers below: darker means more"))
        self.table.setAccessibleName(tr("Numbers"))
        self.table.horizontalHeader().setDefaultAlignment(_RIGHT)
        self._save.clicked.connect(lambda: self._ask(tr("CSV (*.csv)"), "csv", table=True))
        self._save_plot.clicked.connect(lambda: self._ask(tr("PNG (*.png)"), "png", table=False))
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._shown.as_csv()))
        line = QHBoxLayout()
        line.addWidget(self.kind)
        line.addStretch(1)
        for button in (self._copy, self._save, self._save_plot):
            button.setAutoDefault(False)
            button.setEnabled(False)
            line.addWidget(button)
        self.body.addLayout(line)
        self.body.addWidget(self.waiting, stretch=1)
        self.body.addWidget(self.plot)
        self.body.addWidget(self.table, stretch=1)

    def _ask(self, kinds: str, suffix: str, *, table: bool) -> None:
        dialog = QFileDialog(self, tr("Save the summary"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(kinds)
        dialog.setDefaultSuffix(suffix)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        take = self.save_table if table else self.save_plot
        dialog.fileSelected.connect(lambda path: take(Path(path)))
        dialog.open()
