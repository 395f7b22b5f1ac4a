"""Tests of exports, prints and copies at the same time, of their limits, and of groups in SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.output import source as output_source
from cdb_desktop.ui.schema.output.controller import DiagramOutputController
from cdb_desktop.ui.schema.output.dialog import OutputDialog
from cdb_desktop.ui.schema.output.source import OutputOptions, store_options, stored_options
from tests.desktop.patience import until
from tests.desktop.ui.schema.conftest import Bench

_SVG = "{http://www.w3.org/2000/svg}"


async def test_outputs_do_not_stop_one_another(bench: Bench, tmp_path: Path) -> None:
    """Two files and a copy that are begun at once are all finished."""
    async with bench.with_museum():
        output = _output(bench)
        for name in ("svg", "pdf"):
            output.write(tmp_path / f"museum.{name}", OutputOptions(format=name))
        output.copy()
        await until(lambda: _are_files(tmp_path, "svg", "pdf"))
        await until(lambda: QApplication.clipboard().mimeData().hasImage())


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
        dialog = bench.view.findChild(OutputDialog, "schema.output")
        assert isinstance(dialog, OutputDialog)
        dialog.accept_button.click()
        printing = bench.view.findChild(QPrintDialog, "schema.print.dialog")
        assert isinstance(printing, QPrintDialog)
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


def _output(bench: Bench) -> DiagramOutputController:
    (found,) = bench.view.findChildren(DiagramOutputController)
    return found


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
