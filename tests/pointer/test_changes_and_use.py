"""Comparisons in the diagram, the use of tables and the diagram of a merge, with pointer and keyboard."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.usage.controller import UsageDialog
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.merge.museum_merges import merged
from tests.desktop.schema.models import TITLE, WORK, column_named, named
from tests.desktop.ui.schema.commit.merge_dialogs import open_merge_dialog, until_merged
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.pointer.conftest import Pointer
from tests.server import serving

__all__ = ["appearance", "bench", "settings"]

_DEMO = ("--demo", "--demo-events", "300")


async def test_keys_go_through_all_versions(bench: Bench, pointer: Pointer, tmp_path: Path) -> None:
    """A ghost is clicked, and Escape leads back to editing."""
    with serving(tmp_path / "demo.sqlite", *_DEMO) as url:
        async with bench.signed_in(url, "root", "admin") as controller:
            pointer.show(bench.view)
            bar, diagram = bench.view.diagram_panel.time_line, bench.view.diagram
            (layout,) = diagram.findChildren(DiagramLayoutController)
            await pointer.until(
                lambda: not controller._tasks.is_running("schema.arrange") and layout.is_routed
            )
            shown = diagram.diagram_scene.diagram
            before = diagram.place, shown.arrangement, shown.boxes
            pointer.press("ctrl+F8")
            assert bar.slider.hasFocus()
            await pointer.until(lambda: not controller._tasks.is_running("schema.timeline"))
            pointer.press("Home", "Right", "Right")
            await pointer.until(lambda: _page(controller).document.version == 3)
            old = _page(controller).compared
            assert old is not None
            ghost = column_named(old, "work", "card_number")
            diagram.choose(ghost, reveal=True, readable=True)
            rect = diagram.line_rect(ghost)
            assert rect is not None
            pointer.click(diagram.viewport(), rect.center())
            assert _page(controller).selection == ghost
            assert bench.view.form.removed.isVisible()
            pointer.click(bar.slider)
            pointer.press("Home", "End", "Escape")
            assert not bar.isVisible()
            await pointer.until(lambda: layout.is_routed)
            after = diagram.diagram_scene.diagram
            assert (diagram.place, after.arrangement, after.boxes) == before
            assert not after.ghosts
            assert _page(controller).is_editable


async def test_the_use_of_tables_leads_to_their_events(
    bench: Bench, pointer: Pointer, tmp_path: Path
) -> None:
    """The list is sorted by a click; a table's events and the table itself are one click away."""
    database = tmp_path / "demo.sqlite"
    with serving(database, *_DEMO) as url:
        async with bench.signed_in(url, "root", "admin", database) as controller:
            pointer.show(bench.view)
            pointer.press("shift+F8")
            bar = bench.view.diagram_panel.usage
            await pointer.until(lambda: "for 90 days" in bar.note.text())
            await pointer.until(
                lambda: controller.usage.known(named(_page(controller).document, "work").key).rows is not None
            )
            pointer.click(bar.list)
            dialog = bench.view.findChildren(UsageDialog)[0]
            await pointer.until(dialog.isActiveWindow)
            header = dialog.table.horizontalHeader()
            at = header.sectionViewportPosition(1) + 10
            for _ in range(2):
                pointer.click(header.viewport(), QPoint(at, 8))
                pointer.settle(2 * QApplication.doubleClickInterval())  # or both would be a double click
            first = dialog.table.model().index(0, 0)
            name, place = first.data(), dialog.table.visualRect(first).center()
            assert name in ("work", "image")
            pointer.click(dialog.table.viewport(), place)
            pointer.click(dialog.accept_button)
            assert _page(controller).selection == TableRef(named(_page(controller).document, name).key)
            shown: list[str] = []
            bench.actions["table_events"].triggered.connect(
                lambda: shown.append(controller.selected_table_name)
            )
            pointer.click(dialog.events)
            assert shown == [name]


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


def _page(controller: SchemaController) -> PageState:
    return controller.store.page
