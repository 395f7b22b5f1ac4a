"""Story: a user finds events among 20,000 and exports them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from PySide6.QtCore import QPoint, Qt

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.steps import export_csv, filter_types, wait_for_rows
from tests.journeys.visit import Visit, visiting
from tests.server import serving

TYPES = "OBJECT_UPDATE", "SEARCH"
FOUND = "SELECT id, type, info FROM _event WHERE type IN (?, ?) ORDER BY id"


async def test_events_are_found_and_exported(folders: UserFolders, own_museum: Path, tmp_path: Path) -> None:
    """The last row has its record; two types are sorted by ascending id; the file has these events only."""
    with serving(own_museum) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await _see_the_last_of_all(visit, own_museum)
            await filter_types(visit, *TYPES)
            found = fetch_rows(own_museum, FOUND, *TYPES)
            await wait_for_rows(visit, len(found))
            await _sort_by_id(visit, found[0][0])
            file = tmp_path / "found.csv"
            await export_csv(visit, file)
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [(int(row["_id"]), row["type"], json.loads(row["info"])) for row in csv.DictReader(lines)]
    assert rows == [(number, kind, json.loads(str(info))) for number, kind, info in found]


async def _see_the_last_of_all(visit: Visit, museum: Path) -> None:
    ((count, first),) = fetch_rows(museum, "SELECT COUNT(*), MIN(id) FROM _event")
    assert isinstance(count, int)
    assert count > 20_000
    await wait_for_rows(visit, count)
    visit.click(visit.events.table.viewport(), QPoint(20, 12))
    visit.press(Qt.Key.Key_End)
    assert visit.events.table.currentIndex().row() == count - 1
    inspector = visit.events.inspector
    await until(lambda: inspector.details is not None and inspector.details.is_whole)
    await until(lambda: inspector.details is not None and inspector.details.event.id == first)
    ((kind, info),) = fetch_rows(museum, "SELECT type, info FROM _event WHERE id = ?", first)
    assert inspector.details is not None
    assert (inspector.title, inspector.details.info) == (kind, json.loads(str(info)))


async def _sort_by_id(visit: Visit, first: object) -> None:
    header, model = visit.events.table.horizontalHeader(), visit.events.model
    at = QPoint(header.sectionViewportPosition(0) + 12, header.height() // 2)
    visit.click(header.viewport(), at)
    await until(lambda: (event := model.event_at(0)) is not None and event.id == first)
    assert model.headerData(0, Qt.Orientation.Horizontal) == "Id ▴"
