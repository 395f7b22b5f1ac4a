"""Tests of groups and folded tables in the diagram, by actions, mouse and keyboard."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.commit.saved_ids import AssignedIds
from cdb_desktop.schema.diagram.groups import box_key
from cdb_desktop.schema.diagram.model import Arrangement
from cdb_desktop.schema.document.element_ref import DOCUMENT, ElementRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import AddTable
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.diagram.group_controller import GroupDialog
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.diagram.regions import GroupBoxItem
from cdb_desktop.ui.schema.diagram.style import KEYS
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.page.state import PageState
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import large_model, overlapping
from tests.desktop.schema.models import NOTE, PERSON, PLACE, WORK, museum
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.menus import open_menu
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.vocabulary.conftest import set_language

__all__ = ["set_language"]

LEFT = Qt.MouseButton.LeftButton


@asynccontextmanager
async def _large(
    bench: Bench, tables: int = 30, *, may_develop: bool = True, boxes: int | None = None
) -> AsyncIterator[SchemaController]:
    """A page with a generated model; ``boxes`` are as many as tables unless groups are collapsed."""
    async with bench.with_museum() as controller:
        document = read_document(large_model(tables))
        controller.store.put(PageState(open_head(document, document), may_develop=may_develop))
        await until(lambda: len(bench.view.diagram.diagram_scene.diagram.boxes) == (boxes or tables))
        yield controller


def _layout(bench: Bench) -> DiagramLayoutController:
    (layout,) = bench.view.diagram.findChildren(DiagramLayoutController)
    return layout


def _arrangement(bench: Bench) -> Arrangement:
    return _layout(bench).arrangement


async def _group(bench: Bench) -> None:
    bench.actions["groups_by_links"].trigger()
    await until(lambda: bool(_arrangement(bench).groups))


def _selection(bench: Bench) -> ElementRef:
    return bench.view.diagram.diagram_scene.diagram_style.selection


def _ask_for_menu(
    view: DiagramView, at: QPoint, reason: QContextMenuEvent.Reason = QContextMenuEvent.Reason.Mouse
) -> None:
    event = QContextMenuEvent(reason, at, view.viewport().mapToGlobal(at), Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(view.viewport(), event)


def _label(bench: Bench, key: int) -> QPoint:
    """A point of a label right of its triangle."""
    view = bench.view.diagram
    rect = view.diagram_scene.regions.label_rect(key, view.viewportTransform())
    return QPointF(rect.right() - 8, rect.center().y()).toPoint()


def _triangle(bench: Bench, key: int) -> QPoint:
    view = bench.view.diagram
    rect = view.diagram_scene.regions.label_rect(key, view.viewportTransform())
    return QPointF(rect.left() + 8, rect.center().y()).toPoint()


async def test_groups_are_found_undone_and_redone(bench: Bench) -> None:
    """With the positions; there are none until the user asks for them."""
    async with _large(bench):
        before = _arrangement(bench)
        assert not before.groups
        assert not bench.actions["groups_collapse"].isEnabled()
        await _group(bench)
        after = _arrangement(bench)
        assert set(after.groups.by_table) == {box.table for box in _layout(bench).graph.boxes}
        assert bench.view.diagram.diagram_scene.regions.regions.keys() == after.groups.by_key.keys()
        assert bench.actions["schema_undo"].text() == "&Undo: Group tables by links"
        bench.actions["schema_undo"].trigger()
        assert _arrangement(bench) == before
        bench.actions["schema_redo"].trigger()
        assert _arrangement(bench) == after
        bench.actions["groups_remove"].trigger()
        assert not _arrangement(bench).groups
        assert _arrangement(bench).positions == after.positions


async def test_collapsing_a_visible_group_does_not_scroll(bench: Bench) -> None:
    """The same point of the screen expands it; its box shows that the selection is inside."""
    async with _large(bench) as controller:
        await _group(bench)
        view, group = bench.view.diagram, _arrangement(bench).groups.all[0]
        view.fit()
        place = view.place
        QTest.mouseClick(view.viewport(), LEFT, pos=_triangle(bench, group.key))
        assert _arrangement(bench).groups.by_key[group.key].is_collapsed
        assert view.place == place
        style = view.diagram_scene.diagram_style
        controller.store.select(TableRef(min(group.tables)))
        assert style.selected_box == group.box
        bench.actions["schema_undo"].trigger()
        assert style.selected_box == min(group.tables)


async def test_a_group_is_collapsed_and_expanded_by_mouse_and_key(bench: Bench) -> None:
    """By its triangle, a double click on its label or box, F7 and Return; all can be undone."""
    async with _large(bench) as controller:
        await _group(bench)
        before, view = _arrangement(bench), bench.view.diagram
        group = before.groups.all[0]
        port, scene = view.viewport(), view.diagram_scene

        def is_collapsed() -> bool:
            return _arrangement(bench).groups.by_key[group.key].is_collapsed

        QTest.mouseClick(port, LEFT, pos=_triangle(bench, group.key))
        assert is_collapsed()
        box = scene.tables[group.box]
        assert isinstance(box, GroupBoxItem)
        assert group.tables.isdisjoint(scene.tables)
        assert bench.actions["schema_undo"].text() == f"&Undo: Collapse group {group.name}"
        # Farther out its label covers the box.
        view.choose(TableRef(group.box), reveal=True, readable=True)
        middle = view.mapFromScene(box.pos() + QPointF(box.box.width / 2, box.box.head_height / 2))
        QTest.mouseClick(port, LEFT, pos=middle)
        assert is_collapsed()
        assert controller.store.page.selection == DOCUMENT
        QTest.mouseDClick(port, LEFT, pos=middle)
        assert not is_collapsed()
        assert _arrangement(bench) == before
        QTest.mouseDClick(port, LEFT, pos=_label(bench, group.key))
        assert is_collapsed()
        QTest.keyClick(view, Qt.Key.Key_Return)
        assert not is_collapsed()
        bench.actions["group_toggle"].trigger()
        assert is_collapsed()
        for collapsed in (False, True, False, True, False):
            bench.actions["schema_undo"].trigger()
            assert is_collapsed() is collapsed
        assert _arrangement(bench).positions.items() >= before.positions.items()


async def test_the_selection_of_a_hidden_table_is_its_group(bench: Bench) -> None:
    """The tree still selects the table; nothing of the group can be deleted by mistake."""
    async with _large(bench) as controller:
        await _group(bench)
        group = _arrangement(bench).groups.all[0]
        table = min(group.tables)
        controller.store.select(TableRef(table))
        bench.actions["group_toggle"].trigger()
        scene = bench.view.diagram.diagram_scene
        assert scene.item_of(TableRef(table)) is scene.tables[group.box]
        assert scene.diagram_style.selection == TableRef(box_key(group.key))
        assert controller.store.page.selection == DOCUMENT
        assert not bench.actions["element_delete"].isEnabled()
        controller.store.select(TableRef(table))
        assert bench.actions["group_toggle"].isEnabled()
        bench.actions["group_toggle"].trigger()
        assert table in scene.tables


async def test_all_groups_are_collapsed_into_a_small_diagram(bench: Bench) -> None:
    """Expanding brings all tables back to where they were."""
    async with _large(bench):
        await _group(bench)
        before, scene = _arrangement(bench), bench.view.diagram.diagram_scene
        large = scene.bounds
        bench.actions["groups_collapse"].trigger()
        await until(lambda: len(_arrangement(bench).groups.collapsed) == len(before.groups.all))
        assert overlapping(scene.diagram.boxes) == []
        assert scene.bounds.width() < large.width() / 1.5
        assert not bench.actions["groups_collapse"].isEnabled()
        bench.actions["groups_expand"].trigger()
        assert _arrangement(bench) == before
        bench.actions["schema_undo"].trigger()
        assert len(_arrangement(bench).groups.collapsed) == len(before.groups.all)


async def test_labels_and_counted_links_have_tips(bench: Bench) -> None:
    """The whole name of a group, and between which boxes how many links are."""
    async with _large(bench):
        await _group(bench)
        view, group = bench.view.diagram, _arrangement(bench).groups.all[0]
        tip = view.diagram_scene.regions.tip(group.key)
        assert tip == f"{group.name} · {len(group.tables)} tables\nDouble-click to collapse"
        at = _label(bench, group.key)
        event = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
        QApplication.sendEvent(view.viewport(), event)
        assert QToolTip.text() == tip
        bench.actions["groups_collapse"].trigger()
        await until(lambda: bool(_arrangement(bench).groups.collapsed))
        await until(lambda: _layout(bench).is_routed)
        link = max(view.diagram_scene.diagram.links, key=lambda each: each.edge.count)
        (x, y), (far, low) = link.path[0], link.path[1]
        view.centerOn(x, y)
        place = view.mapFromScene(QPointF((x + far) / 2, (y + low) / 2))
        event = QHelpEvent(QEvent.Type.ToolTip, place, view.viewport().mapToGlobal(place))
        QApplication.sendEvent(view.viewport(), event)
        assert QToolTip.text().startswith(f"{link.edge.count} links from ")


async def test_a_group_is_dragged_by_its_label(bench: Bench) -> None:
    """Its tables move together, in one step; Escape meanwhile moves nothing, nor does the release then."""
    async with _large(bench):
        await _group(bench)
        before, view = _arrangement(bench), bench.view.diagram
        group = before.groups.all[1]
        start, port = _label(bench, group.key), view.viewport()
        QTest.mousePress(port, LEFT, pos=start)
        QTest.mouseMove(port, start + QPoint(60, 40))
        QTest.keyClick(view, Qt.Key.Key_Escape)
        QTest.mouseRelease(port, LEFT, pos=start + QPoint(60, 40))
        assert _arrangement(bench) == before
        QTest.mousePress(port, LEFT, pos=start)
        for step in (10, 30):
            QTest.mouseMove(port, start + QPoint(step, step))
        QTest.mouseRelease(port, LEFT, pos=start + QPoint(30, 30))
        after = _arrangement(bench)
        moved = {key for key, position in after.positions.items() if before.positions[key] != position}
        assert moved == group.tables
        assert bench.actions["schema_undo"].text() == f"&Undo: Move group {group.name} in the diagram"
        bench.actions["schema_undo"].trigger()
        assert _arrangement(bench) == before


async def test_a_table_is_put_into_a_new_group_and_out_of_it(bench: Bench) -> None:
    """Nested tables belong to the group of their owner."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(NOTE))
        _entry(bench, "New group…").trigger()
        dialog = child_of(bench.view.window(), GroupDialog)
        assert not dialog.accept_button.isEnabled()
        dialog.name.setText("works")
        dialog.color.setCurrentIndex(3)
        dialog.accept_button.click()
        (group,) = _arrangement(bench).groups
        assert (group.name, group.color) == ("works", 3)
        assert group.tables == {WORK}
        controller.store.select(TableRef(PERSON))
        _entry(bench, "works").trigger()
        assert _arrangement(bench).groups.all[0].tables == {WORK, PERSON}
        assert overlapping(bench.view.diagram.diagram_scene.diagram.boxes) == []
        bench.actions["group_edit"].trigger()
        dialog = bench.view.window().findChildren(GroupDialog)[-1]
        assert dialog.name.text() == "works"
        dialog.name.setText("art")
        dialog.accept_button.click()
        assert _arrangement(bench).groups.all[0].name == "art"
        controller.store.select(TableRef(WORK))
        _entry(bench, "No group").trigger()
        assert _arrangement(bench).groups.all[0].tables == {PERSON}
        bench.actions["schema_undo"].trigger()
        assert _arrangement(bench).groups.all[0].tables == {WORK, PERSON}
        bench.actions["group_remove"].trigger()
        assert not _arrangement(bench).groups


