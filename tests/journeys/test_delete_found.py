"""Story: a user deletes 2,500 events that match a filter, with a backup of every record."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client, EventFilter, Sort
from cdb_desktop.ui.events.deletion import DeletionDialog
from cdb_desktop.vocabulary.event_json import wire_record
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.steps import filter_types, wait_for_rows
from tests.journeys.visit import Visit, visiting
from tests.server import serving

KIND, COUNT = "WEBHOOK_ERROR", 2_500
FIRST = "SELECT id FROM _event WHERE type <> 'USER_LOGIN' ORDER BY id LIMIT ?"
OTHERS = "SELECT id, type, info FROM _event WHERE type <> ? AND id <= ? ORDER BY id"


async def test_matching_events_are_deleted_and_backed_up(
    folders: UserFolders, own_museum: Path, tmp_path: Path
) -> None:
    """All of them, above the limit of 1000 per request, and no others; the backup is complete."""
    _prepare(own_museum)
    ((newest,),) = fetch_rows(own_museum, "SELECT MAX(id) FROM _event")
    others = fetch_rows(own_museum, OTHERS, KIND, newest)
    file = tmp_path / "deleted.jsonl"
    with serving(own_museum) as url:
        before = await _records(url)
        assert len(before) == COUNT
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await until(lambda: visit.events.has_rows)
            await filter_types(visit, KIND)
            await wait_for_rows(visit, COUNT)
            await _delete(visit, file)
            await until(visit.events.empty_page.isVisible)
    backup = [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]
    assert backup == before
    assert fetch_rows(own_museum, "SELECT COUNT(*) FROM _event WHERE type = ?", KIND) == [(0,)]
    assert fetch_rows(own_museum, OTHERS, KIND, newest) == others


def _prepare(museum: Path) -> None:
    """Makes the number of events of one type match the story, with any info."""
    with closing(sqlite3.connect(museum)) as database, database:
        database.execute("UPDATE _event SET type = 'API_CALL' WHERE type = ?", [KIND])
        database.execute(f"UPDATE _event SET type = ? WHERE id IN ({FIRST})", [KIND, COUNT])  # noqa: S608


async def _records(url: str) -> list[object]:
    """The records of the service, read by a separate client, with masked secrets as in the file."""
    async with Client(url) as client:
        await client.authenticate("root", "admin")
        chosen, sort = EventFilter(type=(KIND,)), (Sort("_id"),)
        pages = [
            await client.list_events(chosen, sort=sort, offset=offset, full=True)
            for offset in range(0, COUNT, 1_000)
        ]
    records = [wire_record(event) for page in pages for event in page.events]
    return [msgspec.json.decode(msgspec.json.encode(record)) for record in records]


async def _delete(visit: Visit, file: Path) -> None:
    visit.act("delete_found")
    dialog = await visit.opened(DeletionDialog)
    assert dialog.accept_button.text().replace(",", "") == f"Delete {COUNT} events"
    dialog.path.setText(str(file))
    assert not dialog.accept_button.isEnabled()
    dialog.typed.setText(str(COUNT))
    visit.click(dialog.accept_button)
    await until(lambda: visit.events.notice.isVisible() and visit.events.notice.title == "Deleted")
    assert visit.events.notice.text.replace(",", "").startswith(f"The service has deleted {COUNT} of {COUNT}")
