"""Tests of the search in tree and diagram, and of the walk over its hits."""

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.schema.checks.lint import LocalizedNames
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.working_copy import open_head
from cdb_desktop.ui.schema.diagram.bars import FindBar
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import SchemaView
from tests.desktop.patience import until
from tests.desktop.schema.diagram.graphs import large_model
from tests.desktop.schema.models import NOTE, PERSON, PERSON_NAME, PLACE, PLACE_NAME, WORK, YEAR, opened
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.diagram.shown import selection


async def test_hits_are_marked_and_walked(bench: Bench) -> None:
    """With Enter, F3 and Shift+F3, from the last to the first; the hit is large enough to be read.

    After an edit the walk goes on with the hits of the new document.
    """
    async with bench.with_museum() as controller:
        search, style = bench.view.tables.search, bench.view.diagram.diagram_scene.diagram_style
        QTest.keyClicks(search, "name")
        hits = [ColumnRef(PERSON, PERSON_NAME), ColumnRef(PLACE, PLACE_NAME)]
        assert style.hits == set(hits)
        assert _bar(bench.view).text == "2 hits"
        assert style.hit == DOCUMENT
        for expected in (*hits, hits[0]):
            QTest.keyClick(search, Qt.Key.Key_Return)
            assert selection(controller) == expected
            assert search.hasFocus()
        assert _bar(bench.view).text == "1 of 2 hits · person.name"
        assert bench.view.diagram.zoom >= 0.75
        bench.actions["find_previous"].trigger()
        assert selection(controller) == hits[1]
        bench.actions["find_next"].trigger()
        assert selection(controller) == hits[0]
        bench.actions["find_next"].trigger()
        controller.store.apply(RenameColumn(ColumnRef(WORK, YEAR), "name_of_year"))
        assert _bar(bench.view).text == "2 of 3 hits · place.name"
        search.clear()
        assert style.hits == frozenset()
        assert not _bar(bench.view).isVisible()
        assert not bench.actions["find_next"].isEnabled()


async def test_comments_and_localized_names_are_found_in_tree_and_diagram(bench: Bench) -> None:
    """The bar says what was found where; no hits are said too."""
    async with bench.with_museum() as controller:
        page = controller.store.page
        names = LocalizedNames({"schema.place.name": {"de-DE": "Herkunftsort"}}, opened())
        controller.store.put(replace(page, checks=replace(page.checks, names=names)))
        search, tree = bench.view.tables.search, bench.view.tables.model.tree
        QTest.keyClicks(search, "herkunft")
        QTest.keyClick(search, Qt.Key.Key_Return)
        assert _bar(bench.view).text == "1 of 1 hit · place: localized “Herkunftsort”"
        search.setText("is shown")
        tree = bench.view.tables.model.tree
        assert tree.tops == (TableRef(WORK),)
        QTest.keyClick(search, Qt.Key.Key_Return)
        assert _bar(bench.view).text == "1 of 1 hit · work: comment “What is shown”"
        search.setText("number")
        QTest.keyClick(search, Qt.Key.Key_Return)
        assert _bar(bench.view).text == "1 of 1 hit · work.year: type number"
        search.setText("zebra")
        assert _bar(bench.view).text == "No hits"


async def test_hits_in_tables_that_are_not_shown_are_named(bench: Bench) -> None:
    """The tables can be shown, also the owner of a nested one."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        bench.actions["scope_hide"].trigger()
        search = bench.view.tables.search
        QTest.keyClicks(search, "work__note")
        QTest.keyClick(search, Qt.Key.Key_Return)
        assert _bar(bench.view).text == "1 of 2 hits · work__note – not shown · Show 1 hidden table"
        child_of(bench.view, QPushButton, "schema.hits.show").click()
        assert WORK in bench.view.diagram.diagram_scene.tables
        assert _bar(bench.view).text == "1 of 2 hits · work__note"
        assert bench.view.diagram.diagram_scene.diagram_style.hit == TableRef(NOTE)


async def test_a_hit_in_a_collapsed_group_is_marked(bench: Bench) -> None:
    """At its box or label, at every zoom, also if the group is collapsed later; no other group is."""
    async with bench.with_museum() as controller:
        document, view = opened(large_model(30)), bench.view.diagram
        controller.store.put(PageState(open_head(document, document), may_develop=True))
        bench.actions["groups_by_links"].trigger()
        await until(lambda: len(view.diagram_scene.diagram.arrangement.groups.all) > 1)
        bench.view.tables.search.setText("table_0015")
        bench.actions["groups_collapse"].trigger()
        await until(lambda: view.diagram_scene.diagram.arrangement.groups.collapsed)
        await until(lambda: not view.diagram_scene.is_moving)
        groups = view.diagram_scene.diagram.arrangement.groups
        for zoom in (1.0, 0.35, 0.2, 0.05):
            for group in groups:
                box = view.diagram_scene.tables[group.box].box
                view._zoom_to(zoom, QPointF(view.viewport().rect().center()))
                view.centerOn(box.x + box.width / 2, box.y + box.height / 2)
                bench.view.tables.search.setText("table_0015")
                marked = view.viewport().grab().toImage()
                bench.view.tables.search.setText("zebra")
                rect = view.mapFromScene(QRectF(box.x, box.y, box.width, box.height)).boundingRect()
                is_marked = marked.copy(rect) != view.viewport().grab().toImage().copy(rect)
                # Far out the label of a group may reach over the box of another one.
                is_reached = is_marked and zoom < 0.1
                assert is_marked == (15 in group.tables) or is_reached, (zoom, group.name)


async def test_enter_waits_for_the_index_of_a_large_model(bench: Bench) -> None:
    """It is made on a thread, so that typing does not stall."""
    async with bench.with_museum() as controller:
        page = controller.store.page
        document = opened(large_model(200))
        controller.store.put(replace(page, past=document))
        search = bench.view.tables.search
        QTest.keyClicks(search, "table_0150")
        QTest.keyClick(search, Qt.Key.Key_Return)
        await until(lambda: _bar(bench.view).text == "1 of 1 hit · table_0150")
        assert selection(controller) == TableRef(150)


def _bar(view: SchemaView) -> FindBar:
    return child_of(view, FindBar)