async def test_label_and_background_of_a_region_have_the_menu_of_its_group(bench: Bench) -> None:
    """By key too; on the background with a new table at that place. The selected group can be arranged."""
    async with _large(bench):
        await _group(bench)
        view = bench.view.diagram
        label = _label(bench, _arrangement(bench).groups.all[0].key)
        for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
            _ask_for_menu(view, label, reason)
            menu = open_menu()
            assert bench.actions["group_toggle"] in menu.actions()
            menu.close()
        region = view.diagram_scene.regions.regions[1]
        view.centerOn(region.right - 6, region.bottom - 6)
        at = view.mapFromScene(QPointF(region.right - 6, region.bottom - 6))
        _ask_for_menu(view, at)
        menu = open_menu()
        texts = [plain(action.text()) for action in menu.actions() if action.isEnabled()]
        assert {"New table", "Hide the group", "Show only the group", "Arrange the selected"} <= set(texts)
        menu.close()
        assert view.chosen_group == 1
        before = _arrangement(bench)
        bench.actions["boxes_arrange"].trigger()
        await until(lambda: bench.actions["schema_undo"].text().startswith("&Undo: Arrange"))
        bench.actions["schema_undo"].trigger()
        assert _arrangement(bench) == before
        view.centerOn(region.x - 3000, region.y - 3000)
        _ask_for_menu(view, at)
        assert view.chosen_group is None


