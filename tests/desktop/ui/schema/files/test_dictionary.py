"""Tests of the export of data dictionaries in the window."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from cdb_desktop.client import Client
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench


async def _written(bench: Bench, target: Path) -> str:
    bench.actions["schema_dictionary"].trigger()
    dialog = child_of(bench.view, QFileDialog, "schema.dictionary.dialog")
    dialog.fileSelected.emit(str(target))
    dialog.close()
    await until(bench.view.notice.isVisible)
    assert bench.view.notice.text == f"The data dictionary is in {target}."
    return _content(target)


def _content(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def test_a_page_has_the_names_and_changes_of_the_service(
    bench: Bench, reference_server: str, tmp_path: Path
) -> None:
    """All languages, and what differs from CURRENT."""
    async with bench.signed_in(reference_server, "viewer") as controller:
        text = await _written(bench, tmp_path / "dictionary.html")
        assert f"Changes since CURRENT v{controller.store.page.current_version}" in text
        assert "<svg" in text
        async with Client(reference_server) as client:
            await client.authenticate("viewer", "viewer")
            names = await client.l10n("HEAD")
        shown = [key for key in names if key.startswith("schema.")]
        assert bool(shown) == ('class="names"' in text)


async def test_markdown_without_a_service(bench: Bench, tmp_path: Path) -> None:
    """The names are missing if the service does not answer; everything else is there."""
    async with bench.with_museum():
        text = await _written(bench, tmp_path / "dictionary.md")
        assert "## work\\_\\_note" in text
