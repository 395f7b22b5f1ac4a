"""Tests of exports, prints and copies: cancelled, replaced, limited, several at once, or not written."""

import asyncio
import os
import re
import resource
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo
from PySide6.QtWidgets import QApplication, QFileDialog

from cdb_desktop.client import Client
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.files.file_access import ask_save_path
from cdb_desktop.ui.schema.output import source as output_source
from cdb_desktop.ui.schema.output.controller import DiagramOutputController
from cdb_desktop.ui.schema.output.dialog import OutputDialog
from cdb_desktop.ui.schema.output.source import (
    DiagramSource,
    Format,
    OutputOptions,
    store_options,
    stored_options,
)
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench

_TASK = "schema.export"
_OLD = b"what was there before"


async def test_a_cancelled_export_keeps_the_file(bench: Bench, tmp_path: Path) -> None:
    """At any moment: the file is as before, nothing is beside it, and the notice says so."""
    formats: tuple[Format, ...] = ("svg", "png", "pdf", "dot")
    async with bench.with_museum() as controller:
        for form, turns in product(formats, (0, 1, 2, 3)):
            target = tmp_path / f"{form} {turns}" / f"museum.{form}"
            target.parent.mkdir()
            target.write_bytes(_OLD)
            options = OutputOptions(format=form)
            bench.view.notice.hide()
            _output(bench).write(target, options)
            for _ in range(turns):
                await asyncio.sleep(0)
            if not controller._tasks.is_running(f"{_TASK} {target}"):
                continue
            controller._tasks.give_up(f"{_TASK} {target}")
            if "too late" in bench.view.notice.text:
                continue
            assert bench.view.notice.text == f"Cancelled: {target.name} was not written."
            await asyncio.sleep(0.05)
            assert _content(target) == _OLD
            assert _names(target.parent) == [target.name]


async def test_a_newer_export_to_a_file_replaces_the_older_one(bench: Bench, tmp_path: Path) -> None:
    """Only the newer one is written."""
    async with bench.with_museum() as controller:
        target = tmp_path / "museum.svg"
        for has_legend in (True, False):
            _output(bench).write(target, OutputOptions(format="svg", legend=has_legend))
            await asyncio.sleep(0)
        assert controller._tasks.is_running(f"{_TASK} {target}")
        await until(lambda: str(target) in bench.view.notice.text)
        assert b"any number of rows<" not in _content(target)


