"""Copies the request of the query for other programs, and shows the requests that were made."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from cdb_desktop.client import Exchange, RequestForm, listing_text
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.ui.events.browser.context import BrowserContext
from cdb_desktop.ui.events.requests.request_panel import RequestPanel


class Requesting(QObject):
    """The way from a query to what the service is asked."""

    def __init__(self, context: BrowserContext, panel: RequestPanel) -> None:
        super().__init__(context.view)
        self._view, self._client, self._rows = context.view, context.client, context.rows
        self._panel = panel
        self._panel.copy_requested.connect(self._copy_exchange)
        self._panel.close_requested.connect(self._close)
        client = self._client
        client.watch_with(self._panel.add)
        # The client says goodbye to the service when the panel is gone already.
        self._view.destroyed.connect(lambda: client.watch_with(None))
        actions = self._view.actions_by_name
        # Methods of an object: actions outlive the browser, and Qt lets go of those by itself.
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

    def _copy_exchange(self, exchange: Exchange, form: RequestForm) -> None:
        self._copy(exchange.text(form, self._client.address))

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._view.count.tell(self.tr("Copied without the token: set the variable TOKEN."))

    def _close(self) -> None:
        self._view.actions_by_name["requests"].setChecked(False)
        self._view.table.setFocus()
