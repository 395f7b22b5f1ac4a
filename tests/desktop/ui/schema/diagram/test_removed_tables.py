"""Tests of removed tables, which the diagram shows as outlines until the removal is committed."""

from dataclasses import replace

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from cdb_desktop.schema.edits.tables import AddTable, remove_table
from cdb_desktop.ui.schema.diagram.table_item import RemovedTableItem, TableItem
from cdb_desktop.ui.schema.diagram.view import DiagramView
from tests.desktop.patience import until
from tests.desktop.schema.models import MARK, NOTE, PERSON, PICTURE, WORK
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.diagram.shown import selection

LEFT = Qt.MouseButton.LeftButton


async def test_a_removed_table_leaves_an_outline_at_its_position(bench: Bench) -> None:
    """A click shows its form, and Restore brings it back to the same position."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        before = view.diagram_scene.tables[PICTURE]
        place, size = before.pos(), (before.box.width, before.box.height)
        controller.store.apply(remove_table(PICTURE, dependents=True))
        assert PICTURE not in view.diagram_scene.tables
        removed = view.diagram_scene.removed_tables[PICTURE]
        assert (removed.pos(), (removed.box.width, removed.box.height)) == (
            place,
            size,
        )
        QTest.mouseClick(view.viewport(), LEFT, pos=_middle(view, PICTURE))
        assert selection(controller) == TableRef(PICTURE)
        assert bench.view.form.removed.isVisible()
        QTest.mouseClick(view.viewport(), LEFT, pos=QPoint(2, 2))
        assert selection(controller) == DOCUMENT
        QTest.mouseClick(view.viewport(), LEFT, pos=_middle(view, PICTURE))
        bench.view.form.removed.restore.click()
        await until(lambda: PICTURE in view.diagram_scene.tables)
        assert view.diagram_scene.removed_tables == {}
        assert view.diagram_scene.tables[PICTURE].pos() == place


async def test_only_top_level_tables_of_current_leave_an_outline(bench: Bench) -> None:
    """Not a table that was never committed, nor a nested table."""
    async with bench.with_museum() as controller:
        new = AddTable("loan")
        controller.store.apply(new)
        controller.store.apply(remove_table(new.key, dependents=True))
        controller.store.apply(remove_table(NOTE, dependents=True))
        assert bench.view.diagram.diagram_scene.removed_tables == {}


async def test_tables_around_a_removed_one_count_as_changed(bench: Bench) -> None:
    """So that the box of a collapsed group shows that there are changes in it."""
    async with bench.with_museum() as controller:
        style = bench.view.diagram.diagram_scene.diagram_style
        controller.store.apply(remove_table(MARK, dependents=True))
        await until(lambda: TableRef(MARK) in style.signs)
        assert (style.signs[TableRef(NOTE)], style.signs[TableRef(WORK)]) == ("~", "~")


async def test_a_committed_version_has_no_removed_tables(bench: Bench) -> None:
    """Only HEAD shows removals."""
    async with bench.with_museum() as controller:
        controller.store.apply(remove_table(PICTURE, dependents=True))
        page = controller.store.page
        controller.store.put(replace(page, past=page.editing.current))
        assert bench.view.diagram.diagram_scene.removed_tables == {}
        assert PICTURE in bench.view.diagram.diagram_scene.tables
        bench.view.header.version_chosen.emit("HEAD")
        assert set(bench.view.diagram.diagram_scene.removed_tables) == {PICTURE}


async def test_arranging_puts_no_box_on_a_removed_table(bench: Bench) -> None:
    """Removed tables are not moved either."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        controller.store.apply(remove_table(PERSON, dependents=True))
        removed = view.diagram_scene.removed_tables[PERSON]
        # As if the box of another table had been laid where the removed table is.
        view.moved.emit(WORK, removed.pos().x(), removed.pos().y())
        view.settled.emit()
        bench.actions["schema_arrange"].trigger()
        await until(lambda: bench.actions["schema_undo"].text() == "&Undo: Arrange the diagram")
        rects = [item.sceneBoundingRect() for item in view.diagram_scene.tables.values()]
        assert not any(rect.intersects(removed.sceneBoundingRect()) for rect in rects)


async def test_a_removed_table_differs_by_more_than_its_color(bench: Bench) -> None:
    """Its outline is dashed."""
    async with bench.with_museum() as controller:
        drawing = bench.view.diagram.diagram_scene
        controller.store.apply(remove_table(PERSON, dependents=True))
        assert len(_edge(drawing.tables[WORK])) == 1
        assert len(_edge(drawing.removed_tables[PERSON])) > 1


def _edge(item: TableItem | RemovedTableItem) -> set[str]:
    """The colors along the upper edge, without the round corners."""
    image = QImage(int(item.box.width), 4, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        item.paint(painter, QStyleOptionGraphicsItem())
    return {image.pixelColor(x, 0).name() for x in range(10, image.width() - 10)}


def _middle(view: DiagramView, table: int) -> QPoint:
    removed = view.diagram_scene.removed_tables[table]
    return view.mapFromScene(removed.mapToScene(QPointF(removed.box.width / 2, removed.box.height / 2)))
