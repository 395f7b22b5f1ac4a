"""Tests of the service's own drawing, which is exported while it is shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import Client
from cdb_desktop.ui.schema.output.dialog import OutputDialog
from tests.desktop.patience import until
from tests.desktop.ui.schema.conftest import Bench


async def test_the_services_svg_is_exported_unchanged(
    bench: Bench, reference_server: str, tmp_path: Path
) -> None:
    """While it is shown; otherwise the dialog opens."""
    async with bench.signed_in(reference_server, "viewer"):
        bench.actions["schema_svg"].setChecked(True)
        await until(lambda: bench.view.diagram_panel.svg.has_picture)
        bench.actions["diagram_export"].trigger()
        dialog = bench.view.findChild(QFileDialog, "schema.export.dialog")
        assert isinstance(dialog, QFileDialog)
        target = tmp_path / "theirs.svg"
        dialog.fileSelected.emit(str(target))
        dialog.close()
        await until(lambda: str(target) in bench.view.notice.text)
        async with Client(reference_server) as client:
            await client.authenticate("viewer", "viewer")
            assert _content(target) == await client.schema_file("HEAD", "svg")
        bench.actions["schema_svg"].setChecked(False)
        bench.actions["diagram_export"].trigger()
        assert bench.view.findChild(OutputDialog, "schema.output") is not None


async def test_an_svg_that_has_not_arrived_is_not_exported(bench: Bench) -> None:
    """Nor is the diagram exported instead."""
    async with bench.with_museum():
        bench.view.diagram_panel.show_svg(on=True)
        bench.actions["diagram_export"].trigger()
        assert bench.view.findChild(QFileDialog, "schema.export.dialog") is None
        assert bench.view.notice.text == "The service's drawing is not here yet."


def _content(file: Path) -> bytes:
    return file.read_bytes()
