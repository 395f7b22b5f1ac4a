"""User story: a user of version 0.1 starts this version and finds everything as it was."""

import lzma
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.foundation.files import Report, on_report
from cdb_desktop.queries.saved_views import ColumnState
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.events.export.dialogs import load_options
from cdb_desktop.ui.events.views import ViewController
from cdb_desktop.ui.schema.page.notice import SchemaNotice
from cdb_desktop.ui.shell.manual.window import ManualWindow
from tests.desktop.patience import until
from tests.journeys.server import columns, fetch_rows
from tests.journeys.steps import commit, save
from tests.journeys.visit import Visit, visiting
from tests.server import serving

# Written by version 0.1 when a user had worked with a service at this address.
DATA = Path(__file__).parents[1] / "data" / "version_0.1"
ADDRESS = "http://127.0.0.1:41211"


@pytest.mark.long
async def test_everything_is_as_it_was(folders: UserFolders, tmp_path: Path) -> None:
    """Settings, the query, a view and a draft are restored; the draft is committed to the database."""
    file = tmp_path / "museum.sqlite"
    file.write_bytes(lzma.decompress((DATA / "database.sqlite.xz").read_bytes()))
    events = fetch_rows(file, "SELECT COUNT(*) FROM _event WHERE type = 'OBJECT_INSERT'")
    visitors = fetch_rows(file, "SELECT _id, visitors FROM exhibition ORDER BY _id")
    reports: list[Report] = []
    end = on_report(reports.append)
    with serving(file) as url:
        _copy_settings(folders, url)
        async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
            await until(lambda: visit.events.has_rows)
            # What is new opens beside the window, which keeps the keys.
            await until(lambda: any(isinstance(one, ManualWindow) for one in QApplication.topLevelWidgets()))
            await until(visit.window.isActiveWindow)
            assert visit.events.query.types == ("OBJECT_INSERT",)
            assert visit.events.model.rowCount() == events[0][0]
            _check_settings(visit)
            await _restore_draft(visit)
            await save(visit)
            await commit(visit)
    end()
    assert reports == []
    assert "visitors" not in columns(file, "exhibition")
    assert fetch_rows(file, "SELECT _id, guests FROM exhibition ORDER BY _id") == visitors


def _copy_settings(folders: UserFolders, url: str) -> None:
    """Copies the files of version 0.1 for a service at another address, which names of drafts depend on."""
    shutil.rmtree(folders.settings)
    for source in (each for each in (DATA / "settings").rglob("*") if each.is_file()):
        target = folders.settings / source.relative_to(DATA / "settings")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes().replace(ADDRESS.encode(), url.encode()))
    drafts = folders.settings / "schema"
    before, after = (LocalStore(drafts, address, "root").drafts.stem for address in (ADDRESS, url))
    (drafts / f"{before}.draft.json").rename(drafts / f"{after}.draft.json")


def _check_settings(visit: Visit) -> None:
    view = visit.events
    assert (view.appearance.choice, view.appearance.density) == ("dark", "compact")
    assert visit.window.status.zone.text() == "UTC"
    (saved,) = visit.part(ViewController).views
    assert (saved.name, saved.query) == ("Who deletes", view.query)
    shown, of_view = (_widths(states) for states in (view.columns.states, saved.columns))
    assert list(shown) == list(of_view) == ["id", "time", "type", "user", "object", "object_version"]
    assert shown["user"] == of_view["user"] == 222
    options = ExportOptions("jsonl", CsvOptions(max_length=0), escape_formulas=True, columns=("time",))
    assert load_options(view.settings, ("time",)) == options


def _widths(states: Iterable[ColumnState]) -> dict[str, int]:
    """The widths of visible columns."""
    return {state.name: state.width for state in states if state.shown}


async def _restore_draft(visit: Visit) -> None:
    visit.act("schema")
    await until(lambda: visit.window.findChild(SchemaNotice, "schema.drafts") is not None)
    offer = visit.part(SchemaNotice, "schema.drafts")
    await until(offer.isVisible)
    visit.click(offer.buttons[0])
    await until(lambda: visit.schema.header.note == "not saved")
