"""Tests of the tree: what is open stays open over edits, and a search leaves what it has found."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtGui import QTransform
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, TableRef
from cdb_desktop.schema.document.names import element_name
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveTable
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.working_copy import open_head as begun
from cdb_desktop.ui.schema.ask_sheets import RemovalSheet
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.nothing_found import NothingFound
from cdb_desktop.ui.schema.tree_nodes import Tree
from cdb_desktop.ui.schema.tree_panel import TreePanel
from tests.desktop.patience import until
from tests.desktop.schema.models import (
    MARK,
    MARK_SIGN,
    NOTE,
    PICTURE,
    PLACE,
    WORK,
    YEAR,
    apply,
    changed,
    column,
    museum,
    opened,
    other,
    table,
)
from tests.desktop.ui.schema.conftest import Bench


async def test_tables_stand_by_name_with_nested_ones_inside(bench: Bench) -> None:
    """Columns in their order, nested tables at the place of their entry."""
    async with bench.with_museum():
        panel = bench.view.tables
        assert _names(panel, QModelIndex()) == ["person", "picture", "place", "work"]
        work = panel.model.index_of(TableRef(WORK))
        assert _names(panel, work) == ["title", "year", "artist", "note", "origin"]


async def test_what_is_open_and_selected_survives_edits(bench: Bench) -> None:
    """Renaming moves a table to another row and takes nothing from it."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        controller.store.select(ColumnRef(WORK, YEAR))
        controller.store.apply(RenameTable(WORK, "a_work"))
        controller.store.apply(RemoveTable(PLACE, dependents=True))
        index = panel.model.index_of(TableRef(WORK))
        assert index.row() == 0
        assert panel.tree.isExpanded(index)
        assert panel.model.node(panel.tree.currentIndex()) == ColumnRef(WORK, YEAR)