async def test_tables_are_put_into_groups_only_by_a_command(bench: Bench) -> None:
    """Not by their name, as copies or by a drag; new tables are outside of all regions if not placed."""
    async with _large(bench) as controller:
        await _group(bench)
        view, before = bench.view.diagram, _arrangement(bench).groups
        controller.store.apply(AddTable("table_0031"))
        controller.store.select(TableRef(1))
        bench.actions["element_duplicate"].trigger()
        new = view.diagram_scene.diagram.boxes[30]
        assert not any(
            new.x < region.right and region.x < new.right and new.y < region.bottom and region.y < new.bottom
            for region in view.diagram_scene.regions.regions.values()
        )
        source, target = before.all[:2]
        region = view.diagram_scene.regions.regions[target.key]
        view.moved.emit(min(source.tables), region.x + 30, region.y + 90)
        view.settled.emit()
        assert _arrangement(bench).groups == before
        assert bench.actions["schema_undo"].text().startswith("&Undo: Move")


def _entry(bench: Bench, text: str) -> QAction:
    """An entry of the menu of groups."""
    bench.actions["group_assign"].trigger()
    menu = open_menu()
    found = next(action for action in menu.actions() if action.text() == text)
    menu.hide()
    return found


async def test_groups_are_there_at_the_next_start(bench: Bench, next_bench: Bench) -> None:
    """With colors, collapsed boxes and folded tables."""
    async with _large(bench):
        await _group(bench)
        bench.actions["groups_collapse"].trigger()
        await until(lambda: bool(_arrangement(bench).groups.collapsed))
        bench.actions["columns_fold_all"].trigger()
        before = _arrangement(bench)
    async with _large(next_bench, boxes=len(before.groups.all)):
        found = _arrangement(next_bench)
        assert (found.groups, found.folded) == (before.groups, before.folded)
        keys = {group.box for group in before.groups}
        assert {key: found.positions[key] for key in keys} == {key: before.positions[key] for key in keys}


