"""Story: a user exports the whole log while fifty events a second arrive."""

import asyncio
import csv
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.visit import Visit, visiting
from tests.server import serving

IDS = "SELECT id FROM _event WHERE id <= ? ORDER BY id DESC"
A_SECOND = 50  # events that arrive
AT_ONCE = 4  # concurrent requests, so that a slow response does not delay the others


@pytest.mark.parametrize(
    "events", [6_000, pytest.param(100_000, marks=[pytest.mark.long, pytest.mark.timeout(300)])]
)
async def test_every_event_is_exported_once(folders: UserFolders, tmp_path: Path, events: int) -> None:
    """The file contains the events that existed at the start of the export, in order."""
    museum, file = tmp_path / "log.sqlite", tmp_path / "all.csv"
    with serving(museum, "--demo", "--demo-events", str(events)) as url:
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            view = visit.events
            await until(lambda: view.model.result is not None and view.model.rowCount() >= events)
            async with _arriving(url) as arrived:
                await until(lambda: len(arrived) >= 5)
                visit.act("refresh")
                await until(
                    lambda: view.model.result is not None and (view.model.result.newest or 0) >= arrived[4]
                )
                newest = view.model.result.newest if view.model.result else None
                before = len(arrived)
                await _export(visit, file)
                # The number of arrivals depends on the load of the machine.
                assert len(arrived) > before
    written = _ids(file)
    assert written == [number for (number,) in fetch_rows(museum, IDS, newest)]
    assert len(written) >= events


def _ids(file: Path) -> list[int]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return [int(row["_id"]) for row in csv.DictReader(lines)]


@asynccontextmanager
async def _arriving(url: str) -> AsyncIterator[list[int]]:
    """Inserts events at a constant rate until the block ends; yields their ids."""
    arrived: list[int] = []
    numbers = count(1)
    started = time.monotonic()

    async def insert(client: Client) -> None:
        for number in numbers:
            await asyncio.sleep(max(0.0, started + number / A_SECOND - time.monotonic()))
            event = await client.insert_event("SEARCH", info={"n": number})
            arrived.append(event.id)

    async with Client(url) as client:
        await client.authenticate("root", "admin")
        inserting = [asyncio.create_task(insert(client)) for _ in range(AT_ONCE)]
        try:
            yield arrived
        finally:
            for one in inserting:
                one.cancel()
            await asyncio.gather(*inserting, return_exceptions=True)


async def _export(visit: Visit, file: Path) -> None:
    visit.act("export")
    dialog = await visit.opened(QFileDialog)
    dialog.fileSelected.emit(str(file))
    dialog.close()
    await until(lambda: visit.events.notice.isVisible() and visit.events.notice.title == "Exported", 240)
