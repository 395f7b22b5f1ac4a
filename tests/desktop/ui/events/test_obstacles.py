"""Tests of the reasons why actions of the event browser are disabled."""

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.shell.header import WindowHeader
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, row_menu


def tooltip_of(menu: QMenu, name: str, actions: Actions) -> str:
    """The tooltip of a hovered menu entry."""
    place = menu.actionGeometry(actions[name]).center()
    QApplication.sendEvent(menu, QHelpEvent(QEvent.Type.ToolTip, place, menu.mapToGlobal(place)))
    return QToolTip.text()


async def test_the_menu_of_a_row_shows_reasons(browse: Browse, actions: Actions) -> None:
    """A missing selection or a missing right."""
    async with browse() as (view, _controller):
        menu = row_menu(view)
        assert "Select the events to delete first." in tooltip_of(menu, "delete_selected", actions)
        assert "Select one or two events first" in tooltip_of(menu, "compare", actions)
        menu.close()
        view.table.go_to(0)
        actions.offer(lambda right: not right.endswith("delete"))
        menu = row_menu(view)
        tooltip = tooltip_of(menu, "delete_selected", actions)
        assert "Requires the right system.api.event.delete." in tooltip
        menu.close()


REASONS = {
    "delete_found": "No events are listed.",
    "summary": "No events are listed.",
    "export": "No events are listed.",
    "delete_selected": "Select the events to delete first.",
    "query_forward": "There are no later filters.",
}


async def test_the_events_menu_shows_reasons(browse: Browse, actions: Actions) -> None:
    """As the palette does, and only while the action is disabled; some entries are in submenus."""
    async with browse() as (view, controller):
        crown = WindowHeader(view.appearance, actions)
        controller.show_query(Query(types=("NEVER_SEEN",)))
        await until(view.empty_page.isVisible)
        for name, why in REASONS.items():
            menu = next(one for one in crown.findChildren(QMenu) if actions[name] in one.actions())
            assert not actions[name].isEnabled(), name
            menu.popup(QPoint(0, 0))
            assert why in tooltip_of(menu, name, actions)
            assert actions.obstacle(name) == why
            menu.close()
        controller.show_query(Query())
        await until(lambda: view.has_rows and actions["export"].isEnabled())
        assert not any("No events are listed." in actions[name].toolTip() for name in REASONS)
        crown.deleteLater()
