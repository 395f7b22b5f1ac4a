"""Story: a user saves a view and opens it after a restart."""

from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QMenu

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.ui.actions import plain
from tests.desktop.patience import until
from tests.journeys.steps import filter_types, wait_for_rows
from tests.journeys.visit import Visit, visiting
from tests.server import serving

NAME = "Who deletes"


async def test_a_view_is_available_after_a_restart(folders: UserFolders, own_museum: Path) -> None:
    """Filters, order, columns and widths replace the query that was restored."""
    with serving(own_museum) as url:
        given = Options(server=url, login="root", password="admin")
        async with visiting(folders, given) as visit:
            await until(lambda: visit.events.has_rows)
            await filter_types(visit, "OBJECT_DELETE")
            await until(lambda: "of" in visit.events.count.text)
            count = visit.events.model.rowCount()
            header = visit.events.table.horizontalHeader()
            visit.click(
                header.viewport(), QPoint(header.sectionViewportPosition(3) + 12, header.height() // 2)
            )
            await until(lambda: bool(visit.events.query.sort))
            visit.events.columns.show(("id", "time", "type", "user", "object", "object_version"))
            header.resizeSection(3, 222)
            query, states = visit.events.query, visit.events.columns.states
            await _save(visit)
            visit.act("clear_filters")
            everything = visit.events.query
        async with visiting(folders, given) as visit:
            await until(lambda: visit.events.has_rows)
            assert visit.events.query == everything != query
            visit.events.columns.apply(())
            await _open(visit)
            await wait_for_rows(visit, count)
            assert visit.events.query == query
            assert visit.events.columns.states == states
            visit.act("query_back")
            await until(lambda: visit.events.query == everything)
            visit.act("query_back")
            await until(lambda: visit.events.query == query)


async def _save(visit: Visit) -> None:
    menu = await _menu(visit)
    _choose(visit, menu, "Save")
    await until(lambda: visit.has(QLineEdit) and bool(visit.window.findChild(QLineEdit, "events.views.name")))
    visit.type(NAME)
    visit.press(Qt.Key.Key_Return)
    await until(lambda: NAME in visit.events.count.text)
    await visit.activate_window()


async def _open(visit: Visit) -> None:
    _choose(visit, await _menu(visit), NAME)
    await visit.activate_window()


async def _menu(visit: Visit) -> QMenu:
    visit.act("views")
    await until(lambda: visit.part(QMenu, "events.views.menu").isVisible())
    return visit.part(QMenu, "events.views.menu")


def _choose(visit: Visit, menu: QMenu, prefix: str) -> None:
    (entry,) = (one for one in menu.actions() if plain(one.text()).startswith(prefix))
    visit.click(menu, menu.actionGeometry(entry).center())
