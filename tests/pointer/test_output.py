"""The output of the diagram and its description for screen readers, with a real pointer and keyboard."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtGui import QAccessible
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtWidgets import QFileDialog, QWidget

from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.schema.output.dialog import OutputDialog
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.models import PERSON, WORK
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]


async def test_a_document_of_several_pages(bench: Bench, pointer: Pointer, tmp_path: Path) -> None:
    """Format, pages and scale are chosen in the dialog; the page count is shown before, and remembered."""
    async with bench.with_museum():
        pointer.show(bench.view)
        pointer.click(bench.view.diagram.viewport())
        pointer.press("ctrl+e")
        await pointer.until(lambda: bench.view.findChild(OutputDialog, "schema.output") is not None)
        dialog = bench.view.findChild(OutputDialog, "schema.output")
        assert isinstance(dialog, OutputDialog)
        await pointer.until(dialog.isActiveWindow)
        _choose(pointer, dialog.format, 2)
        _choose(pointer, dialog.pages, 2)
        pointer.double_click(dialog.paper_scale.lineEdit())
        pointer.press("ctrl+a")
        pointer.type("300")
        pointer.press("Tab")
        found = re.match(r"(\d+) pages: an overview, and (\d) across × (\d) down", dialog.size_note.text())
        assert found
        assert int(found[1]) == int(found[2]) * int(found[3]) + 1
        pointer.click(dialog.accept_button)
        await pointer.until(lambda: bench.view.findChild(QFileDialog, "schema.export.dialog") is not None)
        target = tmp_path / "museum.pdf"
        await _save(pointer, bench.view, target)
        await pointer.until(lambda: str(target) in bench.view.notice.text)
        content = _content(target)
        assert len(re.findall(rb"/Type /Page\b", content)) == int(found[1])
        await pointer.until(bench.view.window().isActiveWindow)
        pointer.press("ctrl+p")
        await pointer.until(lambda: bench.view.findChild(OutputDialog, "schema.output") is not None)
        dialog = bench.view.findChild(OutputDialog, "schema.output")
        assert isinstance(dialog, OutputDialog)
        assert dialog.accept_button.text() == "Print…"
        assert (dialog.options.format, dialog.options.paper_scale) == ("paper", 300)
        await pointer.until(dialog.isActiveWindow)
        pointer.click(dialog.accept_button)
        await pointer.until(lambda: bench.view.findChild(QPrintDialog, "schema.print.dialog") is not None)
        pointer.press("Escape")


async def test_arrow_keys_move_the_focus_of_screen_readers(bench: Bench, pointer: Pointer) -> None:
    """From line to line and to the next table; the tree at the left follows, and the diagram follows it."""
    async with bench.with_museum() as controller:
        QAccessible.setActive(True)
        try:
            pointer.show(bench.view)
            view = bench.view.diagram
            root = QAccessible.queryAccessibleInterface(view)
            rect = view.line_rect(TableRef(WORK))
            assert rect is not None
            pointer.click(view.viewport(), rect.center())
            heard = []
            for key in ("Down", "Down", "Down", "Up", "Left"):
                pointer.press(key)
                focused = root.focusChild()
                assert focused is not None
                heard.append(focused.text(QAccessible.Text.Name))
                page, tree = controller.store.page, bench.view.tables
                assert tree.model.node(tree.tree.currentIndex()) == page.selection
            assert len(set(heard)) == 4
            assert any("links to" in text for text in heard)
            index = bench.view.tables.model.index_of(TableRef(PERSON))
            pointer.click(
                bench.view.tables.tree.viewport(), bench.view.tables.tree.visualRect(index).center()
            )
            view.setFocus()
            pointer.settle()
            focused = root.focusChild()
            assert focused is not None
            assert focused.text(QAccessible.Text.Name).startswith("person, table")
        finally:
            QAccessible.setActive(False)


def _choose(pointer: Pointer, field: QWidget, number: int) -> None:
    """Chooses a line of a list."""
    pointer.click(field)
    pointer.press("Home", *["Down"] * number, "Return")


async def _save(pointer: Pointer, view: QWidget, target: Path) -> None:
    dialog = view.findChild(QFileDialog, "schema.export.dialog")
    assert isinstance(dialog, QFileDialog)
    await pointer.until(dialog.isActiveWindow)
    pointer.press("ctrl+a")
    pointer.type(str(target))
    pointer.press("Return")


def _content(path: Path) -> bytes:
    return path.read_bytes()
