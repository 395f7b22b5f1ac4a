"""The panel of the last requests with their results, and copies for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QPushButton, QTableWidgetItem, QVBoxLayout, QWidget

from cdb_desktop.client import Exchange, RequestForm
from cdb_desktop.events.request_log import MAX_REQUESTS, RequestLog, is_poll
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.i18n import number_text, size_text, tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, STRIP, tabular
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.input_handling import on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.menus import context_menu
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.times import clock_time


class RequestPanel(QWidget):
    """The last requests, newest first; while hidden it only records them.

    Signals: ``copy_requested`` (Exchange, RequestForm) · ``close_requested``.
    """

    copy_requested = Signal(object, object)
    close_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("events.requests")
        self.setAutoFillBackground(True)
        self.exchanges = RequestLog()  # all recorded requests
        self.table = RequestTable(appearance, self)
        self.polls = named("events.requests.polls", QCheckBox(tr("&Polls too"), self))
        self.clear = named("events.requests.clear", QPushButton(tr("C&lear"), self))
        self._title = ElidedLabel(self)
        self._title.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._close = IconButton(icon("close", appearance), tr("Close the requests (Esc)"), self)
        self._copies = {form: QPushButton(self) for form in RequestForm}
        self._arrange()
        self._connect()
        self._offer()
        for form, text in self._forms().items():
            self._copies[form].setText(text)
            self._copies[form].setToolTip(tr("The token is replaced by $TOKEN"))
        self.table.setAccessibleName(tr("Requests"))

    def add(self, exchange: Exchange) -> None:
        """Records a request."""
        self.exchanges.add(exchange)
        if self.isVisible() and (self.polls.isChecked() or not is_poll(exchange)):
            self.table.add(exchange)

    @property
    def chosen(self) -> Exchange | None:
        """The selected request."""
        rows = self.table.selectionModel().selectedRows()
        return self.table.exchanges[rows[0].row()] if rows else None

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.table.show_exchanges(())

    def _show(self) -> None:
        self.table.show_exchanges(self.exchanges.entries(polls=self.polls.isChecked()))
        self._offer()

    def _forget(self) -> None:
        self.exchanges.clear()
        self._show()

    def _offer(self) -> None:
        for button in self._copies.values():
            button.setEnabled(self.chosen is not None)
        there = bool(self.table.exchanges)
        self.clear.setEnabled(there)
        self._title.setText(tr("Requests, newest first") if there else tr("No requests since then."))

    def _copy(self, form: RequestForm) -> None:
        if self.chosen is not None:
            self.copy_requested.emit(self.chosen, form)

    def _open_menu(self, place: QPoint) -> None:
        if self.chosen is None:
            return
        menu = context_menu(self, "events.requests.menu")
        for form, text in self._forms().items():
            menu.addAction(text).triggered.connect(partial(self._copy, form))
        menu.popup(self.table.viewport().mapToGlobal(place))

    def _connect(self) -> None:
        self.table.selectionModel().selectionChanged.connect(self._offer)
        self.table.model().rowsInserted.connect(self._offer)
        self.table.customContextMenuRequested.connect(self._open_menu)
        for form, button in self._copies.items():
            button.clicked.connect(partial(self._copy, form))
        self.polls.toggled.connect(self._show)
        self.clear.clicked.connect(self._forget)
        self._close.clicked.connect(self.close_requested)
        on_key("Escape", self, self.close_requested.emit, inside=True)
        on_key("Ctrl+C", self.table, lambda: self._copy(RequestForm.CURL))

    def _arrange(self) -> None:
        bar = Toolbar(self, height=STRIP + GAP)
        bar.add(self._title)
        bar.add(self.polls, gap=GAP)
        bar.push()
        for form, button in self._copies.items():
            bar.add(named(f"events.requests.{form.value}", button), gap=GAP // 2)
        bar.add(self.clear, gap=GAP)
        bar.add(self._close)
        lay_out(QVBoxLayout(self), bar, self.table)
        set_tab_order(self.polls, *self._copies.values(), self.clear, self._close, self.table)

    def _forms(self) -> dict[RequestForm, str]:
        return {
            RequestForm.URL: tr("Copy address"),
            RequestForm.CURL: tr("Copy as curl"),
            RequestForm.HTTPX: tr("Copy as Python"),
        }


class RequestController(QObject):
    """Records the requests of the client and copies them for other programs."""

    def __init__(self, context: BrowserContext, panel: RequestPanel) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._panel = panel
        self._panel.copy_requested.connect(
            lambda exchange, form: self._copy(exchange.text(form, context.client.address))
        )
        self._panel.close_requested.connect(self._close)
        client = self._client
        client.watch_with(self._panel.add)
        # The client signs out after the panel has been deleted.
        self._view.destroyed.connect(lambda: client.watch_with(None))
        actions = self._view.actions_by_name
        # Bound methods of objects: actions outlive the browser, and Qt disconnects them.
        actions["request_url"].triggered.connect(self._copy_address)
        actions["request_curl"].triggered.connect(self._copy_curl)
        actions["request_httpx"].triggered.connect(self._copy_python)

    def _copy_address(self) -> None:
        self._copy_query(RequestForm.URL)

    def _copy_curl(self) -> None:
        self._copy_query(RequestForm.CURL)

    def _copy_python(self) -> None:
        self._copy_query(RequestForm.HTTPX)

    def _copy_query(self, form: RequestForm) -> None:
        asked = self._view.query.at(datetime.now(UTC))
        full = self._rows.whole
        text = self._client.listing_text(form, asked.filter, asked.sort, limit=PAGE_SIZE, full=full)
        self._copy(text)
        if asked.conditions:
            self._view.count.show_message(tr("Copied without conditions that the service cannot test."))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        needs_token = "TOKEN" in text
        self._view.count.show_message(
            tr("Copied without the token: set the variable TOKEN.")
            if needs_token
            else tr("Copied without a token.")
        )

    def _close(self) -> None:
        self._view.actions_by_name["requests"].setChecked(False)
        self._view.table.setFocus()


TIME, METHOD, RESULT, ROWS, SIZE, TOOK, ADDRESS = range(7)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = (ROWS, SIZE, TOOK)
_SAMPLES = {
    TIME: "00:00:00",
    METHOD: "Methode",
    RESULT: "200 error.user.xxxx",
    ROWS: "00,000",
    SIZE: "000.0 bytes",
    TOOK: "00,000 ms",
}


def cells(exchange: Exchange) -> tuple[str, ...]:
    """The texts of a row."""
    return (
        clock_time(exchange.started),
        exchange.method,
        outcome_text(exchange),
        "" if exchange.rows is None else number_text(exchange.rows),
        size_text(exchange.size) if exchange.size else "",
        tr("{number} ms", number=round(exchange.seconds * 1000)),
        address_text(exchange),
    )


def address_text(exchange: Exchange) -> str:
    """Path and parameters, readable and without the token."""
    query = " & ".join(f"{name}={value}" for name, value in exchange.parameters)
    return f"{exchange.path}  {query}".strip()


def outcome_text(exchange: Exchange) -> str:
    """``200``, ``403 error.user.no_system_right``, or why there is no answer."""
    failure = exchange.failure
    reasons = {
        "cancelled": tr("given up"),
        "slow": tr("no answer in time"),
        "answer": tr("not understood"),
    }
    reason = reasons.get(failure, failure)
    if failure.startswith("unreachable."):
        reason = tr("not reached: {failure}", failure=failure.partition(".")[2])
    return " ".join(part for part in (str(exchange.status or ""), reason) if part)


def details_text(exchange: Exchange) -> str:
    """All details, one per line."""
    lines = [f"{exchange.method} {exchange.path}"]
    lines += [f"  {name} = {value}" for name, value in exchange.parameters]
    if exchange.withheld:
        lines.append(tr("The body was not recorded: it is confidential or too large."))
    elif exchange.request.body:
        lines.append(exchange.request.body.decode("utf-8", "replace")[:2000])
    return "\n".join(lines)


class RequestTable(PlainTable):
    """The requests, newest first, one of which can be selected."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self.exchanges: list[Exchange] = []
        self.setObjectName("events.requests.table")
        self.setFont(tabular(self.font()))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setSelectionBehavior(PlainTable.SelectionBehavior.SelectRows)
        self.setSelectionMode(PlainTable.SelectionMode.SingleSelection)
        titles = [tr("Time"), tr("Method"), tr("Result"), tr("Rows"), tr("Size"), tr("Took")]
        titles.append(tr("Address and parameters"))
        self.setColumnCount(len(titles))
        self.setHorizontalHeaderLabels(titles)
        for column in _NUMBERS:
            heading = QTableWidgetItem(titles[column])
            heading.setTextAlignment(_RIGHT)
            self.setHorizontalHeaderItem(column, heading)
        self.verticalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        for column, sample in _SAMPLES.items():
            width = QFontMetrics(self.font()).horizontalAdvance(sample) + 3 * GAP
            self.horizontalHeader().resizeSection(column, width)
        self._follow_appearance()
        appearance.changed.connect(self._follow_appearance)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The titles and one row."""
        least = self.horizontalHeader().sizeHint().height() + self._appearance.row
        return QSize(super().minimumSizeHint().width(), least)

    def show_exchanges(self, exchanges: Sequence[Exchange]) -> None:
        """Shows other requests."""
        self.exchanges = []
        self.setRowCount(0)
        for exchange in reversed(exchanges):
            self.add(exchange)

    def add(self, exchange: Exchange) -> None:
        """Adds a request and drops the oldest if there are too many."""
        self.exchanges.insert(0, exchange)
        self.insertRow(0)
        tip = details_text(exchange)
        for column, text in enumerate(cells(exchange)):
            item = QTableWidgetItem(text)
            item.setToolTip(tip)
            if column in _NUMBERS:
                item.setTextAlignment(_RIGHT)
            self.setItem(0, column, item)
        self._color(0)
        del self.exchanges[MAX_REQUESTS:]
        self.setRowCount(len(self.exchanges))

    def _color(self, row: int) -> None:
        tokens = self._appearance.tokens
        for column in range(self.columnCount()):
            color = tokens.text if column in (RESULT, ADDRESS) else tokens.muted
            if column == RESULT and self.exchanges[row].failure not in ("", "cancelled"):
                color = tokens.danger
            if (item := self.item(row, column)) is not None:
                item.setForeground(QColor(color))

    def _follow_appearance(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._appearance.row)
        for row in range(self.rowCount()):
            self._color(row)