async def test_a_search_leaves_what_it_finds(bench: Bench) -> None:
    """Enter goes to the first hit, however deep it lies; Escape brings all back."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        bench.actions["schema_find"].trigger()
        assert panel.search.hasFocus()
        QTest.keyClicks(panel.search, "sign")
        assert _names(panel, QModelIndex()) == ["work"]
        note = panel.model.index_of(TableRef(NOTE))
        assert panel.tree.isExpanded(note)
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        assert controller.store.page is not None
        assert controller.store.page.selection == ColumnRef(MARK, MARK_SIGN)
        QTest.keyClick(panel.search, Qt.Key.Key_Escape)
        assert len(_names(panel, QModelIndex())) == 4


async def test_changes_and_problems_are_marked(bench: Bench) -> None:
    """At the column, and at the tables around it, which may be closed."""
    current = opened(changed(museum(), PICTURE, has_tags=True))
    async with bench.with_museum(current) as controller:
        model = bench.view.tables.model
        await until(lambda: model.sign(model.index_of(TableRef(PICTURE))) == "~")
        controller.store.apply(RenameColumn(ColumnRef(WORK, YEAR), "No Name"))
        await until(lambda: model.fault(model.index_of(TableRef(WORK))) is not None)
        assert model.sign(model.index_of(ColumnRef(WORK, YEAR))) == "→"
        assert model.sign(model.index_of(TableRef(WORK))) == "~"


def test_the_best_match_of_a_search_comes_first() -> None:
    """The same name before one that begins so, tables before columns, a part before anything inside."""
    raw = museum()
    for number, name in ((30, "artwork"), (31, "work_place"), (32, "frame")):
        raw["tables"].insert(0, table(number, name, column(number, "work" if name == "frame" else "x")))
    raw["tables"].insert(0, table(33, "artwork__work", column(33, "x"), owned_by=other(30, "artwork")))
    document = opened(raw)

    def best(wanted: str) -> str:
        tree = Tree(document, wanted)
        found = tree.best_found()
        return "" if found is None else element_name(document, found)

    assert best("work") == "work"
    assert best("work_p") == "work_place"
    assert best("note") == "work__note"
    assert best("work__note__mark") == "work__note__mark"
    assert best("bor") == "person.born"
    assert best("ear") == "work.year"
    assert best("zebra") == ""


async def test_what_is_found_again_is_brought_into_sight_again(bench: Bench) -> None:
    """Enter in the search goes there, even if it is selected already."""
    async with bench.with_museum() as controller:
        panel, diagram = bench.view.tables, bench.view.diagram
        panel.search.setFocus()
        QTest.keyClicks(panel.search, "year")
        for _ in range(2):
            diagram.setTransform(QTransform.fromScale(0.1, 0.1))
            QTest.keyClick(panel.search, Qt.Key.Key_Return)
            assert controller.store.page is not None
            assert controller.store.page.selection == ColumnRef(WORK, YEAR)
            assert diagram.zoom >= 0.75
            rect = diagram.line_rect(ColumnRef(WORK, YEAR))
            assert rect is not None
            assert QRectF(diagram.viewport().rect()).contains(rect.center())


async def test_escape_closes_what_is_innermost(bench: Bench) -> None:
    """A tab with the focus, the notice, the column, the table, then the tab that is still open."""
    async with bench.with_museum() as controller:
        view = bench.view
        controller.store.select(ColumnRef(WORK, YEAR))
        view.bottom.open(1)
        view.bottom.changes.setFocus()
        view.offer.show_offer("accent", "Told.")
        assert controller.store.page is not None
        states = []
        for number in range(5):
            focus = QApplication.focusWidget()
            assert focus is not None
            QTest.keyClick(focus, Qt.Key.Key_Escape)
            states.append((view.bottom.open_tab, view.offer.isVisible(), controller.store.page.selection))
            if number == 0:
                view.bottom.open(1)
                view.tables.tree.setFocus()
        assert states == [
            (-1, True, ColumnRef(WORK, YEAR)),
            (1, False, ColumnRef(WORK, YEAR)),
            (1, False, TableRef(WORK)),
            (1, False, DOCUMENT),
            (-1, False, DOCUMENT),
        ]


async def test_renaming_what_was_searched_for(bench: Bench) -> None:
    """The new name does not fit the search, and stays in sight until something else is searched for."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QTest.keyClicks(panel.search, "year")
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        bench.actions["element_rename"].trigger()
        field = panel.tree.findChild(QLineEdit, "schema.tree.name")
        assert field is not None
        QTest.keyClicks(field, "made")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert controller.store.page is not None
        await until(lambda: _year(controller) == "made")
        assert panel.tree.hasFocus()
        assert panel.model.index_of(ColumnRef(WORK, YEAR)) == panel.tree.currentIndex()
        assert _names(panel, panel.model.index_of(TableRef(WORK))) == ["made"]
        panel.search.setText("yea")
        assert _names(panel, QModelIndex()) == []


async def test_a_search_that_finds_nothing_says_so(bench: Bench) -> None:
    """In words, with a way back; and the tree stands there again as soon as there is something."""
    async with bench.with_museum():
        panel = bench.view.tables
        nothing = panel.findChild(NothingFound)
        assert nothing is not None
        bench.actions["schema_find"].trigger()
        QTest.keyClicks(panel.search, "zebra")
        assert nothing.isVisible()
        assert not panel.tree.isVisible()
        assert nothing.text == "No table or column is named “zebra”."
        nothing.clear.click()
        assert panel.tree.isVisible()
        assert panel.search.hasFocus()
        assert _names(panel, QModelIndex()) == ["person", "picture", "place", "work"]


