"""Tests of the content of exported diagrams."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import Client
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, WORK, YEAR
from tests.desktop.ui.schema.conftest import Bench


async def test_the_services_svg_is_exported_unchanged(
    bench: Bench, reference_server: str, tmp_path: Path
) -> None:
    """While it is shown; otherwise the diagram is exported."""
    async with bench.signed_in(reference_server, "viewer"):
        bench.actions["schema_svg"].setChecked(True)
        await until(lambda: bench.view.diagram_panel.svg.has_picture)
        theirs = await _exported(bench, tmp_path / "theirs.svg")
        async with Client(reference_server) as client:
            await client.authenticate("viewer", "viewer")
            assert theirs == await client.schema_file("HEAD", "svg")
        bench.actions["schema_svg"].setChecked(False)
        assert await _exported(bench, tmp_path / "ours.svg") != theirs


async def test_an_svg_that_has_not_arrived_is_not_exported(bench: Bench) -> None:
    """Nor is the diagram exported instead."""
    async with bench.with_museum():
        bench.view.diagram_panel.show_svg(on=True)
        bench.actions["diagram_export"].trigger()
        assert bench.view.findChild(QFileDialog, "schema.export.dialog") is None
        assert bench.view.notice.text == "The service's drawing is not here yet."


async def test_a_picture_does_not_show_the_selection(bench: Bench, tmp_path: Path) -> None:
    """Neither a table with its links nor a column."""
    async with bench.with_museum() as controller:
        places: list[ElementRef] = [DOCUMENT, TableRef(PERSON), ColumnRef(WORK, YEAR)]
        pictures = [await _picture(bench, controller, place, tmp_path) for place in places]
        assert pictures[1:] == pictures[:1] * 2


async def _picture(bench: Bench, controller: SchemaController, place: ElementRef, folder: Path) -> bytes:
    controller.store.select(place)
    assert bench.view.diagram.diagram_scene.diagram_style.selection == place
    return await _exported(bench, folder / "diagram.png")


async def _exported(bench: Bench, target: Path) -> bytes:
    bench.view.notice.hide()
    bench.actions["diagram_export"].trigger()
    dialog = bench.view.findChild(QFileDialog, "schema.export.dialog")
    assert isinstance(dialog, QFileDialog)
    dialog.setObjectName("")
    dialog.fileSelected.emit(str(target))
    dialog.close()
    await until(bench.view.notice.isVisible)
    assert bench.view.notice.text == f"The diagram is in {target}."
    return _content(target)


def _content(file: Path) -> bytes:
    return file.read_bytes()
