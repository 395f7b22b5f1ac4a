"""The menu of a column title, and the actions about a column."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHeaderView, QMenu, QWidget

from cdb_desktop.client import Sort
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query, not_sorted_by, sorted_by, sorted_only_by
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns import ColumnCommands
from cdb_desktop.ui.events.browser.model import FIELDS
from cdb_desktop.ui.events.browser.view import BrowserView
from cdb_desktop.ui.theme.measures import GROUP
from cdb_desktop.ui.widgets.menus import context_menu

Ask = Callable[[Query], None]
COLUMN_ACTIONS = ("column_titles", "column_narrow", "column_widen", "column_fit", "column_widths")


def title_menu(
    parent: QWidget, place: int, query: Query, steps: ColumnCommands, actions: Actions, ask: Ask
) -> QMenu:
    """The menu of a title, deleted when it is closed; actions about a column apply to this one."""
    menu = context_menu(parent, "events.table.titles.menu")
    _offer_order(menu, FIELDS.get(steps.name(place)), query, ask)
    menu.addSeparator()
    _offer_place(menu, place, steps)
    menu.addSeparator()
    for name in ("column_fit", "column_widths", "order", "columns"):
        actions[name].setShortcutVisibleInContextMenu(True)
        menu.addAction(actions[name])
    menu.insertSeparator(actions["order"])
    return menu


def orders(field: str, query: Query) -> list[tuple[str, bool | None, Query]]:
    """The entries for sorting by a field: text, query, and whether the rows are sorted so already.

    The bool is None for entries that change a sort order rather than select one.
    """
    known = next((one for one in query.order if one.field == field), None)
    result: list[tuple[str, bool | None, Query]] = [
        (text, known == order, sorted_only_by(query, order))
        for text, order in (
            (tr("Sort &ascending"), Sort(field)),
            (tr("Sort &descending"), Sort(field, descending=True)),
        )
    ]
    if known is None and query.sort:
        text = tr("A&lso sort by this column")
        result.append((text, None, sorted_by(query, field, also=True)))
    elif known is not None and len(query.sort) > 1:
        text = tr("&Reverse, keep the others")
        result.append((text, None, sorted_by(query, field, also=True)))
    if known in query.sort:
        result.append((tr("Do &not sort by this column"), None, not_sorted_by(query, field)))
    return result


def _offer_order(menu: QMenu, field: str | None, query: Query, ask: Ask) -> None:
    if field is None:
        menu.addAction(tr("The service cannot sort by this column.")).setEnabled(False)
        return
    directions = QActionGroup(menu)
    directions.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
    for text, is_so, wanted in orders(field, query):
        action = menu.addAction(text)
        if is_so is not None:
            action.setCheckable(True)
            action.setChecked(is_so)
            directions.addAction(action)
        action.triggered.connect(partial(ask, wanted))


def _offer_place(menu: QMenu, place: int, steps: ColumnCommands) -> None:
    is_pinned = steps.is_pinned(place)
    text = tr("Un&pin") if is_pinned else tr("&Pin at the left")
    menu.addAction(text).triggered.connect(partial(steps.pin, place, pinned=not is_pinned))
    hide = menu.addAction(tr("&Hide"))
    hide.triggered.connect(partial(steps.hide, place))
    hide.setEnabled(steps.can_hide())


class ColumnMenuController(QObject):
    """Opens the menu of a title and handles the actions about a column.

    The actions apply to the column whose menu is open, whose cell was clicked last, or that was moved to.
    """

    def __init__(self, view: BrowserView) -> None:
        super().__init__(view)
        self._view = view
        self._cursor = view.table.title_cursor
        self._steps = ColumnCommands(view.table, view.columns)
        self._cursor.menu_requested.connect(self._open)
        self._cursor.sort_requested.connect(view.table.sort_by)
        header, pinned = view.table.horizontalHeader(), view.table.pinned.titles
        for titles, act in ((header, self._open_in_header), (pinned, self._open_in_pinned)):
            titles.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            titles.customContextMenuRequested.connect(act)
        # Bound methods of objects: actions outlive the browser, and Qt disconnects them.
        functions = (self._go_to, self._narrow, self._widen, self._fit, self._reset)
        for name, go in zip(COLUMN_ACTIONS, functions, strict=True):
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
        self._show_width()

    def _widen(self) -> None:
        self._steps.widen(self._cursor.place, GROUP)
        self._show_width()

    def _fit(self) -> None:
        self._steps.fit(self._cursor.place)
        self._show_width()

    def _reset(self) -> None:
        self._steps.reset_widths()
        self._view.count.show_message(tr("The widths of all columns are reset."))

    def _show_width(self) -> None:
        """Shows which column was changed, which is not visible while the rows have the focus."""
        self._cursor.flash()
        place, view = self._cursor.place, self._view
        width = view.table.horizontalHeader().sectionSize(place)
        column = view.columns.choices[place].title
        view.count.show_message(tr("{column}: {width} pixels wide", column=column, width=width))
