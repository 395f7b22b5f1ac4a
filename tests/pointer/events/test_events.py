"""Tests of the event browser with a real pointer and keyboard."""

import asyncio
import json

import pytest
from PySide6.QtCore import QModelIndex, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.ui.events.view import EventsView
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, ended
from tests.pointer.events.conftest import AsyncPointer

LOGINS = Query(types=("USER_LOGIN",))


async def add_actions(view: EventsView, actions: Actions, *names: str) -> None:
    """Adds actions to the window, so that their shortcuts work."""
    view.window().addActions([actions[name] for name in names])


async def test_an_unknown_word_and_return_add_no_filter(browse: Browse, async_pointer: AsyncPointer) -> None:
    """No type has the word; Return checks types that are found, and another Return applies them."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await async_pointer.press("F4")
        await until(lambda: QApplication.activePopupWidget() is not None)
        await async_pointer.type("granted")
        await async_pointer.press("Return", "Return")
        assert QApplication.activePopupWidget() is not None
        await async_pointer.press("Escape")
        assert controller.query == Query()
        await async_pointer.press("F4")
        await until(lambda: QApplication.activePopupWidget() is not None)
        await async_pointer.type("failed")
        await async_pointer.press("Return", "Return")
        await until(lambda: len(controller.query.types) == 1)
        assert controller.query.types[0].endswith("_FAILED")


async def test_ctrl_del_applies_to_an_event_outside_the_filter(
    browse: Browse, async_pointer: AsyncPointer, actions: Actions
) -> None:
    """An event whose id was typed is shown in the inspector and offered for deletion; no row is selected."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await add_actions(view, actions, "delete_selected", "search")
        other = next(
            one.id for row in range(500) if (one := view.model.event_at(row)) and one.type == "SEARCH"
        )
        controller.show_query(LOGINS)
        await until(lambda: view.has_rows and "of" in view.count.text)
        await async_pointer.press("ctrl+f")
        await async_pointer.type(str(other))
        await async_pointer.press("Return")
        await until(lambda: view.outside is not None)
        assert view.inspector.details is not None
        assert view.inspector.details.event.id == other
        assert view.table.selected_ranges == []
        view.table.setFocus()
        await async_pointer.press("ctrl+Delete")
        await until(lambda: isinstance(QApplication.activeModalWidget(), DeletionDialog))
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, DeletionDialog)
        assert list(dialog._plan.ids) == [other]
        await async_pointer.press("Escape")
        await async_pointer.press("ctrl+shift+c")
        await until(lambda: f'"_id": {other}' in QGuiApplication.clipboard().text())
        assert "info" in json.loads(QGuiApplication.clipboard().text())["event"]
        button = view.inspector.findChild(QPushButton, "events.inspector.rows")
        assert isinstance(button, QPushButton)
        await async_pointer.click(button)
        await until(lambda: (event := view.table.current_event) is not None and event.id == other)
        assert controller.query == Query()


async def test_plain_words_find_who_deleted_an_image(
    browse: Browse, async_pointer: AsyncPointer, actions: Actions
) -> None:
    """Typed words are enough; a misspelt one is corrected by a click."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await add_actions(view, actions, "search")
        for typed in ("image deleted", "image delted"):
            await async_pointer.press("ctrl+f")
            await async_pointer.type(typed)
            await async_pointer.press("Return")
            await until(lambda: ended(view) and (view.has_rows or view.empty_page.state.choices))
            if not view.has_rows:
                choice = view.empty_page.findChildren(QPushButton, "empty.choice")[0]
                await async_pointer.click(choice)
            await until(lambda: ended(view) and view.has_rows)
            event = view.model.event_at(0)
            assert event is not None
            assert event.objecttype == "image" or b"image" in bytes(event.info or b"")
            assert view.model.rowCount() < 2000
            controller.show_query(Query())
            await until(lambda: not ended(view) and view.model.rowCount() >= 2000)


async def test_escape_closes_the_innermost_first(
    browse: Browse, async_pointer: AsyncPointer, actions: Actions
) -> None:
    """First the popup, then the text of the query line, then the line, then the inspector."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await add_actions(view, actions, "search")
        await async_pointer.click(view.table.viewport(), QPoint(60, 30))
        await async_pointer.press("ctrl+f")
        await async_pointer.type("typ")
        assert view.query_line.completion_texts == ["type:"]
        await async_pointer.press("Escape")
        assert view.query_line.completion_texts == []
        await async_pointer.press("Escape")
        assert view.query_line.text() == ""
        assert view.query_line.hasFocus()
        await async_pointer.press("Escape")
        assert view.table.hasFocus()
        assert actions["inspector"].isChecked()
        await async_pointer.press("Escape")
        assert not actions["inspector"].isChecked()


async def test_keys_of_actions_work_in_the_query_line(
    browse: Browse, async_pointer: AsyncPointer, actions: Actions
) -> None:
    """On X11 lines have Ctrl+E and Ctrl+U themselves, also while completions are offered."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await add_actions(view, actions, "search", "export", "summary")
        triggered: list[str] = []
        for name in ("export", "summary"):
            actions[name].triggered.disconnect()
            actions[name].triggered.connect(lambda _checked=False, name=name: triggered.append(name))
        await async_pointer.press("ctrl+f")
        await async_pointer.type("kirche")
        await async_pointer.press("Home", "ctrl+u", "ctrl+e")
        assert (triggered, view.query_line.text()) == (["summary", "export"], "kirche")
        assert view.query_line.cursorPosition() == 0
        await async_pointer.press("End")
        await async_pointer.type(" typ")
        assert view.query_line.completion_texts == ["type:"]
        await async_pointer.press("ctrl+e")
        assert (triggered[2:], view.query_line.text()) == (["export"], "kirche typ")


@pytest.mark.parametrize("width", [700, 1000])
async def test_a_click_selects_the_row_that_was_pressed(
    browse: Browse, async_pointer: AsyncPointer, width: int
) -> None:
    """The inspector appears with the press; the rows do not move before the release."""
    async with browse() as (view, _controller):
        view.window().resize(width, 620)
        await until(lambda: view.model.rowCount() >= 2000)
        for step in (1, 0):
            view.inspector.show_nothing()
            view.table.clearSelection()
            view.table.setCurrentIndex(QModelIndex())
            await until(lambda: not view.inspector.isVisible())
            await asyncio.sleep(0.2)
            row = view.table.visible_rows()[1] - step
            place = QPoint(30, view.table.rowViewportPosition(row) + 6)
            await async_pointer.click(view.table.viewport(), place)
            await until(view.inspector.isVisible)
            event = view.model.event_at(row)
            assert event is not None
            assert view.table.selected_ranges == [(row, row)]
            assert view.table.current_event == event
            assert view.inspector.details is not None
            assert view.inspector.details.event.id == event.id
