"""Story: a user edits a model file without a service, and connects to a service afterwards."""

import json
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.start_view import StartView
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.schema.page.notice import SchemaNotice
from cdb_desktop.ui.schema.view import SchemaView
from tests.desktop.drops import drop_file
from tests.desktop.patience import until
from tests.desktop.schema.models import museum
from tests.journeys.steps import RETURN, rename_column
from tests.journeys.visit import Visit, visiting
from tests.server import serving


async def test_a_file_is_opened_changed_and_saved(
    folders: UserFolders, own_museum: Path, tmp_path: Path
) -> None:
    """From the start page, with keys; a later connection replaces the file."""
    file = _model(tmp_path)
    with serving(own_museum) as url:
        async with visiting(folders, Options(), wanted=StartView) as visit:
            visit.act("model_open")
            file_dialog = await visit.opened(QFileDialog)
            file_dialog.fileSelected.emit(str(file))
            file_dialog.close()
            await visit.activate_window()
            await until(lambda: visit.has(SchemaView) and visit.schema.diagram.has_picture)
            assert visit.window.windowTitle().startswith("museum.json")
            assert not visit.window.actions_by_name["schema_commit"].isEnabled()
            assert visit.window.actions_by_name["schema_commit"].toolTip().endswith("Requires a connection.")
            await rename_column(visit, "year", "made")
            visit.act("schema_undo")
            assert visit.schema.header.note == ""
            visit.act("schema_redo")
            assert "made" not in file.read_text()
            visit.act("schema_save")
            await until(lambda: visit.schema.header.note == "")
            assert "made" in file.read_text()
            await _connect(visit, url)
            await until(lambda: visit.has(EventsView))
            await until(lambda: visit.schema.header.version.currentText().startswith("HEAD"))
            assert visit.window.status.who.text().endswith("· Root")


async def test_a_file_is_dropped_on_the_window(folders: UserFolders, tmp_path: Path) -> None:
    """Anywhere; an invalid file is reported with the position of the error, and the page does not change."""
    file, broken = _model(tmp_path), tmp_path / "broken.json"
    broken.write_text('{"tables": [{"name": 1}]}')
    async with visiting(folders, Options(), wanted=StartView) as visit:
        drop_file(visit.window.start.choices, broken)
        await until(visit.window.notice.isVisible)
        assert visit.window.notice.title == "broken.json is no data model"
        assert "tables[0].name" in visit.window.notice.text
        assert visit.window.start.choices.isVisible()
        drop_file(visit.window.start.choices, file)
        await until(lambda: visit.has(SchemaView) and visit.schema.diagram.has_picture)
        assert not visit.window.notice.isVisible()
        drop_file(visit.schema.diagram.viewport(), broken)
        await until(visit.window.notice.isVisible)
        assert visit.schema.diagram.isVisible()
        visit.act("model_close")
        await until(visit.window.start.choices.isVisible)


async def test_unsaved_edits_of_a_file_are_offered_again(folders: UserFolders, tmp_path: Path) -> None:
    """After the window was closed; the file itself is unchanged."""
    file = _model(tmp_path)
    before = file.read_bytes()
    given = Options(model=str(file))
    async with visiting(folders, given, wanted=SchemaView) as visit:
        await rename_column(visit, "year", "made")
    assert file.read_bytes() == before
    async with visiting(folders, given, wanted=SchemaView) as visit:
        offer = visit.part(SchemaNotice, "schema.drafts")
        await until(offer.isVisible)
        assert offer.text.startswith("Work on this file from")
        visit.click(offer.buttons[0])
        assert visit.schema.header.note == "not saved"
        visit.act("schema_save")
        await until(lambda: visit.schema.header.note == "")
    assert "made" in file.read_text()


def _model(folder: Path) -> Path:
    file = folder / "museum.json"
    file.write_text(json.dumps(museum()))
    return file


async def _connect(visit: Visit, url: str) -> None:
    visit.act("connect")
    dialog = await visit.opened(ConnectionDialog)
    for field, text in (
        (dialog.form.address, url),
        (dialog.form.login, "root"),
        (dialog.form.password, "admin"),
    ):
        field.setFocus()
        visit.type(text)
    visit.press(RETURN)
