"""Tests of the schema page with a model file: without service, user and rights."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QLabel

from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.edits.tables import RenameTable, remove_table
from cdb_desktop.schema.files.model_files import ModelFormat, decode_model, read_file
from cdb_desktop.schema.working_copy import open_model_file
from cdb_desktop.ui.schema.controller import ModelFileController
from cdb_desktop.ui.schema.form.dialogs import RemovalDialog
from cdb_desktop.ui.schema.merge.dialog import MergeDialog
from cdb_desktop.ui.tasks import Tasks
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PERSON_BORN, PICTURE, exported_text, museum, museum_export
from tests.desktop.ui.finding import awaited_child, child_of
from tests.desktop.ui.schema.conftest import Bench


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An exported file that contains more than the schema."""
    path = tmp_path / "museum.json"
    path.write_text(json.dumps({"version": 8, "schema": museum(), "mask": {}, "keys": {"a": {"de": "b"}}}))
    return path


async def test_only_actions_that_need_a_service_are_disabled(bench: Bench, file: Path) -> None:
    """A file can be edited without any right."""
    async with _at(bench, file):
        assert bench.view.header.version.currentText() == "museum.json"
        assert bench.actions["table_new"].isEnabled()
        for name in ("schema_commit", "schema_svg", "refresh"):
            assert bench.actions.obstacle(name) == "Requires a connection."
        assert "Everything is saved." in bench.actions["schema_save"].toolTip()


async def test_changes_are_relative_to_the_file(bench: Bench, file: Path) -> None:
    """Saving keeps the other content of the file and the undo history."""
    async with _at(bench, file) as controller:
        controller.store.apply(remove_table(PICTURE, dependents=True))
        await until(lambda: bench.view.header.badge != "no changes")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.header.badge == "no changes")
        saved = json.loads(_content(file))
        assert saved["keys"] == {"a": {"de": "b"}}
        assert PICTURE not in {table["table_id"] for table in saved["schema"]["tables"]}
        bench.actions["schema_undo"].trigger()
        assert bench.view.header.note == "not saved"


async def test_undo_restores_every_byte(bench: Bench, file: Path) -> None:
    """A saved rename is undone and saved again: names and masks are as before."""
    before = exported_text(museum_export()).encode()
    _write(file, before)
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.header.note == "")
        assert {key for key in json.loads(_content(file))["keys"] if ".people" in key} == {
            "schema.people.name",
            "schema.people.column.name",
            "schema.people.column.born",
        }
        bench.actions["schema_undo"].trigger()
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.header.note == "")
        assert _content(file) == before


async def test_a_file_changed_by_others_is_not_overwritten_without_asking(bench: Bench, file: Path) -> None:
    """The notice offers both alternatives."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        theirs = _content(file) + b"\n"
        _write(file, theirs)
        bench.actions["schema_save"].trigger()
        await until(bench.view.notice.isVisible)
        assert "changed by another program" in bench.view.notice.text
        assert _content(file) == theirs
        bench.view.notice.buttons[1].click()
        await until(lambda: bench.view.header.note == "")
        assert decode_model(_content(file)).document.by_key[PERSON].name == "people"


async def test_saving_again_while_the_file_is_written(bench: Bench, file: Path) -> None:
    """As with a key that is held down: the file is the own one, and has what was edited meanwhile."""
    async with _at(bench, file) as controller:
        edits = [RenameTable(PERSON, f"name_{number}") for number in range(5)]
        controller.store.apply(edits.pop())
        async with asyncio.timeout(10):
            while bench.view.header.note == "not saved":
                bench.actions["schema_save"].trigger()
                await asyncio.sleep(0.001)
                if edits:
                    controller.store.apply(edits.pop())
        assert not bench.view.notice.isVisible()
        assert "name_0" in _content(file).decode()


async def test_edits_survive_a_file_that_cannot_be_written(bench: Bench, file: Path) -> None:
    """A folder has its name; the notice says so, and the edits can be saved to another file."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        aside = _block(file)
        bench.actions["schema_save"].trigger()
        await until(bench.view.notice.isVisible)
        if bench.view.notice.title == "":  # what stands there now was not there when it was opened
            bench.view.notice.buttons[1].click()
            await until(lambda: bench.view.notice.title)
        assert bench.view.notice.title == "museum.json cannot be written"
        assert bench.view.header.note == "not saved"
        bench.view.notice.buttons[0].click()
        dialog = child_of(bench.view, QFileDialog)
        dialog.fileSelected.emit(str(aside / "other.xml"))
        dialog.close()
        await until(lambda: bench.view.header.version.currentText() == "other.xml")
        assert bench.view.header.note == ""
        written = decode_model(_content(aside / "other.xml"))
        assert (written.form, written.document.by_key[PERSON].name) == (ModelFormat.XML, "people")
        assert bench.view.notice.text.endswith("Masks and localized names are not in it.")


async def test_a_schema_of_a_service_becomes_a_file(bench: Bench, file: Path) -> None:
    """For every user who may read it; the page still shows the service."""
    async with bench.with_museum() as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        bench.actions["schema_copy"].trigger()
        dialog = child_of(bench.view, QFileDialog, "schema.copy.dialog")
        dialog.fileSelected.emit(str(file.with_name("copy.json")))
        dialog.close()
        await until(lambda: "Masks and localized names are not in it." in bench.view.notice.text)
        copy = decode_model(_content(file.with_name("copy.json")))
        assert (copy.form, copy.document.by_key[PERSON].name) == (ModelFormat.BARE, "people")
        assert bench.view.header.note == "not saved"


