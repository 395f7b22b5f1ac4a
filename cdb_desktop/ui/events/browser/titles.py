"""Ties the titles of the columns to their menu, and the actions about a column to the one that is meant."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QHeaderView

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.column_steps import ColumnSteps
from cdb_desktop.ui.events.browser.title_menu import title_menu
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.theme.measures import GROUP

ABOUT_COLUMNS = ("column_titles", "column_narrow", "column_widen", "column_fit", "column_widths")


class Titles(QObject):
    """What keys mean is the column whose menu is open, whose cell was clicked last, or that was gone to."""

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        self._cursor = view.table.title_cursor
        self._steps = ColumnSteps(view.table, view.columns)
        self._cursor.menu_requested.connect(self._open)
        self._cursor.sort_requested.connect(view.table.sort_by)
        header, pinned = view.table.horizontalHeader(), view.table.pinned.titles
        for titles, act in ((header, self._open_in_header), (pinned, self._open_in_pinned)):
            titles.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            titles.customContextMenuRequested.connect(act)
        # Only methods of objects: actions outlive the browser, and Qt lets go of those by itself.
        ways = (self._go_to, self._narrow, self._widen, self._fit, self._reset)
        for name, go in zip(ABOUT_COLUMNS, ways, strict=True):
            view.actions_by_name[name].triggered.connect(go)

    def _open_in_header(self, at: QPoint) -> None:
        self._open_over(self._view.table.horizontalHeader(), at)

    def _open_in_pinned(self, at: QPoint) -> None:
        self._open_over(self._view.table.pinned.titles, at)

    def _open_over(self, titles: QHeaderView, at: QPoint) -> None:
        place = titles.logicalIndexAt(at)
        if place >= 0:
            self._open(place, titles.viewport().mapToGlobal(at))

    def _open(self, place: int, at: QPoint) -> None:
        view = self._view
        self._cursor.go_to(place)
        ask = view.query_requested.emit
        title_menu(view, place, view.query, self._steps, view.actions_by_name, ask).popup(at)

    def _go_to(self) -> None:
        self._cursor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _narrow(self) -> None:
        self._steps.widen(self._cursor.place, -GROUP)
        self._tell()

    def _widen(self) -> None:
        self._steps.widen(self._cursor.place, GROUP)
        self._tell()

    def _fit(self) -> None:
        self._steps.fit(self._cursor.place)
        self._tell()

    def _reset(self) -> None:
        self._steps.reset_widths()
        self._view.count.tell(self.tr("The widths of all columns are reset."))

    def _tell(self) -> None:
        """Which column it was: with the keys in the rows nothing else says it."""
        self._cursor.flash()
        place, view = self._cursor.place, self._view
        width = view.table.horizontalHeader().sectionSize(place)
        told = self.tr("%1: %2 pixels wide").replace("%2", number_text(width))
        view.count.tell(told.replace("%1", view.columns.choices[place].title))
