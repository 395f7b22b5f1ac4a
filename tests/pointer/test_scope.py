"""Orientation in the diagram with a real pointer: focus, hiding, views, search and the minimap."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget

from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.models import PERSON, PICTURE, WORK
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.desktop.ui.schema.diagram.shown import EVERY, scope_bar
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]


async def test_a_focus_is_widened_saved_and_left(bench: Bench, pointer: Pointer) -> None:
    """With the buttons of the bar and the marks at the boxes; Escape returns, the view stays in its menu."""
    async with bench.with_museum() as controller:
        pointer.show(bench.view)
        view = bench.view.diagram
        tables = view.diagram_scene.tables
        _click_table(bench, pointer, PICTURE)
        pointer.press("ctrl+shift+f")
        await pointer.until(lambda: set(tables) == {PICTURE, WORK})
        item = tables[WORK]
        mark = item.beyond_rect(view.zoom).translated(item.pos()).center()
        pointer.click(view.viewport(), QPointF(view.mapFromScene(mark)))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        pointer.click(menu, QPointF(menu.actionGeometry(menu.actions()[2]).center()))
        assert set(tables) == {PICTURE, WORK, PERSON}
        pointer.click(_part(bench, "schema.scope.more"))
        await pointer.until(lambda: set(tables) == EVERY)
        pointer.click(_part(bench, "schema.scope.fewer"))
        await pointer.until(lambda: set(tables) == {PICTURE, WORK, PERSON})
        bench.actions["schema_view_save"].trigger()
        field = bench.view.findChild(QLineEdit, "schema.view.name")
        assert field is not None
        await pointer.until(field.hasFocus)
        pointer.type("Pictures")
        pointer.press("Return")
        await pointer.until(lambda: scope_bar(bench.view).text.startswith("View “Pictures”"))
        pointer.click(view.viewport(), QPoint(4, view.viewport().height() - 4))
        for _ in range(2):
            pointer.press("Escape")
        await pointer.until(lambda: set(tables) == EVERY)
        pointer.press("ctrl+shift+v")
        pointer.press("1")
        await pointer.until(lambda: set(tables) == {PICTURE, WORK, PERSON})
        assert controller.store.page.selection == DOCUMENT


async def test_tables_are_hidden_found_and_shown(bench: Bench, pointer: Pointer) -> None:
    """A search names the hidden table; the frame of the minimap is dragged."""
    async with bench.with_museum():
        pointer.show(bench.view)
        view = bench.view.diagram
        _click_table(bench, pointer, PERSON)
        pointer.press("ctrl+shift+x")
        await pointer.until(lambda: PERSON not in view.diagram_scene.tables)
        pointer.press("ctrl+f")
        pointer.type("born")
        pointer.press("Return")
        pointer.click(_part(bench, "schema.hits.show"))
        await pointer.until(lambda: PERSON in view.diagram_scene.tables)
        pointer.press("F3")
        assert view.zoom >= 0.75
        for _ in range(5):
            view.zoom_in()
        minimap = bench.view.diagram_panel.minimap
        await pointer.until(minimap.isVisible)
        start, before = minimap.frame.center(), view.visible_part.center
        pointer.drag(minimap, start, start - QPointF(12, 0))
        assert view.visible_part.center[0] != before[0]


def _click_table(bench: Bench, pointer: Pointer, table: int) -> None:
    rect = bench.view.diagram.line_rect(TableRef(table))
    assert rect is not None
    pointer.click(bench.view.diagram.viewport(), rect.center())


def _part(bench: Bench, name: str) -> QWidget:
    found = bench.view.findChild(QWidget, name)
    assert found is not None
    assert found.isVisible()
    return found