async def test_a_table_that_is_kept_shows_only_the_columns_that_were_found(bench: Bench) -> None:
    """Going to the table of a hit brings no other columns into sight."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QTest.keyClicks(panel.search, "year")
        controller.store.select(TableRef(WORK))
        controller.store.apply(RenameTable(WORK, "opus"))
        assert _names(panel, QModelIndex()) == ["opus"]
        assert _names(panel, panel.model.index_of(TableRef(WORK))) == ["year"]


async def test_what_was_removed_is_seen_and_comes_back(bench: Bench) -> None:
    """Below what is there, until a commit; a search finds it as well, and the form has the way back."""
    async with bench.with_museum() as controller:
        panel, store = bench.view.tables, controller.store
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        year, picture = ColumnRef(WORK, YEAR), TableRef(PICTURE)
        store.apply(RemoveColumn(year, dependents=True))
        store.apply(RemoveTable(PICTURE, dependents=True))
        await until(lambda: panel.model.index_of(year).isValid())
        assert _names(panel, QModelIndex()) == ["person", "place", "work", "picture"]
        index = panel.model.index_of(picture)
        assert (panel.model.sign(index), panel.model.is_removed(index)) == ("−", True)
        assert not index.flags() & Qt.ItemFlag.ItemIsEditable
        panel.tree.setCurrentIndex(panel.model.index_of(year))
        form = bench.view.form.ghost
        assert form.isVisible()
        assert not bench.actions["element_delete"].isEnabled()
        assert not bench.actions["element_rename"].isEnabled()
        QTest.keyClicks(panel.search, "year")
        assert _names(panel, QModelIndex()) == ["work"]
        assert _names(panel, panel.model.index_of(TableRef(WORK))) == ["year"]
        panel.search.clear()
        form.restore.click()
        assert _year(controller) == "year"
        assert not form.isVisible()
        await until(lambda: panel.model.sign(panel.model.index_of(TableRef(WORK))) == "")
        assert not panel.model.is_removed(panel.model.index_of(year))


@pytest.mark.parametrize("text", ["year", "work"])
async def test_what_is_removed_while_searching_stays_in_sight(bench: Bench, text: str) -> None:
    """Struck out and selected, with the way back in the form, whether it or its table was searched for."""
    async with bench.with_museum() as controller:
        panel, year = bench.view.tables, ColumnRef(WORK, YEAR)
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        QTest.keyClicks(panel.search, text)
        panel.tree.expandAll()
        panel.tree.setFocus()
        controller.store.select(year)
        before = _names(panel, panel.model.index_of(TableRef(WORK)))
        bench.actions["element_delete"].trigger()
        sheet = bench.view.findChild(RemovalSheet)
        assert sheet is not None
        sheet.accept_button.click()
        await until(lambda: panel.model.index_of(year).isValid())
        assert sorted(_names(panel, panel.model.index_of(TableRef(WORK)))) == sorted(before)
        assert panel.model.is_removed(panel.model.index_of(year))
        assert panel.tree.isVisible()
        assert panel.model.node(panel.tree.currentIndex()) == year
        assert bench.view.form.ghost.isVisible()


async def test_the_only_table_that_was_found_is_removed(bench: Bench) -> None:
    """It is found still, as what it is now."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QTest.keyClicks(panel.search, "picture")
        panel.tree.setFocus()
        controller.store.select(TableRef(PICTURE))
        controller.store.apply(RemoveTable(PICTURE, dependents=True))
        await until(lambda: panel.model.index_of(TableRef(PICTURE)).isValid())
        assert _names(panel, QModelIndex()) == ["picture"]
        assert panel.tree.isVisible()
        assert panel.tree.hasFocus()
        panel.search.setText("pict")
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        assert controller.store.page is not None
        assert controller.store.page.selection == TableRef(PICTURE)


async def test_what_head_was_saved_without_does_not_come_back(bench: Bench) -> None:
    """The service would give it another id, and its values would be lost all the same (wire §5)."""
    current = opened()
    async with bench.with_museum(current) as controller:
        place = TableRef(PICTURE)
        head = apply(current, RemoveTable(PICTURE, dependents=True))
        controller.store.put_editing(begun(head, current))
        await until(lambda: bench.view.tables.model.index_of(place).isValid())
        controller.store.select(place)
        form = bench.view.form.ghost
        assert form.isVisible()
        assert not form.restore.isEnabled()


def _year(controller: SchemaController) -> str:
    assert controller.store.page is not None
    return controller.store.page.document.by_key[WORK].by_key[YEAR].name


def _names(panel: TreePanel, parent: QModelIndex) -> list[str]:
    model = panel.model
    return [str(model.data(model.index(row, 0, parent))) for row in range(model.rowCount(parent))]
