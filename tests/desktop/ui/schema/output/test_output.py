"""Tests of the output of the diagram: what files contain, how large they are, and failures to write them."""

import re
import xml.etree.ElementTree as ET
import zlib
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QColor, QImage
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel

from cdb_desktop.client import Session
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.heat import HeatKind, TableHeat
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.edits.tables import RenameTable, remove_column
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.diagram.heat_item import rows_text
from cdb_desktop.ui.schema.diagram.regions import _FILL
from cdb_desktop.ui.schema.diagram.style import group_color, mixed
from cdb_desktop.ui.schema.output.controller import DiagramOutputController
from cdb_desktop.ui.schema.output.dialog import OutputDialog, OutputPreview
from cdb_desktop.ui.schema.output.source import (
    DiagramSource,
    OutputOptions,
    store_options,
    stored_options,
)
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.theme.tokens import DARK
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import large_model
from tests.desktop.schema.models import PERSON, WORK, YEAR, opened
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench

_SVG = "{http://www.w3.org/2000/svg}"


async def test_svg_has_all_names_as_texts(bench: Bench, tmp_path: Path) -> None:
    """It also has heading, legend, ids and tooltips of tables and columns, and links to linked tables."""
    async with bench.with_museum():
        content = await _written(bench, tmp_path / "museum.svg", OutputOptions(format="svg"))
        assert QSvgRenderer(QByteArray(content)).isValid()
        root = _parsed(content)
        texts = [element.text for element in root.iter(f"{_SVG}text")]
        document = opened()
        for table in document.tables:
            assert table.name in texts
            assert root.find(f".//*[@id='t{table.key}']") is not None
            for column in table.columns:
                if column.name:
                    assert column.name in texts
                    assert root.find(f".//*[@id='c{column.key}']/{_SVG}title") is not None
        for text in ("127.0.0.1:1", "must have a value", "any number of rows", "Renamed"):
            assert any(text in (each or "") for each in texts)
        assert any(re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", each or "") for each in texts)
        targets = {link.get("href") for link in root.iter(f"{_SVG}a")}
        assert targets == {f"#t{link.edge.linked}" for link in bench.view.diagram.diagram_scene.diagram.links}


async def test_changes_are_in_the_file_but_not_the_selection(bench: Bench, tmp_path: Path) -> None:
    """Neither a table with its links nor a column that is selected."""
    async with bench.with_museum() as controller:
        controller.store.apply(RenameTable(PERSON, "people"))
        await until(lambda: bench.view.diagram.diagram_scene.diagram_style.signs)
        places: list[ElementRef] = [DOCUMENT, TableRef(PERSON), ColumnRef(WORK, YEAR)]
        found = []
        for place in places:
            controller.store.select(place)
            options = OutputOptions(format="svg", heading=False, legend=False)
            found.append(await _written(bench, tmp_path / "museum.svg", options))
        assert found[1:] == found[:1] * 2
        assert "→" in [text.text for text in _parsed(found[0]).iter(f"{_SVG}text")]


async def test_the_use_of_tables_is_in_every_format(bench: Bench, tmp_path: Path) -> None:
    """Gauges, rows and bars as on the screen, also of what is unknown, and what they mean."""
    async with bench.with_museum(session=Session(token="t")):
        plain = await _written(bench, tmp_path / "plain.png", OutputOptions(format="png"))
        bench.actions["schema_usage"].trigger()
        bench.actions["groups_by_links"].trigger()
        heat = {WORK: TableHeat(4, 4, 12345), PERSON: TableHeat()}
        bench.view.diagram.diagram_scene.show_heat(heat, lambda _ref: "Last read", HeatKind.READS)
        texts = _texts(await _written(bench, tmp_path / "use.svg", OutputOptions(format="svg")))
        assert {
            rows_text(12345),
            "? rows",
            "Reads and searches",
            "most",
            "the longer, the more rows",
        } <= texts
        assert "links to other tables" not in texts  # heads have the colors of the use
        assert any(text.startswith("Last write · ") for text in texts)
        root = _parsed((tmp_path / "use.svg").read_bytes())
        tip = root.find(f".//*[@id='t{WORK}']/{_SVG}title")
        assert tip is not None
        assert (tip.text or "").endswith("Last read")
        picture = await _written(bench, tmp_path / "use.png", OutputOptions(format="png"))
        assert QImage.fromData(picture).width() >= QImage.fromData(plain).width()
        document = await _written(bench, tmp_path / "use.pdf", OutputOptions(format="pdf"))
        assert len(document) > 5000


async def test_a_large_pdf_is_compressed_in_slices(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window waits for the compression of a slice; the page shows what it would show without them."""
    async with bench.with_museum() as controller:
        document = opened(large_model(100))
        controller.store.put(PageState(open_head(document, document)))
        await until(lambda: bench.view.diagram.diagram_scene.diagram.arrangement.groups)
        bench.actions["groups_expand"].trigger()
        await until(lambda: len(bench.view.diagram.diagram_scene.diagram.boxes) == 100)
        options = OutputOptions(format="pdf", pages="fit", heading=False)
        monkeypatch.setattr("cdb_desktop.ui.schema.output.controller._ITEMS", 20)
        slices = _contents(await _written(bench, tmp_path / "sliced.pdf", options))
        monkeypatch.setattr("cdb_desktop.ui.schema.output.controller._ITEMS", 1_000_000)
        (whole,) = _contents(await _written(bench, tmp_path / "whole.pdf", options))
        assert max(map(len, slices)) < len(whole) / 5
        for operator in (b" Tj", b" BT", b" f", b" S"):
            assert sum(each.count(operator) for each in slices) >= whole.count(operator)
        assert sum(each.count(b" Tj") for each in slices) == whole.count(b" Tj")


async def test_a_search_and_hidden_tables_are_explained_in_the_file(bench: Bench, tmp_path: Path) -> None:
    """Hits are marked, numbers lead to what is not shown, and the heading says why that is so."""
    async with bench.with_museum() as controller:
        bench.view.tables.search.setText("name")
        texts = _texts(await _written(bench, tmp_path / "hits.svg", OutputOptions(format="svg")))
        assert "found by the search" in texts
        assert any(text.startswith("Search: “name” · ") for text in texts)
        bench.view.tables.search.clear()
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        texts = _texts(await _written(bench, tmp_path / "hidden.svg", OutputOptions(format="svg")))
        assert {
            "links with tables that are not shown",
        } <= texts
        assert "found by the search" not in texts
        assert any(re.fullmatch(r"\+\d", text) for text in texts)


async def test_a_comparison_names_its_versions(bench: Bench, tmp_path: Path) -> None:
    """The heading has both, and removed columns are there, struck through."""
    async with bench.with_museum() as controller:
        controller.store.apply(remove_column(ColumnRef(WORK, YEAR), dependents=True))
        bench.actions["schema_changes"].trigger()
        style = bench.view.diagram.diagram_scene.diagram_style
        await until(lambda: style.signs.get(ColumnRef(WORK, YEAR)) == "−")
        content = await _written(bench, tmp_path / "changes.svg", OutputOptions(format="svg"))
        bar = bench.view.diagram_panel.time_line
        assert any(text.startswith(f"{bar.old.currentText()} → HEAD") for text in _texts(content))
        assert b"line-through" in content
        ghost = _parsed(content).find(f".//*[@id='c{YEAR}']/{_SVG}title")
        assert ghost is not None
        assert "removed" in (ghost.text or "")
        bench.actions["schema_changes"].trigger()


async def test_the_preview_shows_groups(bench: Bench) -> None:
    """Their regions and labels, as the file does."""
    async with bench.with_museum():
        view = bench.view.diagram
        bench.actions["groups_by_links"].trigger()
        await until(lambda: view.diagram_scene.regions.regions)
        dialog = _opened(bench, OutputOptions(format="png", heading=False, legend=False))
        preview = child_of(dialog, OutputPreview)
        image, style = preview.grab().toImage(), view.diagram_scene.diagram_style
        shown = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
        groups = view.diagram_scene.diagram.arrangement.groups
        assert groups
        for group in groups:
            color = group_color(group.color, style.tokens)
            assert mixed(color, QColor(style.tokens.ground), _FILL).name() in shown
        dialog.reject()
        bench.actions["groups_collapse"].trigger()
        await until(lambda: all(group_of_box(table) is not None for table in view.diagram_scene.tables))
        dialog = _opened(bench, OutputOptions(format="svg"))
        count = len(view.diagram_scene.tables)
        texts = [label.text() for label in dialog.findChildren(QLabel)]
        assert (
            "0 tables, one collapsed group" if count == 1 else f"0 tables, {count} collapsed groups"
        ) in texts
        dialog.reject()


async def test_a_picture_has_the_size_that_was_announced(bench: Bench, tmp_path: Path) -> None:
    """At another scale all lines are as much wider, and the background may be transparent."""
    async with bench.with_museum():
        dialog = _opened(bench, OutputOptions(format="png", scale=100, transparent=True))
        announced = dialog.size_note.text()
        content = await _agreed(bench, dialog, tmp_path / "museum.png")
        small = QImage.fromData(content)
        assert announced.startswith(f"{small.width():,} × {small.height():,} pixels")
        assert small.pixelColor(0, 0).alpha() == 0
        options = OutputOptions(format="png", scale=200, colors="dark")
        large = QImage.fromData(await _written(bench, tmp_path / "dark.png", options))
        assert abs(large.width() - 2 * small.width()) <= 2
        assert large.pixelColor(0, 0) == QColor(DARK.ground)


async def test_a_document_has_the_announced_pages(bench: Bench, tmp_path: Path) -> None:
    """With an overview if there are several; texts are texts."""
    async with bench.with_museum():
        for options in (
            OutputOptions(format="pdf", pages="drawing"),
            OutputOptions(format="pdf", pages="fit", paper="A3"),
            OutputOptions(format="pdf", pages="tiles", paper_scale=200),
        ):
            dialog = _opened(bench, options)
            announced = re.match(r"(\d+) pages: an overview", dialog.size_note.text())
            content = await _agreed(bench, dialog, tmp_path / f"{options.pages}.pdf")
            found = len(re.findall(rb"/Type /Page\b", content))
            assert found == int(announced[1] if announced else 1)
            assert (found > 1) == (options.pages == "tiles")
            assert b"/FontFile" in content
            assert stored_options(bench.settings) == options


async def test_a_part_of_the_diagram(bench: Bench, tmp_path: Path) -> None:
    """What is selected, or what is visible."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        content = await _written(bench, tmp_path / "one.dot", OutputOptions(format="dot", part="selected"))
        assert content.count(b" pos=") == 1
        bench.view.diagram.choose(TableRef(WORK), reveal=True)
        for _ in range(8):
            bench.view.diagram.zoom_in()
        options = OutputOptions(format="svg", part="visible", heading=False, legend=False)
        part = QSvgRenderer(QByteArray(await _written(bench, tmp_path / "part.svg", options)))
        whole = QSvgRenderer(
            QByteArray(
                await _written(bench, tmp_path / "all.svg", OutputOptions(legend=False, heading=False))
            )
        )
        assert part.viewBoxF().width() < whole.viewBoxF().width()
        assert b"digraph" in await _written(bench, tmp_path / "all.dot", OutputOptions(format="dot"))


async def test_what_cannot_be_painted_is_explained(bench: Bench, tmp_path: Path) -> None:
    """A picture that is too large; nothing is written, and a drawing can be chosen instead."""
    async with bench.with_museum():
        scene = bench.view.diagram.diagram_scene
        boxes = tuple(box.at((box.x * 200, box.y * 20)) for box in scene.diagram.boxes)
        scene.show_diagram(type(scene.diagram)(boxes, (), scene.diagram.arrangement))
        before = _files_below(tmp_path)
        dialog = _opened(bench, OutputOptions(format="png", scale=400))
        assert "SVG and PDF have no limit" in dialog.fault
        assert not dialog.accept_button.isEnabled()
        dialog.accept_button.click()
        assert bench.view.findChild(QFileDialog, "schema.export.dialog") is None
        dialog.format.setCurrentIndex(dialog.format.findData("svg"))
        dialog.format.activated.emit(dialog.format.currentIndex())
        assert not dialog.fault
        assert dialog.accept_button.isEnabled()
        dialog.close()
        assert _files_below(tmp_path) == before


async def test_the_diagram_is_copied(bench: Bench) -> None:
    """As a picture, and as SVG for programs that take drawings."""
    async with bench.with_museum():
        bench.actions["diagram_copy"].trigger()
        await until(lambda: "clipboard" in bench.view.notice.text)
        content = QApplication.clipboard().mimeData()
        assert content.hasImage()
        assert QSvgRenderer(content.data("image/svg+xml")).isValid()


async def test_the_diagram_is_printed(bench: Bench, tmp_path: Path) -> None:
    """On the pages that were announced, here into a file."""
    async with bench.with_museum() as controller:
        store_options(bench.settings, OutputOptions(pages="tiles", paper_scale=200))
        bench.view.notice.hide()
        bench.actions["diagram_print"].trigger()
        dialog = child_of(bench.view, OutputDialog, "schema.output")
        announced = re.match(r"(\d+) pages: an overview", dialog.size_note.text())
        assert announced
        dialog.accept_button.click()
        printing = child_of(bench.view, QPrintDialog, "schema.print.dialog")
        printer = printing.printer()
        printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        printer.setOutputFileName(str(tmp_path / "printed.pdf"))
        assert (printing.minPage(), printing.maxPage()) == (1, int(announced[1]))
        printing.accepted.emit(printer)
        printing.close()
        await until(lambda: "printed.pdf" in bench.view.notice.text)
        found = len(re.findall(rb"/Type /Page\b", _content(tmp_path / "printed.pdf")))
        assert found == int(announced[1])
        bench.view.notice.hide()
        printer.setPrintRange(QPrinter.PrintRange.PageRange)
        printer.setFromTo(2, 3)
        printer.setOutputFileName(str(tmp_path / "two.pdf"))
        output = child_of(bench.view, DiagramOutputController)
        source = DiagramSource.of_page(bench.view, controller.store.page, "")
        output._print_on(printer, source, OutputOptions(format="paper", pages="tiles", paper_scale=200))
        await until(lambda: "two.pdf" in bench.view.notice.text)
        assert len(re.findall(rb"/Type /Page\b", _content(tmp_path / "two.pdf"))) == 2


def _opened(bench: Bench, options: OutputOptions) -> OutputDialog:
    """The dialog with these options."""
    bench.view.notice.hide()
    store_options(bench.settings, options)
    bench.actions["diagram_export"].trigger()
    dialog = child_of(bench.view, OutputDialog, "schema.output")
    assert dialog.options == options
    return dialog


def _choose_file(bench: Bench, dialog: OutputDialog, target: Path) -> None:
    dialog.accept_button.click()
    dialog.setObjectName("")
    files = child_of(bench.view, QFileDialog, "schema.export.dialog")
    files.setObjectName("")
    files.fileSelected.emit(str(target))
    files.close()


async def _agreed(bench: Bench, dialog: OutputDialog, target: Path) -> bytes:
    _choose_file(bench, dialog, target)
    await until(lambda: str(target) in bench.view.notice.text)
    return _content(target)


async def _written(bench: Bench, target: Path, options: OutputOptions) -> bytes:
    return await _agreed(bench, _opened(bench, options), target)


def _files_below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def _parsed(content: bytes) -> ET.Element:
    return ET.fromstring(content)  # noqa: S314  # written by ourselves


def _texts(content: bytes) -> set[str]:
    return {element.text or "" for element in _parsed(content).iter(f"{_SVG}text")}


def _content(path: Path) -> bytes:
    return path.read_bytes()


def _contents(pdf: bytes) -> list[bytes]:
    """The contents of the only page of a file, without those that only save and restore."""
    table = int(pdf[pdf.rindex(b"startxref") :].split()[1])
    entries: dict[int, int] = {}
    while True:
        part = pdf[table : pdf.index(b"trailer", table)]
        for first, lines in re.findall(rb"(?m)^(\d+) \d+ *\n((?:\d{10} \d{5} [nf] \n)+)", part):
            for number, line in enumerate(lines.splitlines(), start=int(first)):
                entries.setdefault(number, int(line[:10]))
        trailer = pdf[pdf.index(b"trailer", table) : pdf.index(b"startxref", table)]
        former = re.search(rb"/Prev (\d+)", trailer)
        if former is None:
            break
        table = int(former[1])

    def found(number: bytes) -> bytes:
        start = entries[int(number)]
        assert pdf[start:].startswith(number + b" 0 obj")
        return pdf[start : pdf.index(b"endobj", start)]

    def referred(part: bytes, name: bytes) -> bytes:
        match = re.search(rb"/%s[\s\[]+(\d+) 0 R" % name, part)
        assert match
        return match[1]

    tree = found(referred(found(referred(trailer, b"Root")), b"Pages"))
    assert b"/Count 1\n" in tree
    page = found(referred(tree, b"Kids"))
    assert b"/F" in found(referred(page, b"Resources"))
    contents = re.search(rb"/Contents \[?([\d R]+)", page)
    assert contents
    streams = [found(number) for number in re.findall(rb"(\d+) 0 R", contents[1])]
    return [
        zlib.decompressobj().decompress(stream[stream.index(b"stream\n") + 7 :])
        for stream in streams
        if b"/FlateDecode" in stream
    ]
