"""Tests of removed tables in the diagram: where they stood, as long as HEAD differs from what was loaded."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from cdb_desktop.schema.document.element_ref import DOCUMENT, TableRef
from cdb_desktop.schema.edits.removal import RemoveTable
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram_view import DiagramView
from cdb_desktop.ui.schema.ghost_item import GhostItem
from cdb_desktop.ui.schema.table_item import TableItem
from tests.desktop.patience import until
from tests.desktop.schema.models import NOTE, PERSON, PICTURE, WORK
from tests.desktop.ui.schema.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


async def test_a_removed_table_leaves_a_ghost_where_it_stood(bench: Bench) -> None:
    """A click shows what becomes of it, and Restore brings it back to the same place."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        before = view.drawing.tables[PICTURE]
        place, size = before.pos(), (before.box.width, before.box.height)
        controller.store.apply(RemoveTable(PICTURE, dependents=True))
        assert PICTURE not in view.drawing.tables
        ghost = view.drawing.ghosts[PICTURE]
        assert (ghost.pos(), (ghost.box.width, ghost.box.height)) == (place, size)
        QTest.mouseClick(view.viewport(), LEFT, pos=_middle(view, PICTURE))
        assert _selection(controller) == TableRef(PICTURE)
        assert bench.view.form.ghost.isVisible()
        QTest.mouseClick(view.viewport(), LEFT, pos=QPoint(2, 2))
        assert _selection(controller) == DOCUMENT
        QTest.mouseClick(view.viewport(), LEFT, pos=_middle(view, PICTURE))
        bench.view.form.ghost.restore.click()
        await until(lambda: PICTURE in view.drawing.tables)
        assert view.drawing.ghosts == {}
        assert view.drawing.tables[PICTURE].pos() == place


async def test_only_what_was_there_leaves_a_ghost(bench: Bench) -> None:
    """Not a table that came and went since, nor a nested one, whose place the rows above have taken."""
    async with bench.with_museum() as controller:
        new = AddTable("loan")
        controller.store.apply(new)
        controller.store.apply(RemoveTable(new.key, dependents=True))
        controller.store.apply(RemoveTable(NOTE, dependents=True))
        assert bench.view.diagram.drawing.ghosts == {}


async def test_a_committed_version_has_no_ghosts(bench: Bench) -> None:
    """It has lost nothing, whatever HEAD has."""
    async with bench.with_museum() as controller:
        controller.store.apply(RemoveTable(PICTURE, dependents=True))
        page = controller.store.page
        assert page is not None
        controller.store.put(replace(page, past=page.editing.current))
        assert bench.view.diagram.drawing.ghosts == {}
        assert PICTURE in bench.view.diagram.drawing.tables
        bench.view.header.version_chosen.emit("HEAD")
        assert set(bench.view.diagram.drawing.ghosts) == {PICTURE}


async def test_arranging_puts_no_box_on_a_ghost(bench: Bench) -> None:
    """It makes room, and is moved by nobody."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        controller.store.apply(RemoveTable(PERSON, dependents=True))
        ghost = view.drawing.ghosts[PERSON]
        # As if the box of another table had been laid where the ghost is.
        view.moved.emit(WORK, ghost.pos().x(), ghost.pos().y())
        view.settled.emit()
        bench.actions["schema_arrange"].trigger()
        await until(lambda: bench.actions["schema_undo"].text() == "&Undo: Arrange the diagram")
        rects = [item.sceneBoundingRect() for item in view.drawing.tables.values()]
        assert not any(rect.intersects(ghost.sceneBoundingRect()) for rect in rects)


async def test_a_ghost_is_known_by_more_than_its_colour(bench: Bench) -> None:
    """Its edge has gaps, those of boxes have none."""
    async with bench.with_museum() as controller:
        drawing = bench.view.diagram.drawing
        controller.store.apply(RemoveTable(PERSON, dependents=True))
        assert len(_edge(drawing.tables[WORK])) == 1
        assert len(_edge(drawing.ghosts[PERSON])) > 1


def _edge(item: TableItem | GhostItem) -> set[str]:
    """The colours along the upper edge, without the round corners."""
    image = QImage(int(item.box.width), 4, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        item.paint(painter, QStyleOptionGraphicsItem())
    return {image.pixelColor(x, 0).name() for x in range(10, image.width() - 10)}


def _middle(view: DiagramView, table: int) -> QPoint:
    ghost = view.drawing.ghosts[table]
    return view.mapFromScene(ghost.mapToScene(QPointF(ghost.box.width / 2, ghost.box.height / 2)))


def _selection(controller: SchemaController) -> object:
    assert controller.store.page is not None
    return controller.store.page.selection
