"""The menu of a line of the inspector: filters, search and column by its value, and copies. Asks nobody."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from cdb_desktop.client import Event
from cdb_desktop.events.event_details import RecordLine
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.row_menu import filters_by, search_words
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.events.inspector.inspector import Inspector


class ValueMenu(QObject):
    """Opens it for the inspector of a browser."""

    def __init__(self, view: BrowserView, inspector: Inspector) -> None:
        super().__init__(view)
        self._view, self._inspector = view, inspector
        inspector.menu_requested.connect(self._open)

    def _open(self, line: RecordLine | None, place: QPoint) -> None:
        inspector = self._inspector
        menu = QMenu(inspector)
        menu.setObjectName("events.inspector.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if line is not None:
            details = inspector.details
            if details is not None:
                self._offer_event(menu, line, details.event)
            _offer_copies(menu, line)
        whole = menu.addAction(tr("Copy the &record as JSON"))
        whole.setEnabled(inspector.has_record)
        whole.triggered.connect(inspector.copy_json)
        menu.popup(place)

    def _offer_event(self, menu: QMenu, line: RecordLine, event: Event) -> None:
        view = self._view
        for words, query in filters_by(line.path, event, view.query):
            _add(menu, words).triggered.connect(partial(view.query_requested.emit, query))
        if line.search:
            _add(menu, search_words(line.search)).triggered.connect(
                partial(view.search_requested.emit, line.search, event)
            )
        if line.column and line.column not in view.columns.shown:
            column = menu.addAction(tr("As &column"))
            column.triggered.connect(partial(self._show_column, line.column))
        menu.addSeparator()

    def _show_column(self, name: str) -> None:
        """It comes last, and into sight."""
        columns = self._view.columns
        columns.show((*columns.shown, name), columns.pinned)
        self._view.table.scroll_to_last_column()


def _offer_copies(menu: QMenu, line: RecordLine) -> None:
    for words, text in (
        (tr("Copy &value"), line.text),
        (tr("Copy &path"), line.path),
        (tr("Copy &line as JSON"), line.json),
    ):
        menu.addAction(words).triggered.connect(partial(QGuiApplication.clipboard().setText, text))


def _add(menu: QMenu, words: str) -> QAction:
    return menu.addAction(words.replace("&", "&&"))
