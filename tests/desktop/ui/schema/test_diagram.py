"""Tests of the diagram by mouse and keys, and of how little of it an edit touches."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram_view import DiagramView
from tests.desktop.patience import until
from tests.desktop.schema.models import NOTE, PERSON, TITLE, WORK, YEAR
from tests.desktop.ui.schema.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


async def test_a_click_selects_in_tree_diagram_and_form(bench: Bench) -> None:
    """One selection; beside the boxes there is none."""
    async with bench.with_museum() as controller:
        _click(bench.view.diagram, ColumnRef(WORK, YEAR))
        assert _selection(controller) == ColumnRef(WORK, YEAR)
        tree = bench.view.tables
        assert tree.model.node(tree.tree.currentIndex()) == ColumnRef(WORK, YEAR)
        assert bench.view.form.column.name.text() == "year"
        QTest.mouseClick(bench.view.diagram.viewport(), LEFT, pos=QPoint(2, 2))
        assert _selection(controller) == DOCUMENT


async def test_a_box_is_dragged_and_undo_brings_it_back(bench: Bench) -> None:
    """Moving is a step like any other, but nothing that needs saving."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        before = view.drawing.tables[PERSON].pos()
        _drag(view, TableRef(PERSON), QPoint(60, 40))
        assert view.drawing.tables[PERSON].pos() == before + QPointF(60, 40) / view.zoom
        assert controller.store.page is not None
        assert controller.store.page.editing.is_saved
        assert bench.actions["schema_undo"].text() == "&Undo: Move person in the diagram"
        bench.actions["schema_undo"].trigger()
        await until(lambda: view.drawing.tables[PERSON].pos() == before)


async def test_the_tooltip_of_undo_names_the_last_step(bench: Bench) -> None:
    """Also when a second step follows the first and undo was possible before."""
    async with bench.with_museum() as controller:
        undo = bench.actions["schema_undo"]
        for name in ("guestbook", "ticket"):
            controller.store.apply(AddTable(name))
            assert undo.text() == f"&Undo: Add table {name}"
            assert undo.toolTip() == f"Undo: Add table {name} (Ctrl+Z)"


async def test_undoing_a_move_leaves_the_view_where_it_is(bench: Bench) -> None:
    """As does making it again; only when no box would be in sight all of them are shown."""
    async with bench.with_museum():
        view = bench.view.diagram
        view.zoom_in()
        _drag(view, TableRef(PERSON), QPoint(60, 40))
        seen = view.mapToScene(QPoint(0, 0)), view.zoom
        for name in ("schema_undo", "schema_redo", "schema_undo"):
            bench.actions[name].trigger()
            assert (view.mapToScene(QPoint(0, 0)), view.zoom) == seen


async def test_dragging_the_ground_moves_the_view(bench: Bench) -> None:
    """The boxes stay where they are."""
    async with bench.with_museum():
        view = bench.view.diagram
        places = {key: item.pos() for key, item in view.drawing.tables.items()}
        corner = view.mapToScene(QPoint(0, 0))
        _pull(view, QPoint(3, 3), QPoint(80, 60))
        assert view.mapToScene(QPoint(0, 0)) != corner
        assert places == {key: item.pos() for key, item in view.drawing.tables.items()}


async def test_the_wheel_zooms_at_the_cursor(bench: Bench) -> None:
    """What is under the cursor stays there."""
    async with bench.with_museum():
        view = bench.view.diagram
        at = QPointF(view.viewport().rect().center())
        before, zoom = view.mapToScene(at.toPoint()), view.zoom
        event = QWheelEvent(
            at,
            view.viewport().mapToGlobal(at),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view.viewport(), event)
        assert view.zoom > zoom
        assert (view.mapToScene(at.toPoint()) - before).manhattanLength() < 3


async def test_arrows_walk_from_line_to_line_and_escape_steps_back(bench: Bench) -> None:
    """From a column to its table, from there to nothing."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.setFocus()
        controller.store.select(TableRef(WORK))
        QTest.keyClick(view, Qt.Key.Key_Down)
        assert _selection(controller) == ColumnRef(WORK, TITLE)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert _selection(controller) == TableRef(WORK)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert _selection(controller) == DOCUMENT


async def test_f2_renames_on_the_diagram(bench: Bench) -> None:
    """A nested table's own name is typed; its owner's stays in front."""
    async with bench.with_museum() as controller:
        bench.view.diagram.setFocus()
        controller.store.select(TableRef(NOTE))
        bench.actions["element_rename"].trigger()
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        assert field.text() == "note"
        QTest.keyClicks(field, "remark")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert controller.store.page is not None
        assert controller.store.page.document.by_key[NOTE].name == "work__remark"
        assert bench.view.diagram.hasFocus()


async def test_an_edit_leaves_all_other_boxes_alone(bench: Bench) -> None:
    """A new table finds a place; no box moves and no item is made anew."""
    async with bench.with_museum() as controller:
        tables = bench.view.diagram.drawing.tables
        before = {key: (item, item.pos()) for key, item in tables.items()}
        edit = AddTable("guestbook")
        controller.store.apply(edit)
        assert edit.key in tables
        assert before == {key: (item, item.pos()) for key, item in tables.items() if key != edit.key}


async def test_arranging_can_be_undone(bench: Bench) -> None:
    """`dot` finds new places; undo brings the old ones back."""
    async with bench.with_museum():
        view = bench.view.diagram
        before = {key: item.box.x for key, item in view.drawing.tables.items()}
        _drag(view, TableRef(WORK), QPoint(90, 70))
        bench.actions["schema_arrange"].trigger()
        await until(lambda: bench.actions["schema_undo"].text() == "&Undo: Arrange the diagram")
        assert {key: item.box.x for key, item in view.drawing.tables.items()} == before
        bench.actions["schema_undo"].trigger()
        assert view.drawing.tables[WORK].box.x > before[WORK]


def _selection(controller: SchemaController) -> ElementRef:
    assert controller.store.page is not None
    return controller.store.page.selection


def _middle(view: DiagramView, place: ElementRef) -> QPoint:
    rect = view.line_rect(place)
    assert rect is not None
    return rect.center().toPoint()


def _click(view: DiagramView, place: ElementRef) -> None:
    QTest.mouseClick(view.viewport(), LEFT, pos=_middle(view, place))


def _drag(view: DiagramView, place: ElementRef, way: QPoint) -> None:
    _pull(view, _middle(view, place), way)


def _pull(view: DiagramView, start: QPoint, way: QPoint) -> None:
    port = view.viewport()
    QTest.mousePress(port, LEFT, pos=start)
    for part in (0.5, 1.0):
        at = QPointF(start) + QPointF(way) * part
        none = Qt.KeyboardModifier.NoModifier
        glob = QPointF(port.mapToGlobal(at.toPoint()))
        QApplication.sendEvent(port, QMouseEvent(QEvent.Type.MouseMove, at, glob, LEFT, LEFT, none))
    QTest.mouseRelease(port, LEFT, pos=start + way)