def test_the_window_is_imported_without_graphviz() -> None:
    """Importing it would delay the start."""
    code = "import sys, cdb_desktop.ui.shell.workspace; print('graphviz' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "False\n"


def _content(file: Path) -> bytes:
    return file.read_bytes()


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _block(file: Path) -> Path:
    """Replaces a file by a folder; returns another folder."""
    file.unlink()
    for folder in (file, aside := file.with_name("aside")):
        folder.mkdir()
    return aside


@asynccontextmanager
async def _at(bench: Bench, file: Path) -> AsyncIterator[ModelFileController]:
    bench.actions.offer(None, offline=True)
    bench.actions.show_page("schema")
    async with Tasks(raise_error) as tasks:
        opened = read_file(file)
        controller = ModelFileController(bench.view, opened, bench.actions, tasks, bench.settings)
        controller.show()
        await until(lambda: bench.view.diagram.has_picture)
        yield controller


async def test_a_file_changed_by_others_is_merged(bench: Bench, file: Path) -> None:
    """With their masks; undoing the merge asks again before anything is overwritten."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        theirs = museum_export()
        theirs["schema"]["tables"][0]["comment"] = "theirs"
        theirs["keys"]["schema.work.name"]["de-DE"] = "Arbeit"
        _write(file, exported_text(theirs).encode())
        bench.actions["schema_save"].trigger()
        await until(bench.view.notice.isVisible)
        bench.view.notice.buttons[0].click()
        dialog = await awaited_child(bench.view, MergeDialog)
        assert dialog.windowTitle().startswith("Another program has changed museum.json")
        dialog.accept_button.click()
        await until(lambda: "merged with the file" in bench.view.notice.text)
        bench.actions["schema_undo"].trigger()
        bench.actions["schema_save"].trigger()
        await until(lambda: "changed by another program" in bench.view.notice.text)
        bench.actions["schema_redo"].trigger()
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.header.note == "")
        written = json.loads(_content(file))
        assert written["keys"]["schema.work.name"]["de-DE"] == "Arbeit"
        table = written["schema"]["tables"][0]
        assert (table["name"], table["comment"]) == ("people", "theirs")
        assert "schema.people.name" in written["keys"]


async def test_what_is_edited_while_the_other_version_is_read_is_merged_too(bench: Bench, file: Path) -> None:
    """The result is based on the document at the time of the dialog."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        other = json.loads(_content(file))
        other["schema"]["tables"] = [one for one in other["schema"]["tables"] if one["table_id"] != PICTURE]
        _write(file, json.dumps(other).encode())
        bench.actions["schema_save"].trigger()
        await until(lambda: "changed by another program" in bench.view.notice.text)
        bench.view.notice.buttons[0].click()
        await asyncio.sleep(0)
        controller.store.apply(RenameColumn(ColumnRef(PERSON, PERSON_BORN), "birth"))
        dialog = await awaited_child(bench.view, MergeDialog)
        dialog.accept_button.click()
        merged = controller.store.page.document.by_key
        assert PICTURE not in merged
        assert merged[PERSON].by_key[PERSON_BORN].name == "birth"


async def test_saved_steps_are_restored_while_the_page_changes(
    bench: Bench, next_bench: Bench, file: Path
) -> None:
    """As when localized names arrive meanwhile; only other edits would be in the way."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        bench.actions["schema_save"].trigger()
        folder = Path(bench.settings.fileName()).parent / "schema"
        await until(lambda: any(b"people" in steps.read_bytes() for steps in folder.glob("*.steps")))
    async with _at(next_bench, file) as controller:
        store = controller.store
        store.put(replace(store.page, editing=open_model_file(store.page.document)))
        restoring = asyncio.ensure_future(controller._editor.drafts._restore_steps())
        while not restoring.done():
            store.put(replace(store.page, checks=replace(store.page.checks)))
            await asyncio.sleep(0)
        next_bench.actions["schema_undo"].trigger()
        assert store.page.document.by_key[PERSON].name == "person"


async def test_edits_are_written_through_to_the_disk(
    bench: Bench, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that are recorded while the disk writes."""
    async with _at(bench, file) as controller:
        journal = controller._editor.drafts._journal
        sync, may_end, synced = journal.sync, threading.Event(), list[int]()

        def wait_and_sync() -> None:
            may_end.wait(5)
            sync()
            synced.append(1)

        monkeypatch.setattr(journal, "sync", wait_and_sync)
        controller.store.apply(RenameTable(PERSON, "people"))
        await asyncio.sleep(0.05)
        controller.store.apply(RenameTable(PERSON, "humans"))
        may_end.set()
        await until(lambda: not controller._editor.tasks.is_running("schema.journal.sync"))
        assert len(synced) == 2


async def test_masks_that_show_an_element_are_named(bench: Bench, tmp_path: Path) -> None:
    """In the form, and before the element is deleted with its fields in them."""
    path = tmp_path / "export.json"
    path.write_text(exported_text(museum_export()), encoding="utf-8")
    async with _at(bench, path) as controller:
        born = ColumnRef(PERSON, PERSON_BORN)
        controller.store.select(born)
        texts = [label.text() for label in bench.view.form.column.local_names.findChildren(QLabel)]
        assert "In masks, which follow a new name: person__all_fields" in texts
        bench.view.tables.tree.setFocus()
        bench.actions["element_delete"].trigger()
        dialog = child_of(bench.view, RemovalDialog)
        dialog.accept_button.click()
        assert not controller.store.page.document.contains(born)