async def test_a_table_is_folded_and_unfolded(bench: Bench) -> None:
    """By F8, and by a click on the row that says how many columns are hidden."""
    async with _large(bench) as controller:
        view = bench.view.diagram
        view.choose(TableRef(12), reveal=True, readable=True)
        controller.store.select(TableRef(12))
        item = view.diagram_scene.tables[12]
        lines, height = item.lines, item.box.height
        bench.actions["columns_fold"].trigger()
        assert item.box.height < height
        assert bench.actions["columns_fold"].isChecked()
        assert bench.actions["schema_undo"].text() == "&Undo: Show only keys and links of table_0012"
        controller.store.apply(AddColumn(12, "added", "text"))
        await until(lambda: "added" in {line.name for line in item.lines})
        assert item.lines[-1].name == "8 more columns"
        row = item.lines[-1]
        at = view.mapFromScene(item.pos() + QPointF(row.left + row.width / 2, row.middle))
        QTest.mouseClick(view.viewport(), LEFT, pos=at)
        assert len(item.lines) == len(lines) + 1
        bench.actions["columns_fold_all"].trigger()
        assert bench.actions["columns_fold_all"].isChecked()
        assert len(_arrangement(bench).folded) == 30
        bench.actions["columns_fold_all"].trigger()
        assert not _arrangement(bench).folded


