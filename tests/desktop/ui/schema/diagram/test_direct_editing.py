"""Tests of direct editing in the diagram: where new tables appear, several tables, the direction."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import Message
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import AddColumn, SeveralEdits
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.view import SchemaView
from tests.desktop.patience import process_events, until
from tests.desktop.schema.diagram.graphs import overlapping
from tests.desktop.schema.models import PERSON, PICTURE, PLACE, WORK, named
from tests.desktop.ui.schema.conftest import Bench


async def test_a_new_table_appears_in_view(bench: Bench) -> None:
    """Without links in the middle, wherever the view has been scrolled to; with a link beside its target."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.centerOn(QPointF(3000, 2500))
        lonely = AddTable("loan")
        controller.store.apply(lonely)
        item = view.diagram_scene.tables[lonely.key]
        shown = view.mapFromScene(item.sceneBoundingRect()).boundingRect()
        assert view.viewport().rect().contains(shown)
        loan, owner = AddTable("owner"), AddTable("lender")
        link = AddColumn(owner.key, "person", "link", target=PERSON)
        edits = SeveralEdits(Message("Add two tables"), (loan, owner, link))
        controller.store.apply(edits)
        boxes = {item.box.table: item.box for item in view.diagram_scene.tables.values()}
        assert overlapping(tuple(boxes.values())) == []
        assert abs(boxes[owner.key].y - boxes[PERSON].y) < 400
        assert boxes[owner.key].right < boxes[PERSON].x


async def test_copies_of_several_tables_are_beside_them(bench: Bench) -> None:
    """They are selected, and one undo takes all of them away."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.setFocus()
        view.choose_boxes(frozenset({PERSON, PLACE}))
        bench.actions["element_duplicate"].trigger()
        copies = view.chosen_boxes
        page = controller.store.page
        assert {page.document.by_key[key].name for key in copies} == {"person_2", "place_2"}
        tables = view.diagram_scene.tables
        by_name = {page.document.by_key[key].name: tables[key].box for key in tables}
        one, other = by_name["person"], by_name["place"]
        two, copy = by_name["person_2"], by_name["place_2"]
        assert abs((two.x - copy.x) - (one.x - other.x)) < 0.01
        assert abs((two.y - copy.y) - (one.y - other.y)) < 0.01
        assert overlapping(tuple(item.box for item in tables.values())) == []
        bench.actions["schema_undo"].trigger()
        assert copies.isdisjoint(tables)
        assert not view.chosen_boxes


async def test_copied_tables_are_pasted_together(bench: Bench) -> None:
    """With the links between them."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.setFocus()
        view.choose_boxes(frozenset({PICTURE, WORK}))
        bench.actions["element_copy"].trigger()
        bench.actions["element_paste"].trigger()
        page = controller.store.page
        names = {page.document.by_key[key].name: key for key in view.chosen_boxes}
        assert names.keys() == {"picture_2", "work_2"}
        targets = {key.target for key in page.document.by_key[names["picture_2"]].foreign_keys}
        assert targets == {names["work_2"]}


async def test_a_copied_table_is_pasted_beside_it(bench: Bench) -> None:
    """Near the original, as a duplicate is."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        bench.actions["groups_by_links"].trigger()
        await until(lambda: view.diagram_scene.diagram.arrangement.groups)
        view.setFocus()
        controller.store.select(TableRef(PERSON))
        bench.actions["element_copy"].trigger()
        bench.actions["element_paste"].trigger()
        page = controller.store.page
        copy = named(page.document, "person_2").key
        assert page.selection == TableRef(copy)
        away = view.diagram_scene.tables[copy].pos() - view.diagram_scene.tables[PERSON].pos()
        assert away.manhattanLength() < 600


async def test_actions_for_several_need_several(bench: Bench) -> None:
    """They also need the focus: in the tree, Delete is for its row."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        assert not bench.actions["boxes_left"].isEnabled()
        view.choose_boxes(frozenset({PERSON, PLACE}))
        assert bench.actions["boxes_left"].isEnabled()
        bench.view.tables.tree.setFocus()
        assert bench.view.chosen_tables == []
        controller.store.select(ColumnRef(WORK, 4))
        assert not bench.actions["boxes_left"].isEnabled()


async def test_escape_puts_a_dragged_box_back(bench: Bench) -> None:
    """It is no step."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        before = view.diagram_scene.tables[PERSON].pos()
        rect = view.line_rect(TableRef(PERSON))
        assert rect is not None
        start = rect.center().toPoint()
        QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
        for step in (20, 60):
            QTest.mouseMove(view.viewport(), start + QPointF(step, step).toPoint())
            await process_events()
        assert view.diagram_scene.tables[PERSON].pos() != before
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert view.diagram_scene.tables[PERSON].pos() == before
        page = controller.store.page
        assert page.editing.history.undo_title is None


async def test_the_direction_is_remembered(bench: Bench, qtbot: QtBot) -> None:
    """Arranging everything follows it."""
    async with bench.with_museum():
        bench.actions["arrange_down"].setChecked(True)
        bench.actions["schema_arrange"].trigger()
        tables = bench.view.diagram.diagram_scene.tables
        await until(lambda: tables[PERSON].box.y > tables[WORK].box.bottom)
    actions = Actions(bench.view.appearance)
    qtbot.addWidget(SchemaView(bench.view.appearance, bench.settings, actions))
    assert actions["arrange_down"].isChecked()


async def test_rows_of_nested_tables_reach_the_sides_of_their_box(bench: Bench) -> None:
    """The handles of such a row are beside it, within the box of the owner."""
    async with bench.with_museum():
        scene = bench.view.diagram.diagram_scene
        item = scene.tables[WORK]
        for line in item.lines:
            if line.depth:
                for x in (item.box.x + 1, item.box.right - 1):
                    found = scene.line_at(QPointF(x, item.box.y + line.middle))
                    assert found is not None
                    assert found[1].ref == line.ref


async def test_a_table_with_links_is_pasted_at_the_chosen_point(bench: Bench) -> None:
    """Not beside the table that it links to."""
    async with bench.with_museum() as controller:
        view, store = bench.view.diagram, controller.store
        view.setFocus()
        store.select(TableRef(PICTURE))
        bench.actions["element_copy"].trigger()
        point = QPointF(-700.0, 900.0)
        view.chosen_center = point
        bench.actions["element_paste"].trigger()
        view.chosen_center = None
        box = view.diagram_scene.tables[store.page.selected_table or 0].box
        middle = QPointF(box.x + box.width / 2, box.y + box.height / 2)
        assert (middle - point).manhattanLength() < 5


async def test_handles_of_the_selection_cover_no_end_of_a_link(bench: Bench) -> None:
    """On that side they are shown when the pointer is there."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        controller.store.select(TableRef(PERSON))
        ((ref, center),) = view._handles._handles()
        box = view.diagram_scene.tables[PERSON].sceneBoundingRect()
        assert ref == TableRef(PERSON)
        assert center.x() > view.mapFromScene(box.center()).x()  # links end at the left
        line = view.diagram_scene.tables[PERSON].lines[0]
        view._handles.point_at(QPointF(view.mapFromScene(box.topLeft())), line)
        assert len(list(view._handles._handles())) == 2
