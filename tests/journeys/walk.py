"""Shows every page, dialog and popup of the window in succession."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import islice

from PySide6.QtWidgets import (
    QApplication,
    QCalendarWidget,
    QFileDialog,
    QMenu,
    QToolButton,
    QTreeView,
    QWidget,
)
from shiboken6 import isValid

from cdb_desktop.queries.query import QueryPart
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.widgets.query_texts import part_name
from tests.desktop.patience import until
from tests.journeys.visit import Visit

PAGES = ("events", "schema", "errors", "settings")
# Actions that end the walk, change data of the service or leave the page.
_NOT_TAKEN = frozenset(
    {
        *("demo", "disconnect", "quit", "model_close", "refresh", "show_file", "live_close", "live_clear"),
        *("schema_save", "schema_commits", "event_schema", "follow_query", "query_back", "query_forward"),
        *("element_delete", "element_up", "element_down", "schema_undo", "schema_redo", "nested_new"),
        *("system", "light", "dark", "contrast", "live_bottom", "live_right"),
    }
)
_PAUSE = 0.02


async def states(visit: Visit) -> AsyncIterator[str]:
    """Yields the name of each state while it is shown."""
    actions = visit.part(Actions)
    for page in PAGES:
        await _go(visit, page)
        yield page
        for name in actions:
            wanted = actions.spec(name).page
            if (
                name in _NOT_TAKEN
                or name in PAGES
                or wanted not in ("", page)
                or (page != PAGES[0] and not wanted)
            ):
                continue
            if not actions[name].isEnabled():
                continue
            actions[name].trigger()
            await _settle()
            yield f"{page}: {name}"
            await _close_all(visit)
            if not actions[page].isChecked():
                await _go(visit, page)
        if page == PAGES[0]:
            async for name in _filters(visit):
                yield name


async def _go(visit: Visit, page: str) -> None:
    actions = visit.part(Actions)
    if not actions[page].isChecked():
        actions[page].trigger()
    await _settle()
    if page == "schema":
        await until(lambda: visit.schema.diagram.has_picture)
        tree = visit.schema.tables.findChild(QTreeView)
        assert tree is not None
        tree.expandAll()
        tree.setCurrentIndex(tree.model().index(0, 0, tree.model().index(0, 0)))
    if page == "events":
        await until(lambda: visit.events.model.event_at(0) is not None)
        visit.events.table.selectRow(0)
    await _settle()


async def _filters(visit: Visit) -> AsyncIterator[str]:
    for part in QueryPart:
        visit.click(visit.part(QToolButton, "events.filter.add"))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        found = [one for one in menu.actions() if plain(one.text()).startswith(part_name(part))]
        if found:
            visit.click(menu, menu.actionGeometry(found[0]).center())
            await _settle()
            yield f"filter: {part.value}"
        await _close_all(visit)


async def _close_all(visit: Visit) -> None:
    for _ in range(5):
        popup = QApplication.activePopupWidget()
        if popup is None:
            break
        popup.close()
        await _settle()
    for window in QApplication.topLevelWidgets():
        if window.isVisible() and window is not visit.window and window.isWindow():
            window.close()
    await _settle()


async def _settle() -> None:
    for _ in range(3):
        await asyncio.sleep(_PAUSE)


async def widgets_of_all_states(visit: Visit) -> AsyncIterator[tuple[str, QWidget]]:
    """Yields every visible widget of every state, except for those of Qt's own dialogs."""
    async for state in states(visit):
        for widget in QApplication.allWidgets():
            if isValid(widget) and widget.isVisible() and not _is_of_qt(widget):
                yield state, widget


def widget_path(widget: QWidget) -> str:
    """The object names, or else the classes, of a widget and its nearest parents."""
    parents = islice(_with_parents(widget), 4)
    return "/".join(reversed([each.objectName() or type(each).__name__ for each in parents]))


def _is_of_qt(widget: QWidget) -> bool:
    return any(isinstance(each, QFileDialog | QCalendarWidget) for each in _with_parents(widget))


def _with_parents(widget: QWidget) -> Iterator[QWidget]:
    each: QWidget | None = widget
    while each is not None:
        yield each
        each = each.parentWidget()
