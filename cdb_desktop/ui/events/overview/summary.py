"""The dialog with the summary of a result: a heat map, its numbers, and ways to save them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QTableWidgetItem,
    QToolTip,
    QWidget,
)

from cdb_desktop.client import Record
from cdb_desktop.events.matches import MatchedResult
from cdb_desktop.events.paging import read_pages
from cdb_desktop.events.result import QueryResult, readable_events
from cdb_desktop.events.summary import EventSummary, SummaryKind, SummaryTable
from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import number_text, tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.browser.event_requests import FullPages, events_by_id
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import CAPTION, GAP, TIGHT, scaled, tabular
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind as Waiting
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.vocabulary.error_messages import error_message

_SIZE = 900, 660
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MOST_ROWS = 500
_FITTED = 200  # columns; only days can be more, and they have equal widths
_CELL_HEIGHT, _AXIS_HEIGHT, _WIDEST_NAME = 18, 20, 240
_MAP_ROWS = 12
_FAINTEST = 0.12


class SummaryDialog(BaseDialog):
    """Shows counts by type and day, by user and hour, or by user and type.

    Signals: ``kind_chosen`` (SummaryKind).
    """

    kind_chosen = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(appearance, "events.summary", parent)
        self._shown = SummaryTable()
        self.kind = ignore_wheel(named("events.summary.kind", QComboBox(self)))
        self.plot = _HeatMap(appearance, self)
        self.plot.hide()
        self.waiting = named("events.summary.waiting", EmptyState(appearance, self))
        self.table = named("events.summary.table", PlainTable(self))
        self.table.hide()
        self._save = QPushButton(tr("Save &table…"), self)
        self._save_plot = QPushButton(tr("Save &plot…"), self)
        self._copy = QPushButton(tr("&Copy table"), self)
        self.set_texts(tr("Summary"), tr("Reading the events…"), tr("Close"))
        self.cancel_button.hide()
        self.accept_button.clicked.connect(self.close)
        self._fill()
        self.resize_within_screen(*_SIZE)

    @property
    def chosen(self) -> SummaryKind:
        """The chosen kind of summary."""
        return SummaryKind(self.kind.currentData())

    def show_waiting(self, text: str) -> None:
        """Shows the progress instead of the numbers."""
        self.waiting.show_state(Waiting.LOADING, tr("Counting the events"), text)

    def show_none(self) -> None:
        """Shows that there are no numbers; what has failed is shown above."""
        self.waiting.show_state(Waiting.FAILED, tr("No numbers"), tr("Open the summary again to retry."))

    def show_table(self, table: SummaryTable, *, unreadable: int = 0, without_time: int = 0) -> None:
        """Shows the numbers, and how many records could not be counted."""
        self._shown = table
        self.waiting.hide()
        self.table.show()
        texts = [tr("{count:1 event|{count} events}", count=table.total)]
        if unreadable:
            texts.append(tr("left out as they could not be read: {count}", count=unreadable))
        if without_time:
            texts.append(tr("left out as they have no time: {count}", count=without_time))
        self.set_text(" · ".join(texts))
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
        """Makes columns wide enough for titles and numbers; measuring every cell would be slow."""
        header, measure = self.table.horizontalHeader(), self.table.fontMetrics().horizontalAdvance
        number = measure(number_text(table.total))
        widths = [max(number, measure(title)) + 3 * GAP for title in (*table.columns, "")]
        header.setDefaultSectionSize(max(widths))
        # Each of them: a section may still have the width of another table.
        for place, width in enumerate(widths[:_FITTED]):
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
        dialog = QFileDialog(self, tr("Save the summary"), acceptMode=QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(kinds)
        dialog.setDefaultSuffix(suffix)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        save = self.save_table if table else self.save_plot
        dialog.fileSelected.connect(lambda path: save(Path(path)))
        dialog.open()


class _HeatMap(QWidget):
    """A heat map of a table: the more, the darker; names at the left, first and last column below."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.summary.plot")
        self._appearance = appearance
        self._table = SummaryTable()
        self.setFont(tabular(scaled(self.font(), CAPTION)))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)

    def show_table(self, table: SummaryTable) -> None:
        """Shows the first rows of a table."""
        self._table = table
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(600, max(1, self._rows) * _CELL_HEIGHT + _AXIS_HEIGHT + 2 * GAP)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(300, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tooltip(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        tokens = self._appearance.tokens
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.ground))
            for row in range(self._rows):
                self._paint_row(painter, row)
            if self._table.columns:
                left = self._left()
                foot = QRect(
                    left, self.height() - _AXIS_HEIGHT - GAP, self.width() - left - GAP, _AXIS_HEIGHT
                )
                painter.setPen(QColor(tokens.muted))
                painter.drawText(
                    foot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._table.columns[0]
                )
                painter.drawText(
                    foot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._table.columns[-1]
                )

    def _paint_row(self, painter: QPainter, row: int) -> None:
        tokens, table = self._appearance.tokens, self._table
        place = QRect(GAP, GAP + row * _CELL_HEIGHT, self._left() - 2 * GAP, _CELL_HEIGHT)
        name = painter.fontMetrics().elidedText(table.rows[row], Qt.TextElideMode.ElideRight, place.width())
        painter.setPen(QColor(tokens.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
        for column, number in enumerate(table.values[row]):
            color = QColor(tokens.accent if number else tokens.line)
            color.setAlphaF(_FAINTEST + (1 - _FAINTEST) * number / table.highest if number else 0.4)
            painter.fillRect(self._cell(row, column), color)

    @property
    def _rows(self) -> int:
        return min(len(self._table.rows), _MAP_ROWS)

    def _left(self) -> int:
        """Where the cells begin, right of the names."""
        names = self._table.rows[: self._rows]
        widest = max(map(self.fontMetrics().horizontalAdvance, names), default=0)
        return min(widest, _WIDEST_NAME) + 3 * GAP

    def _cell(self, row: int, column: int) -> QRect:
        start, number = self._left(), len(self._table.columns)
        room = self.width() - start - GAP
        left, right = (start + room * one // number for one in (column, column + 1))
        return QRect(left, GAP + row * _CELL_HEIGHT, max(1, right - left - 1), _CELL_HEIGHT - TIGHT // 2)

    def _tooltip(self, x: int, y: int) -> str:
        row, start = (y - GAP) // _CELL_HEIGHT, self._left()
        room = self.width() - start - GAP
        if x < start or not 0 <= row < self._rows or not self._table.columns:
            return ""
        column = min((x - start) * len(self._table.columns) // room, len(self._table.columns) - 1)
        number = number_text(self._table.values[row][column])
        return f"{self._table.rows[row]} · {self._table.columns[column]}: {number}"


_READ, _COUNT = "events.summary", "events.summary.count"


class SummaryController(QObject):
    """Opens the dialog and fills it."""

    def __init__(self, context: BrowserContext) -> None:
        super().__init__(context.view)
        self._context = context

    def open(self) -> None:
        """Opens the dialog and reads the events of the query."""
        result = self._context.rows.result
        if result is None or not result.rows:
            self._context.view.count.show_message(tr("There are no events to summarize."))
            return
        dialog = SummaryDialog(self._context.view.appearance, self._context.view)
        summary = EventSummary()
        dialog.kind_chosen.connect(partial(self._count, dialog, summary))
        dialog.finished.connect(self._stop)
        dialog.explain_requested.connect(self._context.view.notice.explain_requested)
        dialog.show_waiting(tr("The first events are read."))
        dialog.open()
        title = tr("Reading events for a summary")
        self._context.tasks.start(
            _READ, self._read(dialog, summary, result), title=title, on_error=partial(self._failed, dialog)
        )

    def _stop(self) -> None:
        for name in (_READ, _COUNT):
            self._context.tasks.cancel(name)

    async def _read(self, dialog: SummaryDialog, summary: EventSummary, result: QueryResult) -> None:
        client = self._context.client
        fetch = FullPages(client, result.resolved_query.filter, short=True).fetch
        pages: AsyncIterator[Sequence[Record]] = read_pages(fetch, up_to=result.newest)
        if isinstance(result, MatchedResult):
            pages = events_by_id(client, result.ids, short=True)
        async for page in pages:
            summary.add(page)
            self._context.view.seen.add(readable_events(page))
            self._show_progress(dialog, len(summary), result.total)
        await self._show_table(dialog, summary, dialog.chosen)

    def _show_progress(self, dialog: SummaryDialog, read: int, total: int | None) -> None:
        if total is None:
            text = tr("{read:1 event|{read} events} read", read=read)
        else:
            text = tr("{read} of {total:1 event|{total} events} read", total=total, read=read)
        dialog.show_waiting(text)
        self._context.tasks.show_progress(_READ, text, min(1.0, read / total) if total else None)

    def _count(self, dialog: SummaryDialog, summary: EventSummary, kind: SummaryKind) -> None:
        if not self._context.tasks.is_running(_READ):
            self._context.tasks.start(_COUNT, self._show_table(dialog, summary, kind))

    async def _show_table(self, dialog: SummaryDialog, summary: EventSummary, kind: SummaryKind) -> None:
        # In a thread: the first call imports pandas.
        dialog.set_text(tr("Counting…"))
        dialog.show_waiting(tr("The events are counted."))
        table = await asyncio.to_thread(summary.table, kind)
        dialog.show_table(table, unreadable=summary.unreadable, without_time=summary.without_time)

    def _failed(self, dialog: SummaryDialog, error: Exception) -> None:
        dialog.show_none()
        dialog.show_failure(error_message(error))