async def test_without_the_right_to_edit_groups_work_as_well(bench: Bench) -> None:
    """As moving boxes does: there is no undo history then."""
    async with _large(bench, may_develop=False) as controller:
        await _group(bench)
        assert len(controller.store.page.editing.history.states) == 1
        key = _arrangement(bench).groups.all[0].key
        QTest.mouseClick(bench.view.diagram.viewport(), LEFT, pos=_triangle(bench, key))
        assert _arrangement(bench).groups.by_key[key].is_collapsed


async def test_removed_tables_are_in_the_region_of_their_group(bench: Bench) -> None:
    """In a collapsed group their outline is hidden."""
    async with bench.with_museum() as controller:
        for table in (PLACE, PERSON):
            controller.store.select(TableRef(table))
            if not _arrangement(bench).groups:
                _entry(bench, "New group…").trigger()
                dialog = child_of(bench.view.window(), GroupDialog)
                dialog.name.setText("lists")
                dialog.accept_button.click()
            else:
                _entry(bench, "lists").trigger()
        scene = bench.view.diagram.diagram_scene
        page = controller.store.page
        person = next(table for table in museum()["tables"] if table["table_id"] == PERSON)
        without = read_document({"version": 1, "tables": [person]})
        controller.store.put(PageState(open_head(without, page.document), may_develop=True))
        await until(lambda: PLACE in scene.removed_tables)
        region = scene.regions.regions[1]
        box = scene.removed_tables[PLACE].box
        assert region.x <= box.x
        assert region.bottom >= box.bottom
        QTest.mouseClick(bench.view.diagram.viewport(), LEFT, pos=_triangle(bench, 1))
        assert PLACE not in scene.removed_tables


async def test_groups_cannot_be_changed_while_versions_are_compared(bench: Bench) -> None:
    """Collapsing is possible, and is over with the comparison."""
    async with _large(bench) as controller:
        await _group(bench)
        before = _arrangement(bench)
        controller.store.select(TableRef(min(before.groups.all[0].tables)))
        page = controller.store.page
        controller.store.put(replace(page, compared=page.document))
        changes = ("groups_by_links", "groups_by_prefix", "groups_remove", "group_edit", "group_remove")
        assert not any(bench.actions[name].isEnabled() for name in (*changes, "group_assign"))
        bench.actions["groups_collapse"].trigger()
        await until(lambda: all(group.is_collapsed for group in _arrangement(bench).groups))
        controller.store.put(page)
        assert _arrangement(bench) == before
        assert all(bench.actions[name].isEnabled() for name in changes)


async def test_what_is_changed_while_boxes_are_arranged_stays(bench: Bench) -> None:
    """Names of groups, folded tables and new tables, with one step for each."""
    async with _large(bench) as controller:
        await _group(bench)
        layout, arranger = _layout(bench), _layout(bench).arranger
        group, table = _arrangement(bench).groups.all[0], min(_arrangement(bench).positions)
        for arrange in (
            arranger.arrange,
            arranger.collapse_groups,
            lambda: arranger.arrange_part(group.tables),
        ):
            arrange()
            await asyncio.sleep(0)
            now = _arrangement(bench)
            named = replace(now, groups=now.groups.described(group.key, "named", 3))
            layout.show_arrangement(replace(named, folded=now.folded ^ {table}), message("Change"))
            folded = _arrangement(bench).folded
            edit = AddTable("new_one")
            assert controller.store.apply(edit)
            await until(lambda: "new_one" not in bench.actions["schema_undo"].text())
            assert _arrangement(bench).groups.by_key[group.key].name == "named"
            assert _arrangement(bench).folded == folded
            assert edit.key in _arrangement(bench).positions
            for _ in range(3):
                bench.actions["schema_undo"].trigger()
            assert _arrangement(bench).groups.by_key[group.key].name == group.name
            assert not _arrangement(bench).folded
            if any(each.is_collapsed for each in _arrangement(bench).groups):
                bench.actions["groups_expand"].trigger()


