"""Tests of hiding tables, focus, paths and what is linked with them, in the window."""

from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton

from cdb_desktop.client import Session
from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.diagram.groups import box_key, made_groups
from cdb_desktop.schema.diagram.model import Point
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.tables import AddTable, remove_table
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.scope_controller import PathDialog
from cdb_desktop.ui.schema.view import SchemaView
from tests.desktop.patience import process_events, until
from tests.desktop.schema.models import NOTE, PERSON, PICTURE, PLACE, TITLE, WORK, opened
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.menus import open_menu
from tests.desktop.ui.schema.conftest import ROOT, Bench
from tests.desktop.ui.schema.diagram.shown import EVERY, scope_bar, selection, shown_tables, table_places

LEFT = Qt.MouseButton.LeftButton


async def test_hidden_tables_are_listed_and_shown_again(bench: Bench) -> None:
    """One by one or all; hiding is a step back, but none of the undo history, and moves nothing."""
    async with bench.with_museum() as controller:
        before = table_places(bench.view)
        for table in (PERSON, PLACE):
            controller.store.select(TableRef(table))
            bench.actions["scope_hide"].trigger()
        assert shown_tables(bench.view) == {WORK, PICTURE}
        assert scope_bar(bench.view).text == "2 tables hidden · 2 of 4 tables"
        assert not bench.actions["schema_undo"].isEnabled()
        menu = child_of(bench.view, QMenu, "schema.scope.hidden.menu")
        menu.aboutToShow.emit()
        assert [plain(action.text()) for action in menu.actions()] == ["person", "place"]
        menu.actions()[0].trigger()
        assert shown_tables(bench.view) == {PERSON, WORK, PICTURE}
        bench.actions["scope_back"].trigger()
        assert shown_tables(bench.view) == {WORK, PICTURE}
        _press(bench.view, "schema.scope.all")
        assert table_places(bench.view) == before
        assert not scope_bar(bench.view).isVisible()


async def test_a_focus_shows_what_is_near_and_escape_returns(bench: Bench) -> None:
    """The steps are changed in place; positions, zoom and position of the view are as before."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.setFocus()
        view.zoom_in()
        controller.store.select(TableRef(PERSON))
        before, part = table_places(bench.view), view.visible_part
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK})
        assert scope_bar(bench.view).text == "Focus on person · 2 of 4 tables"
        bench.actions["scope_more"].trigger()
        await until(lambda: shown_tables(bench.view) == EVERY)
        bench.actions["scope_fewer"].trigger()
        assert shown_tables(bench.view) == {PERSON, WORK}
        controller.store.select(ColumnRef(WORK, TITLE))
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert selection(controller) == TableRef(WORK)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert table_places(bench.view) == before
        assert view.zoom == part.zoom
        assert _distance(view.visible_part.center, part.center) < 2
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert selection(controller) == DOCUMENT


async def test_a_focus_can_follow_links_in_one_direction(bench: Bench) -> None:
    """From work to person and place, or from picture to work; nested tables count with their owner."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(NOTE))
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == EVERY)
        menu = child_of(bench.view, QMenu, "schema.scope.direction.menu")
        for number, tables in ((1, {WORK, PERSON, PLACE}), (2, {WORK, PICTURE})):
            menu.aboutToShow.emit()
            menu.actions()[number].trigger()
            await until(partial(_is_shown, bench.view, tables))
        assert bench.view.diagram_panel.shows_part


async def test_marks_lead_to_tables_that_are_not_shown(bench: Bench) -> None:
    """A click on the number at a box offers what its links lead to; the action shows all."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PICTURE))
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PICTURE, WORK})
        view = bench.view.diagram
        assert view.diagram_scene.diagram_style.beyond == {WORK: 3}
        item = view.diagram_scene.tables[WORK]
        rect = item.beyond_rect(view.zoom).translated(item.pos())
        QTest.mouseClick(view.viewport(), LEFT, pos=view.mapFromScene(rect.center()))
        menu = open_menu()
        assert [plain(action.text()) for action in menu.actions()] == [
            "Show all 2 linked tables",
            "",
            "person",
            "place",
        ]
        menu.actions()[3].trigger()
        menu.close()
        assert shown_tables(bench.view) == {PICTURE, WORK, PLACE}
        assert not bench.actions["scope_related"].isEnabled()
        controller.store.select(TableRef(WORK))
        bench.actions["scope_related"].trigger()
        assert shown_tables(bench.view) == EVERY
        assert view.diagram_scene.diagram_style.beyond == {}


async def test_new_tables_are_shown_in_a_focus_and_where_others_are_hidden(bench: Bench) -> None:
    """An edit never seems to do nothing; its table does not cover a hidden one."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK})
        edit = AddTable("guestbook")
        controller.store.apply(edit, TableRef(edit.key))
        assert shown_tables(bench.view) == {PERSON, WORK, edit.key}
        bench.actions["schema_undo"].trigger()
        assert shown_tables(bench.view) == {PERSON, WORK}
        bench.actions["schema_redo"].trigger()
        assert shown_tables(bench.view) == {PERSON, WORK, edit.key}
        bench.actions["scope_back"].trigger()
        assert shown_tables(bench.view) == EVERY | {edit.key}


