"""Tests of the page on a model file: no service, no rights, and nothing that is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFileDialog

from cdb_desktop.schema.diagram.graphviz_process import Graphviz
from cdb_desktop.schema.edits.removal import RemoveTable
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.model_files import ModelFormat, decode_model, read_file
from cdb_desktop.ui.schema.file_controller import FileController
from cdb_desktop.ui.tasks import Tasks
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, PICTURE, exported_text, museum, museum_export
from tests.desktop.ui.schema.conftest import Bench


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An export with names beside the schema."""
    path = tmp_path / "museum.json"
    path.write_text(json.dumps({"version": 8, "schema": museum(), "mask": {}, "keys": {"a": {"de": "b"}}}))
    return path


async def test_only_what_needs_a_service_is_closed(bench: Bench, file: Path) -> None:
    """Whoever is nobody's user may do all with a file."""
    async with _at(bench, file):
        assert bench.view.header.version.currentText() == "museum.json"
        assert bench.actions["table_new"].isEnabled()
        for name in ("schema_commit", "schema_svg", "refresh"):
            assert bench.actions.obstacle(name) == "Requires a connection."
        assert "Everything is saved." in bench.actions["schema_save"].toolTip()


async def test_changes_are_those_since_the_file_was_read(bench: Bench, file: Path) -> None:
    """Saving keeps what is beside the schema, and undo goes on behind it."""
    async with _at(bench, file) as controller:
        controller.store.apply(RemoveTable(PICTURE, dependents=True))
        await until(lambda: bench.view.header.badge != "no changes")
        bench.actions["schema_save"].trigger()
        await until(lambda: bench.view.header.badge == "no changes")
        saved = json.loads(_content(file))
        assert saved["keys"] == {"a": {"de": "b"}}
        assert PICTURE not in {table["table_id"] for table in saved["schema"]["tables"]}
        bench.actions["schema_undo"].trigger()
        assert bench.view.header.note == "not saved"


async def test_undo_brings_back_every_byte(bench: Bench, file: Path) -> None:
    """A rename that was saved is undone and saved again: names and masks are what they were."""
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


async def test_what_others_have_written_is_not_overwritten_unasked(bench: Bench, file: Path) -> None:
    """Saving tells it and offers both ways on."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        theirs = _content(file) + b"\n"
        _write(file, theirs)
        bench.actions["schema_save"].trigger()
        await until(bench.view.offer.isVisible)
        assert "changed by another program" in bench.view.offer.text
        assert _content(file) == theirs
        bench.view.offer.buttons[0].click()
        await until(lambda: bench.view.header.note == "")
        assert decode_model(_content(file)).document.by_key[PERSON].name == "people"


async def test_a_file_that_cannot_be_written_costs_no_work(bench: Bench, file: Path) -> None:
    """A folder has its name; the message says so, and another file takes the work."""
    async with _at(bench, file) as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        aside = _block(file)
        bench.actions["schema_save"].trigger()
        await until(bench.view.offer.isVisible)
        if bench.view.offer.title == "":  # what stands there now was not there when it was opened
            bench.view.offer.buttons[0].click()
            await until(lambda: bench.view.offer.title)
        assert bench.view.offer.title == "museum.json cannot be written"
        assert bench.view.header.note == "not saved"
        bench.view.offer.buttons[0].click()
        dialog = bench.view.findChild(QFileDialog)
        assert dialog is not None
        dialog.fileSelected.emit(str(aside / "other.xml"))
        dialog.close()
        await until(lambda: bench.view.header.version.currentText() == "other.xml")
        assert bench.view.header.note == ""
        written = decode_model(_content(aside / "other.xml"))
        assert (written.form, written.document.by_key[PERSON].name) == (ModelFormat.XML, "people")


@pytest.mark.parametrize("ending", ["svg", "dot", "png", "pdf"])
async def test_the_diagram_is_exported(bench: Bench, file: Path, ending: str) -> None:
    """Whole, whatever part of it is in sight."""
    async with _at(bench, file):
        bench.view.diagram.zoom_in()
        bench.actions["diagram_export"].trigger()
        dialog = bench.view.findChild(QFileDialog, "schema.export.dialog")
        assert dialog is not None
        target = file.with_suffix(f".{ending}")
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(lambda: "The diagram is in" in bench.view.offer.text)
        _check(_content(target), ending)


async def test_an_svg_needs_no_graphviz(bench: Bench, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one the screen's own painting becomes the file."""
    away = Graphviz((str(file.with_name("no such program")),))
    monkeypatch.setattr("cdb_desktop.ui.schema.drawing_export.find_graphviz", lambda: away)
    async with _at(bench, file):
        bench.actions["diagram_export"].trigger()
        dialog = bench.view.findChild(QFileDialog, "schema.export.dialog")
        assert dialog is not None
        dialog.fileSelected.emit(str(file.with_suffix(".svg")))
        dialog.close()
        await until(lambda: "The diagram is in" in bench.view.offer.text)
        content = _content(file.with_suffix(".svg"))
        assert b"graphviz" not in content
        _check(content, "svg")


def _check(content: bytes, ending: str) -> None:
    if ending == "svg":
        assert QSvgRenderer(QByteArray(content)).isValid()
        assert all(name in content for name in (b">person<", b">work<", b">picture<"))
    elif ending == "dot":
        assert content.startswith(b"digraph schema {")
        assert b'PORT="c11"' in content
        assert content.count(b" pos=") >= 4
    elif ending == "png":
        image = QImage.fromData(content)
        colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
        assert len(colours) > 4
    else:
        assert content.startswith(b"%PDF")
        assert len(content) > 2000


async def test_a_schema_of_a_service_becomes_a_file(bench: Bench, file: Path) -> None:
    """For everybody who may read it; it is not worked on as a file by that."""
    async with bench.with_museum() as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        bench.actions["schema_copy"].trigger()
        dialog = bench.view.findChild(QFileDialog, "schema.copy.dialog")
        assert dialog is not None
        dialog.fileSelected.emit(str(file.with_name("copy.json")))
        dialog.close()
        await until(lambda: "The schema is in" in bench.view.offer.text)
        copy = decode_model(_content(file.with_name("copy.json")))
        assert (copy.form, copy.document.by_key[PERSON].name) == (ModelFormat.BARE, "people")
        assert bench.view.header.note == "not saved"


def test_the_panes_load_without_graphviz() -> None:
    """It takes time at the start, when nothing is arranged yet."""
    code = "import sys, cdb_desktop.ui.shell.workspace; print('graphviz' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20
    )
    assert done.stdout == "False\n"


def _content(file: Path) -> bytes:
    return file.read_bytes()


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def _block(file: Path) -> Path:
    """Puts a folder in a file's place; gives another one."""
    file.unlink()
    for folder in (file, aside := file.with_name("aside")):
        folder.mkdir()
    return aside


@asynccontextmanager
async def _at(bench: Bench, file: Path) -> AsyncIterator[FileController]:
    bench.actions.offer(None, offline=True)
    bench.actions.show_page("schema")
    async with Tasks(_raise) as tasks:
        opened = read_file(file)
        controller = FileController(bench.view, opened, bench.actions, tasks, bench.settings)
        controller.show()
        await until(lambda: bench.view.diagram.has_picture)
        yield controller


def _raise(error: Exception) -> None:
    raise error
