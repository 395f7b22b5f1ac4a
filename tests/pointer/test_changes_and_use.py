"""Comparisons in the diagram, the use of tables and the diagram of a merge, with pointer and keyboard."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.ui.actions import plain
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.merge.museum_merges import merged
from tests.desktop.schema.models import TITLE, WORK
from tests.desktop.ui.schema.commit.merge_dialogs import open_merge_dialog, until_merged
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]

_DEMO = ("--demo", "--demo-events", "300")


async def test_a_conflict_is_decided_at_its_box(bench: Bench, pointer: Pointer) -> None:
    """A click on the box opens the choices; the list shows what was chosen."""
    async with bench.with_museum() as controller:
        pointer.show(bench.view)
        ref = ColumnRef(WORK, TITLE)
        found = merged((RenameColumn(ref, "heading"),), (RenameColumn(ref, "caption"),))
        dialog, _ = await open_merge_dialog(controller, found)
        await pointer.until(lambda: dialog.isActiveWindow() and dialog.diagram.view.line_rect(ref))
        rect = dialog.diagram.view.line_rect(ref)
        assert rect is not None
        pointer.click(dialog.diagram.view.viewport(), rect.center())
        menu = dialog.diagram.findChildren(QMenu, "schema.merge.menu")[-1]
        assert menu.isVisible()
        before = next(action for action in menu.actions() if plain(action.text()).startswith("As before"))
        pointer.click(menu, menu.actionGeometry(before).center())
        await until_merged(dialog)
        assert dialog.merge.document.by_key[WORK].by_key[TITLE].name == "title"
        assert dialog.accept_button.isEnabled()
        pointer.press("Escape")
