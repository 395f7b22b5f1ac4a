"""Story: the server of the demo is killed, restarts, and the user continues."""

import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt

from cdb_desktop.app.demo import demo_server
from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.embedded import EmbeddedServer
from tests.desktop.app.processes import is_alive
from tests.desktop.patience import until
from tests.journeys.server import columns, copied, fetch_rows
from tests.journeys.steps import commit, commits_seen, filter_types, rename_column, rows_are_loaded, save
from tests.journeys.visit import Visit, visiting

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills by signals, looks into /proc")
DEMO = Options(demo=True)


async def test_browsing_continues(folders: UserFolders, museum: Path) -> None:
    """Missing rows are loaded, inspector and filters work, and the program exits cleanly."""
    file = copied(museum, folders.demo)
    server = demo_server(folders.demo, 5)
    async with visiting(folders, DEMO, server) as visit:
        view = visit.events
        await until(lambda: view.model.rowCount() > 20_000 and rows_are_loaded(visit))
        visit.click(view.table.viewport(), QPoint(20, 12))
        _kill(server)
        visit.press(Qt.Key.Key_End)
        await _come_back(visit)
        await until(lambda: rows_are_loaded(visit))
        assert view.table.currentIndex().row() > 20_000
        await until(lambda: view.inspector.details is not None and view.inspector.details.is_whole)
        await filter_types(visit, "OBJECT_DELETE")
        ((count,),) = fetch_rows(file, "SELECT COUNT(*) FROM _event WHERE type = 'OBJECT_DELETE'")
        assert isinstance(count, int)
        await until(lambda: count <= view.model.rowCount() < 2 * count and rows_are_loaded(visit))
    assert not is_alive(server.pid)


async def test_unsaved_edits_and_the_feed_continue(folders: UserFolders, museum: Path) -> None:
    """The edit still exists, is saved and committed, and the commit appears in the feed."""
    file = copied(museum, folders.demo)
    server = demo_server(folders.demo, 5)
    async with visiting(folders, DEMO, server) as visit:
        await until(lambda: visit.live.is_following)
        known = commits_seen(visit)
        await rename_column(visit, "visitors", "guests")
        _kill(server)
        await _come_back(visit)
        assert visit.schema.header.note == "not saved"
        await save(visit)
        await commit(visit)
        await until(lambda: len(commits_seen(visit)) == len(known) + 1)
        assert visit.live.is_following
        assert "guests" in columns(file, "exhibition")
    assert not is_alive(server.pid)


def _kill(server: EmbeddedServer) -> None:
    os.kill(server.pid, signal.SIGKILL)


async def _come_back(visit: Visit) -> None:
    await until(visit.window.notice.isVisible)
    assert visit.window.notice.title == "Restarting the demo service"
    await until(lambda: not visit.window.notice.isVisible())