async def test_a_collapsed_group_stays_selected_when_it_is_moved(bench: Bench) -> None:
    """By keys, as often as they are pressed; a click on the background ends that."""
    async with _large(bench):
        await _group(bench)
        view, group = bench.view.diagram, _arrangement(bench).groups.all[0]
        QTest.mouseClick(view.viewport(), LEFT, pos=_triangle(bench, group.key))
        left = _arrangement(bench).positions[group.box][0]
        for _ in range(3):
            QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
        moved = _arrangement(bench).positions[group.box][0] - left
        assert _selection(bench) == TableRef(group.box)
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
        assert _arrangement(bench).positions[group.box][0] - left == moved * 4 / 3 > 0
        view.centerOn(-5000, -5000)
        QTest.mouseClick(view.viewport(), LEFT, pos=QPoint(5, 5))
        assert _selection(bench) == DOCUMENT


async def test_a_group_is_not_added_to_selected_boxes(bench: Bench) -> None:
    """By Ctrl+click; the boxes that were selected stay so."""
    async with _large(bench):
        await _group(bench)
        view, group = bench.view.diagram, _arrangement(bench).groups.all[0]
        QTest.mouseClick(view.viewport(), LEFT, pos=_triangle(bench, group.key))
        tables = [key for key in view.diagram_scene.tables if key != group.box][:2]
        view.choose_boxes(frozenset(tables))
        view.choose(TableRef(group.box), reveal=True, readable=True)
        view.choose_boxes(frozenset(tables))
        item = view.diagram_scene.tables[group.box]
        middle = view.mapFromScene(item.pos() + QPointF(item.box.width / 2, item.box.head_height / 2))
        QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.ControlModifier, middle)
        assert view.chosen_boxes == frozenset(tables)


async def test_labels_of_groups_use_the_space_beside_them(bench: Bench) -> None:
    """They cover neither one another nor reach beyond all groups, with which a large model begins.

    When the diagram is fitted, all are in the view and below the toolbar, however small the diagram is.
    """
    async with _large(bench, 100):
        view = bench.view.diagram
        assert 4 <= len(_arrangement(bench).groups.all) <= 10
        for size in ((1400, 900), (1400, 400)):
            bench.view.resize(*size)
            bench.actions["fit"].trigger()
            port = QRectF(view.viewport().rect())
            port.setTop(view._covered)
            regions, transform = view.diagram_scene.regions, view.viewportTransform()
            for group in _arrangement(bench).groups:
                assert port.contains(regions.label_rect(group.key, transform)), size
        for is_collapsed in (False, True):
            if is_collapsed:
                bench.actions["groups_collapse"].trigger()
                await until(lambda: bool(_arrangement(bench).groups.collapsed))
            for zoom in (0.4, 0.05) if is_collapsed else (0.4, 0.1, 0.05):
                rects = view.diagram_scene.regions.label_rects(zoom)
                right = max(
                    view.diagram_scene.regions.bounds.right(),
                    *(box.right for box in view.diagram_scene.diagram.boxes),
                )
                if zoom > 0.05:
                    assert max(rect.right() for rect in rects) <= right * zoom + 1
                    assert max(rect.width() for rect in rects) > 56
                assert not any(
                    one.intersects(other) for number, one in enumerate(rects) for other in rects[number + 1 :]
                )