async def test_moves_in_a_focus_are_undone_there(bench: Bench) -> None:
    """The positions of the whole diagram are not touched; what is done there meanwhile ends."""
    async with bench.with_museum() as controller:
        whole = table_places(bench.view)
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK})
        view = bench.view.diagram
        before = table_places(bench.view)
        view.moved.emit(PERSON, 1000.0, 500.0)
        view.settled.emit()
        assert table_places(bench.view)[PERSON] == (1000.0, 500.0)
        bench.actions["schema_undo"].trigger()
        assert table_places(bench.view) == before
        bench.actions["schema_redo"].trigger()
        bench.actions["scope_back"].trigger()
        assert table_places(bench.view) == whole
        bench.actions["schema_arrange"].trigger()
        bench.actions["schema_svg"].setChecked(True)
        bench.actions["schema_undo"].trigger()
        assert not controller._tasks.is_running("schema.arrange")
        assert not bench.actions["schema_svg"].isChecked()
        assert table_places(bench.view) == before
        assert scope_bar(bench.view).text.startswith("Focus on person")
        bench.actions["scope_back"].trigger()
        assert table_places(bench.view) == whole


async def test_what_is_undone_comes_into_view(bench: Bench) -> None:
    """Hidden tables are shown again, and others are scrolled to; what is visible does not scroll."""
    async with bench.with_museum() as controller:
        view, start = bench.view.diagram, table_places(bench.view)
        view.moved.emit(PERSON, 900.0, 500.0)
        view.settled.emit()
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        bench.actions["schema_undo"].trigger()
        assert table_places(bench.view) == start
        controller.store.apply(RenameColumn(ColumnRef(WORK, TITLE), "name"))
        view.fit()
        place = view.place
        bench.actions["schema_undo"].trigger()
        assert view.place == place
        for _ in range(5):
            view.zoom_in()
        for name in ("schema_redo", "schema_undo"):
            view.centerOn(5000, 5000)
            bench.actions[name].trigger()
            seen = view.mapToScene(view.viewport().rect()).boundingRect()
            assert seen.intersects(view.diagram_scene.tables[WORK].sceneBoundingRect())
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK})
        controller.store.apply(AddColumn(PLACE, "height", "number"))
        bench.actions["schema_undo"].trigger()
        assert shown_tables(bench.view) == {PERSON, WORK, PLACE}


async def test_a_selected_table_that_is_not_shown_can_be_shown(bench: Bench) -> None:
    """The bar names it; removed tables are hidden and shown like others."""
    async with bench.with_museum() as controller:
        controller.store.apply(remove_table(PICTURE))
        controller.store.select(TableRef(PICTURE))
        scene = bench.view.diagram.diagram_scene
        assert PICTURE in scene.removed_tables
        bench.actions["scope_hide"].trigger()
        assert PICTURE not in scene.removed_tables
        assert scope_bar(bench.view).text == "1 table hidden · 3 of 3 tables"
        _press(bench.view, "schema.scope.missing")
        assert PICTURE in scene.removed_tables


async def test_a_group_is_hidden_and_listed_as_one(bench: Bench) -> None:
    """Also a collapsed one; by its menu or with one of its tables. Back and the list bring it back."""
    async with bench.with_museum() as controller:
        layout = _layout(bench.view)
        groups = made_groups([("art", (WORK, PICTURE)), ("rest", (PERSON, PLACE))])
        layout.show_arrangement(replace(layout.arrangement, groups=groups), message("Group tables by links"))
        assert not bench.actions["group_hide"].isEnabled()
        before = table_places(bench.view)
        controller.store.select(TableRef(NOTE))
        bench.actions["group_hide"].trigger()
        assert shown_tables(bench.view) == {PERSON, PLACE}
        assert bench.view.diagram.diagram_scene.regions.regions.keys() == {2}
        menu = child_of(bench.view, QMenu, "schema.scope.hidden.menu")
        menu.aboutToShow.emit()
        assert [plain(each.text()) for each in menu.actions()] == [
            "art, group of 2 tables",
            "",
            "picture",
            "work",
        ]
        menu.actions()[0].trigger()
        assert table_places(bench.view) == before
        bench.view.diagram.choose(TableRef(box_key(1)), reveal=False)
        bench.actions["group_toggle"].trigger()
        bench.actions["scope_hide"].trigger()
        assert shown_tables(bench.view) == {PERSON, PLACE}
        assert not bench.actions["group_hide"].isEnabled()
        bench.actions["scope_back"].trigger()
        assert shown_tables(bench.view) == {PERSON, PLACE, box_key(1)}
        assert not scope_bar(bench.view).isVisible()


