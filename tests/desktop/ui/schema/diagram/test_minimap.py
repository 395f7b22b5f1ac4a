"""Tests of the minimap with mouse and keyboard."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from cdb_desktop.schema.document.element_ref import TableRef
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


async def test_the_minimap_is_shown_when_something_is_out_of_sight(bench: Bench) -> None:
    """Unless it is turned off, which is remembered."""
    async with bench.with_museum():
        minimap = bench.view.diagram_panel.minimap
        bench.view.diagram.fit()
        await until(minimap.isHidden)
        for _ in range(5):
            bench.view.diagram.zoom_in()
        await until(minimap.isVisible)
        assert minimap.accessibleName() == "Minimap of the diagram"
        bench.actions["schema_minimap"].trigger()
        assert minimap.isHidden()
        assert bench.settings.value("schema/minimap", True, type=bool) is False


async def test_pointer_and_arrows_move_the_visible_part(bench: Bench) -> None:
    """The frame is dragged; a click beside it moves its middle there."""
    async with bench.with_museum():
        view, minimap = bench.view.diagram, bench.view.diagram_panel.minimap
        for _ in range(6):
            view.zoom_in()
        view.show_tables((PERSON,))
        await until(minimap.isVisible)
        start = minimap.frame.center().toPoint()
        before = view.visible_part.center
        QTest.mousePress(minimap, LEFT, pos=start)
        QTest.mouseMove(minimap, start + QPoint(-10, -6))
        QTest.mouseRelease(minimap, LEFT, pos=start + QPoint(-10, -6))
        dragged = view.visible_part.center
        assert dragged[0] < before[0]
        corner = QPoint(8, 8)
        QTest.mouseClick(minimap, LEFT, pos=corner)
        assert view.visible_part.center[0] <= dragged[0]
        at = view.visible_part.center
        minimap.setFocus()
        QTest.keyClick(minimap, Qt.Key.Key_Right)
        assert view.visible_part.center[0] > at[0]


async def test_the_minimap_covers_neither_legend_nor_toolbar(bench: Bench) -> None:
    """In a narrow window it is above the legend, or hidden if there is no space; bars below move it up."""
    async with bench.with_museum() as controller:
        panel = bench.view.diagram_panel
        controller.store.select(TableRef(PERSON))
        bench.actions["schema_legend"].setChecked(True)
        shown = set()
        for size in ((1200, 700), (900, 600), (700, 420)):
            bench.view.resize(*size)
            for _ in range(3):
                panel.diagram.zoom_in()
            await until(lambda: panel.diagram.zoom > 0.5)
            panel.minimap.set_wanted(is_wanted=True)
            if panel.minimap.isVisible():
                shown.add(size)
                for other in ("schema.legend", "schema.diagram.toolbar"):
                    found = child_of(panel, QWidget, other)
                    assert not panel.minimap.geometry().intersects(found.geometry())
        assert (1200, 700) in shown
        bench.view.resize(1200, 700)
        await until(panel.minimap.isVisible)
        panel.usage.show()
        await until(lambda: panel.minimap.geometry().bottom() < panel.usage.y())
