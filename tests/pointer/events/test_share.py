"""Tests of sharing with a real pointer, the real clipboard and real keys."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.queries.links import parse_link
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.pointer.events.conftest import AsyncPointer


async def test_a_query_is_shared_and_opened(
    browse: Browse, async_pointer: AsyncPointer, actions: Actions
) -> None:
    """Two clicks to copy it; whoever gets it pastes it into the line."""
    async with browse() as (view, controller):
        await until(lambda: view.model.rowCount() >= 2000)
        view.window().addActions([actions["search"]])
        controller.link_requested.connect(lambda text: controller.open_link(parse_link(text)))
        controller.show_query(Query(types=("USER_LOGIN",)))
        await until(lambda: view.has_rows and not view.table.is_waiting)
        await async_pointer.click(view.share_button)
        await until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        await async_pointer.click(menu, menu.actionGeometry(menu.actions()[0]).center())
        link = "cdb://events?profile=Museum&type=USER_LOGIN&v=1"
        await until(lambda: QGuiApplication.clipboard().text() == link)
        controller.show_query(Query())
        await until(lambda: view.model.rowCount() >= 2000)
        await async_pointer.press("ctrl+f", "ctrl+v")
        await until(lambda: controller.query == Query(types=("USER_LOGIN",)))
        assert view.query_line.text() == ""