async def test_one_group_alone_looks_as_among_the_others(bench: Bench) -> None:
    """Its tables are shown where they are, a collapsed one is expanded; Escape returns."""
    async with bench.with_museum():
        layout = _layout(bench.view)
        groups = made_groups([("art", (WORK, PICTURE)), ("rest", (PERSON, PLACE))])
        arrangement = replace(layout.arrangement, groups=groups.with_collapsed((2,), on=True))
        layout.show_arrangement(arrangement, message("Group tables by links"))
        whole, view = table_places(bench.view), bench.view.diagram
        view.setFocus()
        view.choose(TableRef(box_key(1)), reveal=False)
        bench.actions["group_only"].trigger()
        assert table_places(bench.view) == {key: whole[key] for key in (WORK, PICTURE)}
        assert scope_bar(bench.view).text == "Group “art” · 2 of 4 tables"
        assert not bench.actions["group_only"].isEnabled()
        QTest.keyClick(view, Qt.Key.Key_Escape)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert table_places(bench.view) == whole
        view.choose(TableRef(box_key(2)), reveal=False)
        bench.actions["group_only"].trigger()
        assert shown_tables(bench.view) == {PERSON, PLACE}


async def test_paths_are_listed_and_shown(bench: Bench) -> None:
    """With their columns, which are highlighted; no path is explained."""
    async with bench.with_museum() as controller:
        controller.store.apply(AddTable("guestbook"))
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_path"].trigger()
        dialog = child_of(bench.view, PathDialog)
        assert dialog.start.chosen == PERSON
        assert not dialog.accept_button.isEnabled()
        QTest.keyClicks(dialog.end, "guestbook")
        QTest.keyClick(dialog.end, Qt.Key.Key_Return)
        assert dialog.fault == (
            "No links lead from person to guestbook, in either direction. "
            "person can be reached from 3 other tables. No link leads from or to guestbook."
        )
        QTest.keyClicks(dialog.end, "picture")
        QTest.keyClick(dialog.end, Qt.Key.Key_Return)
        assert [dialog.list.item(row).text() for row in range(dialog.list.count())] == [
            "person ← work ← picture\nby work.artist, work__note.source · picture.work"
        ]
        dialog.accept_button.click()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK, PICTURE})
        assert scope_bar(bench.view).text == "From person to picture · One path of 2 links"
        style = bench.view.diagram.diagram_scene.diagram_style
        assert len(style.path) == 3
        assert style.path <= style.linked


async def test_a_bar_does_not_move_the_boxes_on_the_screen(bench: Bench) -> None:
    """The view below it becomes lower instead, and the toolbar follows. A fitted view is fitted anew."""
    async with bench.with_museum() as controller:
        view = bench.view.diagram
        view.zoom_out()
        toolbar = bench.view.diagram_panel.button("fit")

        def place() -> QPoint:
            return view.viewport().mapToGlobal(view.mapFromScene(QPointF(*table_places(bench.view)[WORK])))

        controller.store.select(TableRef(PERSON))
        before, above = place(), toolbar.mapToGlobal(QPoint(0, 0)).y()
        bench.actions["scope_hide"].trigger()
        assert place() == before
        assert toolbar.mapToGlobal(QPoint(0, 0)).y() == above + scope_bar(bench.view).height()
        bench.actions["scope_show_all"].trigger()
        assert place() == before
        assert toolbar.mapToGlobal(QPoint(0, 0)).y() == above


@pytest.mark.parametrize(
    ("session", "is_past"), [(ROOT, True), (Session(token="t"), False)], ids=["past", "reader"]
)
async def test_past_versions_and_readers_can_focus_too(bench: Bench, session: Session, is_past: bool) -> None:
    """What is shown is no edit; there is nothing to focus on without a selection."""
    async with bench.with_museum(opened(), session) as controller:
        page = controller.store.page
        if is_past:
            controller.store.put(replace(page, past=page.editing.current))
        assert not controller.store.page.is_editable
        assert not bench.actions["scope_focus"].isEnabled()
        controller.store.select(TableRef(PLACE))
        assert bench.actions["scope_focus"].isEnabled()
        assert bench.actions["scope_path"].isEnabled()
        assert not bench.actions["scope_more"].isEnabled()
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PLACE, WORK})
        assert bench.actions["scope_more"].isEnabled()


def _layout(view: SchemaView) -> DiagramLayoutController:
    (layout,) = view.diagram.findChildren(DiagramLayoutController)
    return layout


def _is_shown(view: SchemaView, tables: set[int]) -> bool:
    return shown_tables(view) == tables


def _press(view: SchemaView, name: str) -> None:
    button = child_of(view, QPushButton, name)
    assert button.isVisible()
    button.click()


def _distance(one: Point, other: Point) -> float:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


async def test_the_whole_stays_in_view_when_a_bar_appears(bench: Bench) -> None:
    """As long as the user has neither zoomed nor scrolled."""
    async with bench.with_museum():
        view, bar = bench.view.diagram, scope_bar(bench.view)
        view.fit()
        for is_visible in (True, False):
            bar.setVisible(is_visible)
            await process_events()
            before = view.place
            view.fit()
            assert view.place == before
