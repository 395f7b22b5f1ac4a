"""Tests that the context menus of the event browser are short, with mnemonics for all entries or for none."""

from datetime import UTC, datetime

import msgspec
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QTabWidget, QToolButton, QWidget

from cdb_desktop.client import Event
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from tests.desktop.conftest import SetLanguage
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.menus import check_menu, open_menu, submenus

_INFO = {f"key{number}": f"A & B {number}" for number in range(20)}
_EVENT = Event(
    id=7,
    type="OBJECT_DELETE",
    timestamp=datetime(2026, 11, 20, 14, tzinfo=UTC),
    basetype="ASSET",
    objecttype="work",
    object_id=477,
    object_version=2,
    global_object_id="477@museum",
    pollable=True,
    info=msgspec.Raw(msgspec.json.encode(_INFO)),
    user_id=3,
    user_displayname="Anna & Bert",
)


@pytest.fixture(params=["en", "de"])
def _spoken(set_language: SetLanguage, request: pytest.FixtureRequest) -> None:
    set_language(request.param)


@pytest.mark.usefixtures("_spoken")
@pytest.mark.generation5("types are named otherwise there")
async def test_all_context_menus(browse: Browse, actions: Actions) -> None:
    """Those of rows with any cell at the pointer, of columns, of values in the inspector, and of buttons."""
    types = ("LOGIN_FAILED",)  # unlike the newest event
    async with browse() as (view, controller):
        controller.show_query(Query(types=types))
        view.columns.show((*view.columns.shown, "pollable", *(f"info.{name}" for name in _INFO)))
        await until(lambda: (first := view.model.event_at(0)) and first.type in types)
        view.table.go_to(3)
        for column in view.model.columns:
            view.table.menu_requested.emit(_EVENT, QPoint(), column)
            assert len(submenus(open_menu())) == 4
            _check_open_menu()
        _request(view.table.horizontalHeader().viewport(), QPoint(30, 5))
        _check_open_menu()
        view.open_inspector()
        view.table.go_to(0)
        await until(lambda: (shown := view.inspector.details) is not None and shown.is_whole)
        (tabs,) = view.inspector.findChildren(QTabWidget)
        for tab, tree in enumerate((view.inspector.fields, view.inspector.info)):
            tabs.setCurrentIndex(tab)
            for place in range(tree.topLevelItemCount()):
                index = tree.model().index(place, 0)
                tree.setCurrentIndex(index)
                _request(tree.viewport(), tree.visualRect(index).center())
                _check_open_menu()
        view.share_button.click()
        _check_open_menu()
        actions["views"].trigger()
        _check_open_menu()
        for button in view.findChildren(QToolButton):
            if button.menu() is not None:
                check_menu(button.menu())


def _request(widget: QWidget, at: QPoint) -> None:
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))


def _check_open_menu() -> None:
    menu = open_menu()
    check_menu(menu)
    menu.close()
