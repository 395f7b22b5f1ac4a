"""Story: a user searches for who has deleted an object, and finds all of its events."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.steps import filter_types
from tests.journeys.visit import Visit, visiting
from tests.server import serving

DELETED = "SELECT id, objecttype, object_id FROM _event WHERE type = ? AND schema = 'USER' ORDER BY id"
KIND = "OBJECT_DELETE"


async def test_who_deleted_an_object_is_found(folders: UserFolders, own_museum: Path) -> None:
    """A search for its id among the deletions; F3 selects the event, whose record contains user and time."""
    number, kind, object_id = fetch_rows(own_museum, DELETED, KIND)[0]
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await until(lambda: visit.events.has_rows)
            await filter_types(visit, KIND)
            await until(lambda: "of" in visit.events.count.text)
            await _search(visit, f"global_object_id={object_id}@")
            assert visit.events.panels.search.model.rowCount() == 0
            await _search(visit, f"object_id={object_id}")
            found = {hit.event.id for hit in visit.events.panels.search.model.hits}
            assert number in found
            while _shown(visit) != number:
                before = _shown(visit)
                visit.act("hit_next")
                await until(lambda before=before: _shown(visit) not in (None, before))  # type: ignore[misc]
            inspector = visit.events.inspector
            await until(lambda: inspector.details is not None and inspector.details.is_whole)
            assert inspector.details is not None
            fields = dict(inspector.details.fields)
            assert (fields["objecttype"], fields["object_id"]) == (kind, str(object_id))
            assert fields["user._generated_displayname"]


async def _search(visit: Visit, text: str) -> None:
    visit.act("search_all")
    panel = visit.events.panels.search
    panel.kind.setCurrentIndex(2)
    visit.type(text)
    visit.press(Qt.Key.Key_Return)
    await until(lambda: panel.go.text() == "Search" and " in " in panel.status)


def _shown(visit: Visit) -> int | None:
    details = visit.events.inspector.details
    return None if details is None else details.event.id
