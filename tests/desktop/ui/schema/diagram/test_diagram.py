"""Tests of the diagram with mouse and keyboard, and of its updates after edits."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from cdb_desktop.schema.commit.saved_ids import save_request
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.ui.schema.diagram.view import DiagramView
from tests.desktop.patience import until
from tests.desktop.schema.models import NOTE, PERSON, TITLE, WORK, YEAR, Json, opened
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.diagram.shown import selection

LEFT = Qt.MouseButton.LeftButton


async def test_a_click_selects_in_tree_diagram_and_form(bench: Bench) -> None:
    """A click beside the boxes selects nothing."""
    async with bench.with_museum() as controller:
        _click(bench.view.diagram, ColumnRef(WORK, YEAR))
        assert selection(controller) == ColumnRef(WORK, YEAR)
        tree = bench.view.tables
        assert tree.model.node(tree.tree.currentIndex()) == ColumnRef(WORK, YEAR)
        assert bench.view.form.column.name.text() == "year"
        QTest.mouseClick(bench.view.diagram.viewport(), LEFT, pos=QPoint(2, 2))
        assert selection(controller) == DOCUMENT


async def test_undo_restores_the_position_of_a_dragged_box(bench: Bench) -> None:
    """Moving is in the undo history but leaves HEAD saved; undo and redo do not scroll."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.zoom_in()
        before = view.diagram_scene.tables[PERSON].pos()
        _drag(view, TableRef(PERSON), QPoint(60, 40))
        assert view.diagram_scene.tables[PERSON].pos() == before + QPointF(60, 40) / view.zoom
        assert controller.store.page.editing.is_saved
        assert bench.actions["schema_undo"].text() == "&Undo: Move person in the diagram"
        seen = view.place
        for name in ("schema_undo", "schema_redo", "schema_undo"):
            bench.actions[name].trigger()
            assert view.place == seen
        await until(lambda: view.diagram_scene.tables[PERSON].pos() == before)


async def test_a_new_table_is_saved_while_it_is_dragged(bench: Bench) -> None:
    """The drag goes on with its id, and undo returns to where it began."""
    async with bench.with_museum() as controller:
        view, layout, edit = bench.view.diagram, controller._editor.layout, AddTable("card")
        assert controller.store.apply(edit)
        port, before = view.viewport(), layout.arrangement.positions[edit.key]
        view.choose(TableRef(edit.key), reveal=True)
        start, page = _middle(view, TableRef(edit.key)), controller.store.page
        QTest.mousePress(port, LEFT, pos=start)
        _move_to(view, start + QPoint(30, 20))
        answer: Json = save_request(page.editing.document, opened())
        for table in answer["tables"]:
            table.setdefault("table_id", 5_000)
            for column in table["columns"]:
                column.setdefault("column_id", 5_001)
        editing, ids = page.editing.saved_as(page.editing.document, read_document(answer))
        layout.take_ids(ids)
        controller.store.put(replace(page, editing=editing))
        _move_to(view, start + QPoint(60, 40))
        QTest.mouseRelease(port, LEFT, pos=start + QPoint(60, 40))
        x, y = layout.arrangement.positions[5_000]
        assert (x - before[0], y - before[1]) == pytest.approx((60 / view.zoom, 40 / view.zoom))
        assert bench.actions["schema_undo"].text() == "&Undo: Move card in the diagram"
        bench.actions["schema_undo"].trigger()
        assert layout.arrangement.positions[5_000] == before
        assert edit.key not in layout.arrangement.positions


async def test_dragging_the_background_scrolls(bench: Bench) -> None:
    """The boxes keep their positions."""
    async with bench.with_museum():
        view = bench.view.diagram
        places = {key: item.pos() for key, item in view.diagram_scene.tables.items()}
        corner = view.mapToScene(QPoint(0, 0))
        _drag_from(view, QPoint(3, 3), QPoint(80, 60))
        assert view.mapToScene(QPoint(0, 0)) != corner
        assert places == {key: item.pos() for key, item in view.diagram_scene.tables.items()}


async def test_the_wheel_zooms_at_the_cursor(bench: Bench) -> None:
    """The point under the cursor stays there."""
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


