"""The panel of the last requests with their results, and copies for other programs."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QCheckBox, QPushButton, QVBoxLayout, QWidget

from cdb_desktop.client import Exchange, RequestForm, listing_text
from cdb_desktop.events.request_log import RequestLog, is_poll
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.requests.request_table import RequestModel, RequestTable
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, STRIP
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.input_handling import on_key, set_tab_order
from cdb_desktop.ui.widgets.labels import ElidedLabel
from cdb_desktop.ui.widgets.menus import context_menu
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar


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
        self._kept = RequestLog()
        self.model = RequestModel(appearance, self)
        self.table = RequestTable(self.model, appearance, self)
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

    @property
    def exchanges(self) -> RequestLog:
        """All recorded requests."""
        return self._kept

    def add(self, exchange: Exchange) -> None:
        """Records a request."""
        self._kept.add(exchange)
        if self.isVisible() and (self.polls.isChecked() or not is_poll(exchange)):
            self.model.add(exchange)

    @property
    def chosen(self) -> Exchange | None:
        """The selected request."""
        row = self.table.chosen_row
        return None if row is None else self.model.exchanges[row]

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Adds the requests recorded while hidden."""
        super().showEvent(event)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Drops the rows while hidden."""
        super().hideEvent(event)
        self.model.show(())

    def _show(self) -> None:
        self.model.show(self._kept.entries(polls=self.polls.isChecked()))
        self._offer()

    def _forget(self) -> None:
        self._kept.clear()
        self._show()

    def _offer(self) -> None:
        for button in self._copies.values():
            button.setEnabled(self.chosen is not None)
        there = self.model.rowCount() > 0
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
        self.model.modelReset.connect(self._offer)
        self.model.rowsInserted.connect(self._offer)
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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.table)
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
        self._panel.copy_requested.connect(self._copy_exchange)
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
        text = listing_text(form, self._client.address, asked.filter, asked.sort, limit=PAGE_SIZE, full=full)
        self._copy(text)
        if asked.conditions:
            self._view.count.show_message(tr("Copied without conditions that the service cannot test."))

    def _copy_exchange(self, exchange: Exchange, form: RequestForm) -> None:
        self._copy(exchange.text(form, self._client.address))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._view.count.show_message(tr("Copied without the token: set the variable TOKEN."))

    def _close(self) -> None:
        self._view.actions_by_name["requests"].setChecked(False)
        self._view.table.setFocus()
