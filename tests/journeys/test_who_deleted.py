"""Story: a user searches for who has deleted an object, and finds all of its events."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import ended
from tests.journeys.server import fetch_rows
from tests.journeys.steps import filter_types
from tests.journeys.visit import Visit, visiting
from tests.server import serving

DELETED = "SELECT id, objecttype, object_id FROM _event WHERE type = ? AND schema = 'USER' ORDER BY id"
KIND = "OBJECT_DELETE"


async def test_who_deleted_an_object_is_found(folders: UserFolders, own_museum: Path) -> None:
    """A search for its id among the deletions leaves one row, whose record contains user and time."""
    number, kind, object_id = fetch_rows(own_museum, DELETED, KIND)[0]
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await until(lambda: visit.events.has_rows)
            await filter_types(visit, KIND)
            await until(lambda: "of" in visit.events.count.text)
            await _search(visit, f"global_object_id={object_id}@")
            assert visit.events.model.rowCount() == 0
            visit.act("query_back")
            await until(lambda: visit.events.has_rows)
            await _search(visit, f"object_id={object_id}")
            rows = range(visit.events.model.rowCount())
            row = next(row for row in rows if _id(visit, row) == number)
            visit.events.table.go_to(row)
            inspector = visit.events.inspector
            await until(lambda: inspector.details is not None and inspector.details.is_whole)
            assert inspector.details is not None
            fields = dict(inspector.details.fields)
            assert (fields["objecttype"], fields["object_id"]) == (kind, str(object_id))
            assert fields["user._generated_displayname"]


async def _search(visit: Visit, text: str) -> None:
    visit.act("search")
    # Without a window system a popup of completions that has closed leaves no widget with the focus.
    QTest.keyClicks(visit.events.query_line, text)
    QTest.keyClick(visit.events.query_line, Qt.Key.Key_Return)
    await until(lambda: ended(visit.events))


def _id(visit: Visit, row: int) -> int | None:
    event = visit.events.model.event_at(row)
    return None if event is None else event.id