async def test_faults_of_the_disk_name_the_next_step(bench: Bench, tmp_path: Path) -> None:
    """In words instead of the system's; nothing is left beside the file that was there."""
    async with bench.with_museum():
        old = tmp_path / "old.svg"
        old.write_bytes(_OLD)
        with _small_disk():
            text, remedy = await _fault(bench, old)
        assert (text, "Make room there" in remedy) == ("The disk is full.", True)
        assert _content(old) == _OLD
        text, remedy = await _fault(bench, tmp_path / "gone" / "new.svg")
        assert text == f"The folder {tmp_path / 'gone'} does not exist."
        assert remedy == "Choose another folder. What you see here is kept."
        text, remedy = await _fault(bench, tmp_path / f"{'n' * 300}.svg")
        assert remedy.startswith("Choose a shorter name.")
        text, remedy = await _fault(bench, Path("/dev/full"))
        assert "such as a folder or a device" in text
        assert _is_device(Path("/dev/full"))
        assert _names(tmp_path) == ["old.svg", "settings.ini"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_without_permission(bench: Bench, tmp_path: Path) -> None:
    """It is named."""
    async with bench.with_museum():
        folder = tmp_path / "locked"
        folder.mkdir(mode=0o500)
        text, _ = await _fault(bench, folder / "new.svg")
        assert text == f"You may not write to the folder {folder}."


async def test_names_with_odd_characters(bench: Bench, tmp_path: Path) -> None:
    """They are shown as they are; names such as v1.2 get a suffix."""
    async with bench.with_museum():
        target = tmp_path / "<b>Übersicht & 100 %\n'\"; $(x).svg"
        _output(bench).write(target, OutputOptions(format="svg"))
        await until(lambda: str(target) in bench.view.notice.text)
        assert _content(target).startswith(b"<?xml")
        chosen: list[Path] = []
        for name in ("v1.2", "v1.svg", "V1.SVG"):
            dialog = ask_save_path(bench.view, "Export", "x", {"Drawing (*.svg)": ".svg"}, chosen.append)
            dialog.fileSelected.emit(str(tmp_path / name))
            dialog.close()
        assert [path.name for path in chosen] == ["v1.2.svg", "v1.svg", "V1.SVG"]


@pytest.mark.qt_log_ignore("QPainter::begin", extend=True)
@pytest.mark.skipif(bool(QPrinterInfo.availablePrinterNames()), reason="would print")
async def test_printing_without_a_printer(bench: Bench) -> None:
    """The notice names the next step; nothing is said to be printed."""
    async with bench.with_museum() as controller:
        bench.view.notice.hide()
        source = DiagramSource.of_page(bench.view, controller.store.page, "")
        _output(bench)._print_on(QPrinter(), source, OutputOptions(format="paper", pages="fit"))
        await until(lambda: bench.view.notice.title == "The diagram could not be printed")
        assert "choose PDF" in bench.view.notice.text


async def _fault(bench: Bench, target: Path) -> tuple[str, str]:
    """The text and the next step of the notice."""
    bench.view.notice.hide()
    _output(bench).write(target, OutputOptions(format="svg"))
    await until(lambda: bench.view.notice.title == f"{target.name} cannot be written")
    text, _, remedy = bench.view.notice.text.partition(". ")
    return f"{text}.", remedy


@contextmanager
def _small_disk() -> Iterator[None]:
    """Files of this process may not become larger than 10 kB meanwhile, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _output(bench: Bench) -> DiagramOutputController:
    return child_of(bench.view, DiagramOutputController)


def _is_device(path: Path) -> bool:
    return path.is_char_device()


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _content(path: Path) -> bytes:
    return path.read_bytes()


async def test_the_services_svg_is_exported_unchanged(
    bench: Bench, reference_server: str, tmp_path: Path
) -> None:
    """While it is shown in place of the diagram; otherwise the dialog opens."""
    async with bench.signed_in(reference_server, "viewer"):
        bench.actions["schema_svg"].setChecked(True)
        await until(lambda: bench.view.diagram_panel.svg.has_picture)
        assert bench.view.diagram_panel.shows_svg
        bench.actions["diagram_export"].trigger()
        dialog = child_of(bench.view, QFileDialog, "schema.export.dialog")
        target = tmp_path / "theirs.svg"
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(lambda: str(target) in bench.view.notice.text)
        async with Client(reference_server) as client:
            await client.authenticate("viewer", "viewer")
            assert _content(target) == await client.schema_file("HEAD", "svg")
        bench.actions["schema_svg"].setChecked(False)
        assert bench.view.diagram.isVisible()
        bench.actions["diagram_export"].trigger()
        assert bench.view.findChild(OutputDialog, "schema.output") is not None


async def test_an_svg_that_has_not_arrived_is_not_exported(bench: Bench) -> None:
    """Nor is the diagram exported instead."""
    async with bench.with_museum():
        bench.view.diagram_panel.show_svg(on=True)
        bench.actions["diagram_export"].trigger()
        assert bench.view.findChild(QFileDialog, "schema.export.dialog") is None
        assert bench.view.notice.text == "The service's drawing is not here yet."


_SVG = "{http://www.w3.org/2000/svg}"


async def test_outputs_do_not_stop_one_another(bench: Bench, tmp_path: Path) -> None:
    """Two files and a copy that are begun at once are all finished."""
    async with bench.with_museum():
        output = _output(bench)
        for name in ("svg", "pdf"):
            output.write(tmp_path / f"museum.{name}", OutputOptions(format=name))
        output.copy()
        await until(lambda: _are_files(tmp_path, "svg", "pdf"))
        await until(lambda: not QApplication.clipboard().image().isNull())


async def test_a_copy_is_limited_and_keeps_the_options(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the dialog are for files; a larger picture could not be painted."""
    async with bench.with_museum():
        options = OutputOptions(format="svg", scale=400)
        store_options(bench.settings, options)
        monkeypatch.setattr(output_source, "_MOST_PIXELS", 10_000)
        _output(bench).copy()
        await until(lambda: "clipboard" in bench.view.notice.text)
        image = QApplication.clipboard().image()
        assert isinstance(image, QImage)
        assert 5_000 < image.width() * image.height() <= 10_000
        assert stored_options(bench.settings) == options


async def test_printing_into_a_file_that_cannot_be_written(bench: Bench, tmp_path: Path) -> None:
    """It is explained as for any other file."""
    async with bench.with_museum():
        bench.actions["diagram_print"].trigger()
        dialog = child_of(bench.view, OutputDialog, "schema.output")
        dialog.accept_button.click()
        printing = child_of(bench.view, QPrintDialog, "schema.print.dialog")
        printing.printer().setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        printing.printer().setOutputFileName(str(tmp_path / "missing" / "printed.pdf"))
        printing.accepted.emit(printing.printer())
        printing.close()
        await until(lambda: bench.view.notice.title == "printed.pdf cannot be written")
        assert "Choose another folder" in bench.view.notice.text


async def test_groups_of_the_visible_part_are_clipped(bench: Bench, tmp_path: Path) -> None:
    """Regions and names as well as boxes; heading and legend are outside."""
    async with bench.with_museum():
        await _group(bench)
        root = await _svg(bench, tmp_path / "museum.svg", OutputOptions(format="svg", part="visible"))
        clipped = root.find(f".//{_SVG}g[@clip-path]")
        assert clipped is not None
        (layout,) = bench.view.diagram.findChildren(DiagramLayoutController)
        names = {group.name for group in layout.arrangement.groups}
        assert names
        inside = [element.text or "" for element in clipped.iter(f"{_SVG}text")]
        assert names <= {name for name in names if any(name in text for text in inside)}
        outside = Counter(element.text for element in root.iter(f"{_SVG}text")) - Counter(inside)
        assert {"http://127.0.0.1:1"} <= outside.keys()
        assert not any(name in (text or "") for text in outside for name in names)


async def test_folded_tables_have_no_equal_ids(bench: Bench, tmp_path: Path) -> None:
    """The rows for hidden columns have none."""
    async with bench.with_museum():
        bench.actions["columns_fold_all"].trigger()
        root = await _svg(bench, tmp_path / "museum.svg", OutputOptions(format="svg"))
        ids = Counter(element.get("id") for element in root.iter() if element.get("id"))
        assert ids.total() > len(bench.view.diagram.diagram_scene.tables)
        assert set(ids.values()) == {1}


async def _group(bench: Bench) -> None:
    (layout,) = bench.view.diagram.findChildren(DiagramLayoutController)
    bench.actions["groups_by_links"].trigger()
    await until(lambda: bool(layout.arrangement.groups))


async def _svg(bench: Bench, target: Path, options: OutputOptions) -> ET.Element:
    bench.view.notice.hide()
    _output(bench).write(target, options)
    await until(lambda: re.search(r"The diagram is in", bench.view.notice.text))
    return ET.parse(target).getroot()  # noqa: S314  # a small file, written by ourselves


def _are_files(folder: Path, *formats: str) -> bool:
    return all((folder / f"museum.{name}").exists() for name in formats)