async def test_a_save_while_versions_are_compared_keeps_places_of_new_tables(bench: Bench) -> None:
    """Under their ids, which the save has assigned; moves during the comparison are not kept."""
    async with _large(bench) as controller:
        layout, edit = _layout(bench), AddTable("new_one")
        assert controller.store.apply(edit)
        layout.move_boxes({edit.key: (9_000.0, 9_000.0)}, message("Move"))
        page = controller.store.page
        controller.store.put(replace(page, compared=page.document))
        layout.move_boxes({edit.key: (0.0, 9_500.0)}, message("Move"))
        layout.take_ids(AssignedIds({edit.key: 5_000}, {}))
        await until(lambda: 5_000 in layout._local_store.arrangement().positions)
        kept = layout._local_store.arrangement().positions
        assert kept[5_000] == (9_000.0, 9_000.0)
        assert edit.key not in kept
        controller.store.put(page)
        assert _arrangement(bench).positions[5_000] == (9_000.0, 9_000.0)


async def test_a_save_while_boxes_are_arranged_keeps_groups_of_new_tables(bench: Bench) -> None:
    """Under their ids, whatever was computed before they were known."""
    async with _large(bench) as controller:
        layout, edit = _layout(bench), AddTable("new_one")
        assert controller.store.apply(edit)
        assert controller.store.apply(
            AddColumn(edit.key, "other", "link", 0, target=min(_arrangement(bench).positions))
        )
        bench.actions["groups_by_links"].trigger()
        await asyncio.sleep(0)
        layout.take_ids(AssignedIds({edit.key: 5_000}, {}))
        await until(lambda: bool(_arrangement(bench).groups))
        found = _arrangement(bench)
        assert 5_000 in found.positions
        assert 5_000 in found.groups.by_table
        assert edit.key not in found.groups.by_table


async def test_other_buttons_do_not_end_a_drag(bench: Bench) -> None:
    """Neither that of a box nor that of a group's name; the context menu waits."""
    middle, right = Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton
    async with _large(bench):
        await _group(bench)
        view, group = bench.view.diagram, _arrangement(bench).groups.all[0]
        port, by = view.viewport(), QPoint(60, 40)
        QTest.mouseClick(port, LEFT, pos=_triangle(bench, group.key))
        view.choose(TableRef(group.box), reveal=True, readable=True)
        box = view.diagram_scene.tables[group.box]
        on_box = view.mapFromScene(box.pos() + QPointF(box.box.width / 2, box.box.head_height / 2))
        menus: list[object] = []
        view.menu_requested.connect(lambda *_: menus.append(1))
        other = _arrangement(bench).groups.all[1].key
        for start in (on_box, _label(bench, other)):
            before = _arrangement(bench)
            QTest.mousePress(port, LEFT, pos=start)
            QTest.mouseMove(port, start + by)
            for button in (middle, right):
                QTest.mousePress(port, button, pos=start + by)
                _ask_for_menu(view, start + by)
                QTest.mouseRelease(port, button, pos=start + by)
            QTest.mouseMove(port, start + by + by)
            QTest.mouseRelease(port, LEFT, pos=start + by + by)
            assert menus == []
            assert not view.is_in_gesture
            assert _arrangement(bench) != before
            assert bench.actions["schema_undo"].text().startswith("&Undo: Move group")
            bench.actions["schema_undo"].trigger()
            assert _arrangement(bench).positions == before.positions


async def test_the_color_of_a_collapsed_group_changes_far_out(bench: Bench) -> None:
    """Where boxes are painted by color."""
    async with _large(bench):
        await _group(bench)
        view, group = bench.view.diagram, _arrangement(bench).groups.all[0]
        QTest.mouseClick(view.viewport(), LEFT, pos=_triangle(bench, group.key))
        view._zoom_to(KEYS * 0.7, QPointF(view.viewport().rect().center()))
        box = view.diagram_scene.tables[group.box].box
        view.centerOn(QPointF(box.x, box.y))
        corner = view.mapFromScene(QPointF(box.x + 12, box.y + 12))
        colors = []
        for color in (1, 5):
            now = _arrangement(bench)
            named = replace(now, groups=now.groups.described(group.key, group.name, color))
            _layout(bench).show_arrangement(named, message("Color"))
            colors.append(view.grab().toImage().pixelColor(corner).name())
        assert colors[0] != colors[1]
