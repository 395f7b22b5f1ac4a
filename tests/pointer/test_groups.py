"""Groups in the diagram with a real pointer and keyboard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QMenu

from cdb_desktop.schema.diagram.groups import Group
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.group_controller import GroupDialog
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.diagram.graphs import large_model
from tests.desktop.ui.schema.conftest import Bench, bench
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]


@asynccontextmanager
async def _large(bench: Bench, tables: int) -> AsyncIterator[SchemaController]:
    """A page with a generated model."""
    async with bench.with_museum() as controller:
        document = read_document(large_model(tables))
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        yield controller


async def test_a_model_of_a_hundred_tables_in_groups(bench: Bench, pointer: Pointer) -> None:
    """Its groups are collapsed, expanded, dragged, named and removed; undo brings all back."""
    async with _large(bench, 100):
        view = bench.view.diagram
        (layout,) = view.findChildren(DiagramLayoutController)
        port, scene = view.viewport(), view.diagram_scene

        def arrangement() -> Arrangement:
            return layout.arrangement

        def group() -> Group:
            return arrangement().groups.all[0]

        def label() -> QPointF:
            rect = scene.regions.label_rect(group().key, view.viewportTransform())
            return QPointF(rect.right() - 10, rect.center().y())

        await pointer.until(lambda: arrangement().groups and layout.is_routed)
        pointer.show(bench.view)
        view.fit()
        first = arrangement()
        pointer.double_click(port, label())
        assert group().is_collapsed
        assert group().box in scene.tables
        pointer.double_click(port, label())
        assert arrangement() == first
        pointer.drag(port, label(), label() + QPointF(40, 25))
        moved = {key for key, at in arrangement().positions.items() if first.positions[key] != at}
        assert moved == group().tables
        pointer.press("ctrl+z")
        assert arrangement() == first
        pointer.click(port, label(), button=3)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert {"Collapse or expand", "Name and color…"} <= {plain(each.text()) for each in menu.actions()}
        pointer.press("Escape", "ctrl+shift+F6")
        dialog = bench.view.window().findChildren(GroupDialog)[-1]
        await pointer.until(dialog.isActiveWindow)
        pointer.press("ctrl+a")
        pointer.type("places")
        pointer.click(dialog.accept_button)
        assert group().name == "places"
        pointer.press("shift+F7")
        await pointer.until(
            lambda: all(each.is_collapsed for each in arrangement().groups) and layout.is_routed
        )
        assert view.zoom > 0.3
        pointer.press("ctrl+shift+F7")
        assert arrangement().positions == first.positions
        await pointer.until(lambda: layout.is_routed)
        for _ in range(3):
            pointer.press("ctrl+z")
        assert arrangement().groups == first.groups
        assert arrangement().positions.items() >= first.positions.items()
