"""Tests of the tree: what is open stays open over edits, and a search leaves what it has found."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from cdb_desktop.schema.column_edits import RenameColumn
from cdb_desktop.schema.places import ColumnPlace, TablePlace
from cdb_desktop.schema.removal_edits import RemoveTable
from cdb_desktop.schema.table_edits import RenameTable
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
    changed,
    museum,
    opened,
)
from tests.desktop.ui.schema.conftest import Bench


async def test_tables_stand_by_name_with_nested_ones_inside(bench: Bench) -> None:
    """Columns in their order, nested tables at the place of their entry."""
    async with bench.with_museum():
        panel = bench.view.tables
        assert _names(panel, QModelIndex()) == ["person", "picture", "place", "work"]
        work = panel.model.index_of(TablePlace(WORK))
        assert _names(panel, work) == ["title", "year", "artist", "note", "origin"]


async def test_what_is_open_and_selected_survives_edits(bench: Bench) -> None:
    """Renaming moves a table to another row and takes nothing from it."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        controller.store.select(ColumnPlace(WORK, YEAR))
        controller.store.apply(RenameTable(WORK, "a_work"))
        controller.store.apply(RemoveTable(PLACE, dependents=True))
        index = panel.model.index_of(TablePlace(WORK))
        assert index.row() == 0
        assert panel.tree.isExpanded(index)
        assert panel.model.node(panel.tree.currentIndex()) == ColumnPlace(WORK, YEAR)


async def test_a_search_leaves_what_it_finds(bench: Bench) -> None:
    """Enter goes to the first hit, however deep it lies; Escape brings all back."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        bench.actions["schema_find"].trigger()
        assert panel.search.hasFocus()
        QTest.keyClicks(panel.search, "sign")
        assert _names(panel, QModelIndex()) == ["work"]
        note = panel.model.index_of(TablePlace(NOTE))
        assert panel.tree.isExpanded(note)
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        assert controller.store.page is not None
        assert controller.store.page.selection == ColumnPlace(MARK, MARK_SIGN)
        QTest.keyClick(panel.search, Qt.Key.Key_Escape)
        assert len(_names(panel, QModelIndex())) == 4


async def test_changes_and_problems_are_marked(bench: Bench) -> None:
    """At the column, and at the tables around it, which may be closed."""
    current = opened(changed(museum(), PICTURE, has_tags=True))
    async with bench.with_museum(current) as controller:
        model = bench.view.tables.model
        await until(lambda: model.sign(model.index_of(TablePlace(PICTURE))) == "~")
        controller.store.apply(RenameColumn(ColumnPlace(WORK, YEAR), "No Name"))
        await until(lambda: model.fault(model.index_of(TablePlace(WORK))) is not None)
        assert model.sign(model.index_of(ColumnPlace(WORK, YEAR))) == "→"
        assert model.sign(model.index_of(TablePlace(WORK))) == "~"


def _names(panel: TreePanel, parent: QModelIndex) -> list[str]:
    model = panel.model
    return [str(model.data(model.index(row, 0, parent))) for row in range(model.rowCount(parent))]