async def test_arrows_select_lines_and_escape_selects_the_parent(bench: Bench) -> None:
    """From a column to its table, from there to the document."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.setFocus()
        controller.store.select(TableRef(WORK))
        QTest.keyClick(view, Qt.Key.Key_Down)
        assert selection(controller) == ColumnRef(WORK, TITLE)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert selection(controller) == TableRef(WORK)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert selection(controller) == DOCUMENT


async def test_what_is_visible_is_selected_without_scrolling(bench: Bench) -> None:
    """Also at the edge of the view; what is not visible is scrolled to."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.setFocus()
        view.fit()
        fitted = view.place
        for table in view.diagram_scene.tables:
            view.chosen.emit(TableRef(table))
            QTest.keyClick(view, Qt.Key.Key_Down)
            QTest.keyClick(view, Qt.Key.Key_Up)
            assert selection(controller) == TableRef(table)
            assert view.place == fitted
        view.zoom_in()
        view.zoom_in()
        view.horizontalScrollBar().setValue(view.horizontalScrollBar().minimum())
        seen = view.mapToScene(view.viewport().rect()).boundingRect()
        hidden = [item for item in view.diagram_scene.tables.values() if item.pos().x() > seen.right()]
        for item in hidden:
            view.chosen.emit(TableRef(item.box.table))
            QTest.keyClick(view, Qt.Key.Key_Down)
            seen = view.mapToScene(view.viewport().rect()).boundingRect()
            assert seen.contains(item.pos())
        assert hidden


async def test_f2_renames_in_the_diagram(bench: Bench) -> None:
    """Only the own part of a nested table's name is typed."""
    async with bench.with_museum() as controller:
        bench.view.diagram.setFocus()
        controller.store.select(TableRef(NOTE))
        bench.actions["element_rename"].trigger()
        field = QApplication.focusWidget()
        assert isinstance(field, QLineEdit)
        assert field.text() == "note"
        QTest.keyClicks(field, "remark")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert controller.store.page.document.by_key[NOTE].name == "work__remark"
        assert bench.view.diagram.hasFocus()


async def test_an_edit_does_not_move_other_boxes(bench: Bench) -> None:
    """A new table gets a free position; no other item moves or is replaced."""
    async with bench.with_museum() as controller:
        tables = bench.view.diagram.diagram_scene.tables
        before = {key: (item, item.pos()) for key, item in tables.items()}
        edit = AddTable("guestbook")
        controller.store.apply(edit)
        assert edit.key in tables
        assert before == {key: (item, item.pos()) for key, item in tables.items() if key != edit.key}


async def test_arranging_can_be_undone(bench: Bench) -> None:
    """Undo restores the positions before Graphviz arranged the boxes."""
    async with bench.with_museum():
        view = bench.view.diagram
        before = {key: item.box.x for key, item in view.diagram_scene.tables.items()}
        _drag(view, TableRef(WORK), QPoint(90, 70))
        bench.actions["schema_arrange"].trigger()
        await until(lambda: bench.actions["schema_undo"].text() == "&Undo: Arrange the diagram")
        assert {key: item.box.x for key, item in view.diagram_scene.tables.items()} == before
        bench.actions["schema_undo"].trigger()
        assert view.diagram_scene.tables[WORK].box.x > before[WORK]


def _middle(view: DiagramView, place: ElementRef) -> QPoint:
    rect = view.line_rect(place)
    assert rect is not None
    return rect.center().toPoint()


def _click(view: DiagramView, place: ElementRef) -> None:
    QTest.mouseClick(view.viewport(), LEFT, pos=_middle(view, place))


def _drag(view: DiagramView, place: ElementRef, distance: QPoint) -> None:
    _drag_from(view, _middle(view, place), distance)


def _drag_from(view: DiagramView, start: QPoint, distance: QPoint) -> None:
    port = view.viewport()
    QTest.mousePress(port, LEFT, pos=start)
    for part in (0.5, 1.0):
        _move_to(view, QPointF(start) + QPointF(distance) * part)
    QTest.mouseRelease(port, LEFT, pos=start + distance)


def _move_to(view: DiagramView, at: QPointF | QPoint) -> None:
    """Moves the pointer with the left button pressed."""
    port, none = view.viewport(), Qt.KeyboardModifier.NoModifier
    glob = QPointF(port.mapToGlobal(QPointF(at).toPoint()))
    QApplication.sendEvent(port, QMouseEvent(QEvent.Type.MouseMove, QPointF(at), glob, LEFT, LEFT, none))


async def test_the_whole_stays_in_view_when_the_window_changes(bench: Bench) -> None:
    """Until the user zooms or scrolls."""
    async with bench.with_museum():
        view = bench.view.diagram
        size, larger = QSize(1100, 600), QSize(2200, 1200)
        bench.view.resize(larger)
        view.fit()
        large = view.zoom
        bench.view.resize(size)
        await until(lambda: view.zoom < large)
        bounds = view.mapFromScene(view.diagram_scene.bounds).boundingRect()
        assert view.viewport().rect().contains(bounds)
        bench.view.resize(larger)
        await until(lambda: view.zoom == large)
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 5)
        bench.view.resize(size)
        await until(lambda: bench.view.size() == size)
        assert view.zoom == large
