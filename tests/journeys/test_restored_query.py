"""Story: a user quits the program, and continues the next morning."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.queries.query import Query
from tests.desktop.patience import until
from tests.journeys.steps import filter_types, wait_for_rows
from tests.journeys.visit import Visit, visiting
from tests.server import serving


async def test_the_query_is_restored_after_a_restart(folders: UserFolders, own_museum: Path) -> None:
    """Filter and order apply immediately; Alt+Left undoes them in steps."""
    with serving(own_museum) as url:
        given = Options(server=url, login="root", password="admin")
        async with visiting(folders, given) as visit:
            await until(lambda: visit.events.has_rows)
            assert visit.events.query == Query()
            await filter_types(visit, "OBJECT_DELETE")
            await until(lambda: "of" in visit.events.count.text)
            filtered = visit.events.query
            _sort_by_user(visit)
            await until(lambda: bool(visit.events.query.sort))
            query, count = visit.events.query, visit.events.model.rowCount()
        async with visiting(folders, given) as visit:
            await until(lambda: visit.events.has_rows)
            await wait_for_rows(visit, count)
            assert visit.events.query == query
            assert _types(visit) == {"OBJECT_DELETE"}
            for before in (filtered, Query()):
                visit.act("query_back")
                await until(lambda wanted=before: visit.events.query == wanted)  # type: ignore[misc]
        async with visiting(folders, Options(server=url, login="support", password="support")) as visit:
            await until(lambda: visit.events.has_rows)
            assert visit.events.query == Query()


def _sort_by_user(visit: Visit) -> None:
    header = visit.events.table.horizontalHeader()
    visit.click(header.viewport(), QPoint(header.sectionViewportPosition(3) + 12, header.height() // 2))


def _types(visit: Visit) -> set[str]:
    events = (visit.events.model.event_at(row) for row in range(visit.events.model.rowCount()))
    return {event.type for event in events if event is not None}
