"""What happens in the event browser under a real pointer and keyboard."""

from __future__ import annotations

import json

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton

from cdb_desktop.events.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.deletion.dialog import DeletionDialog
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.vocabulary.pattern import PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.pointer.events.conftest import Hand

LOGINS = Query(types=("USER_LOGIN",))


async def take_keys(view: EventsView, actions: Actions, *names: str) -> None:
    """The keys of these actions work in the window."""
    view.window().addActions([actions[name] for name in names])


async def test_denied_and_return_filter_by_nothing(browse: Browse, hand: Hand) -> None:
    """The type does not exist; what does is ticked by Return, and taken by another one."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await hand.press("ctrl+f")
        await hand.type("denied")
        await hand.press("Return", "Return")
        assert QApplication.activePopupWidget() is not None
        await hand.press("Escape")
        assert controller.query == Query()
        await hand.press("ctrl+f")
        await hand.type("failed")
        await hand.press("Return", "Return")
        assert len(controller.query.types) == 1
        assert controller.query.types[0].endswith("_FAILED")


async def test_a_hit_outside_the_filter_is_the_one_that_ctrl_del_means(
    browse: Browse, hand: Hand, actions: Actions
) -> None:
    """Clicked in the hits, named in the inspector, offered for deletion; no row is selected in its place."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await take_keys(view, actions, "delete_selected")
        panel = view.panels.search
        view.panels.open_search()
        panel.look_for("type=SEARCH", PatternKind.KEY)
        await until(lambda: panel.model.rowCount() > 3 and panel.go.text() == "Search")
        controller.show_query(LOGINS)
        await until(lambda: view.has_rows and "of" in view.count.text)
        wanted = panel.model.hits[2].event.id
        place = QPoint(60, panel.table.rowViewportPosition(2) + 8)
        await hand.click(panel.table.viewport(), place)
        await until(lambda: view.outside is not None)
        assert view.inspector.details is not None
        assert view.inspector.details.event.id == wanted
        assert view.table.selected_ranges == []
        view.table.setFocus()
        await hand.press("ctrl+Delete")
        await until(lambda: isinstance(QApplication.activeModalWidget(), DeletionDialog))
        sheet = QApplication.activeModalWidget()
        assert isinstance(sheet, DeletionDialog)
        assert list(sheet._plan.ids) == [wanted]
        await hand.press("Escape")
        await hand.press("ctrl+shift+c")
        await until(lambda: f'"_id": {wanted}' in QGuiApplication.clipboard().text())
        assert "info" in json.loads(QGuiApplication.clipboard().text())["event"]
        button = view.inspector.findChild(QPushButton, "events.inspector.rows")
        assert isinstance(button, QPushButton)
        await hand.click(button)
        await until(lambda: (event := view.table.current_event) is not None and event.id == wanted)
        assert controller.query == Query()


async def test_going_to_an_id_outside_the_filter_selects_no_neighbor(browse: Browse, hand: Hand) -> None:
    """Ctrl+G, the id, Return."""
    async with browse() as (view, controller):
        controller.show_query(LOGINS)
        await until(lambda: view.has_rows and "of" in view.count.text)
        listed = (
            {event.id for page in view.model.result.loaded_events() for event in page}
            if view.model.result
            else ()
        )
        other = next(number for number in range(100, 200) if number not in listed)
        await hand.press("ctrl+g")
        await hand.type(str(other))
        await hand.press("Return")
        await until(lambda: view.outside is not None and view.outside.id == other)
        assert QApplication.activePopupWidget() is None
        assert view.table.selected_ranges == []


async def test_escape_closes_the_innermost_first(browse: Browse, hand: Hand, actions: Actions) -> None:
    """The popup, then the search, then the inspector."""
    async with browse() as (view, _controller):
        await until(lambda: view.model.rowCount() >= 2000)
        await hand.click(view.table.viewport(), QPoint(60, 30))
        view.panels.open_search()
        await hand.press("ctrl+f")
        await hand.press("Escape")
        assert QApplication.activePopupWidget() is None
        assert not view.panels.search.isHidden()
        view.panels.search.text.setFocus()
        await hand.press("Escape")
        assert view.panels.search.isHidden()
        assert actions["inspector"].isChecked()
        await hand.press("Escape")
        assert not actions["inspector"].isChecked()
