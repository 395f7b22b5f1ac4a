"""The menu of a column's title: its part in the order of the rows, its place and its width."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from cdb_desktop.client import Sort
from cdb_desktop.events.query import Query, not_sorted_by, sorted_by, sorted_only_by
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.column_steps import ColumnSteps
from cdb_desktop.ui.events.browser.ordering import FIELDS

Ask = Callable[[Query], None]
translate = QCoreApplication.translate


def title_menu(
    parent: QWidget, place: int, query: Query, steps: ColumnSteps, actions: Actions, ask: Ask
) -> QMenu:
    """The menu, which goes when it is closed; ``actions`` that are about a column mean this one."""
    menu = QMenu(parent)
    menu.setObjectName("events.table.titles.menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
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
    """What can be made of the order by a field: the words, the query, and whether it is so already.

    That is None for what is no state but a step.
    """
    known = next((one for one in query.order if one.field == field), None)
    result: list[tuple[str, bool | None, Query]] = [
        (words, known == order, sorted_only_by(query, order))
        for words, order in (
            (translate("TitleMenu", "Sort &ascending"), Sort(field)),
            (translate("TitleMenu", "Sort &descending"), Sort(field, descending=True)),
        )
    ]
    if known is None and query.sort:
        words = translate("TitleMenu", "A&lso sort by this column")
        result.append((words, None, sorted_by(query, field, also=True)))
    elif known is not None and len(query.sort) > 1:
        words = translate("TitleMenu", "&Reverse, keep the others")
        result.append((words, None, sorted_by(query, field, also=True)))
    if known in query.sort:
        result.append(
            (translate("TitleMenu", "Do &not sort by this column"), None, not_sorted_by(query, field))
        )
    return result


def _offer_order(menu: QMenu, field: str | None, query: Query, ask: Ask) -> None:
    if field is None:
        menu.addAction(translate("EventOrder", "The service cannot sort by this column.")).setEnabled(False)
        return
    ways = QActionGroup(menu)
    ways.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
    for words, is_so, wanted in orders(field, query):
        action = menu.addAction(words)
        if is_so is not None:
            action.setCheckable(True)
            action.setChecked(is_so)
            ways.addAction(action)
        action.triggered.connect(partial(ask, wanted))


def _offer_place(menu: QMenu, place: int, steps: ColumnSteps) -> None:
    is_pinned = steps.is_pinned(place)
    words = translate("TitleMenu", "Un&pin") if is_pinned else translate("TitleMenu", "&Pin at the left")
    menu.addAction(words).triggered.connect(partial(steps.pin, place, pinned=not is_pinned))
    hide = menu.addAction(translate("TitleMenu", "&Hide"))
    hide.triggered.connect(partial(steps.hide, place))
    hide.setEnabled(steps.can_hide())
