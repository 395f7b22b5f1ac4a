"""Tests of the tree and its search."""

import pytest
from PySide6.QtCore import QModelIndex, QRectF, Qt
from PySide6.QtGui import QTransform
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit

from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.edits.tables import RenameTable, remove_column, remove_table
from cdb_desktop.schema.working_copy import open_head as begun
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.form.dialogs import RemovalDialog
from cdb_desktop.ui.schema.tree.panel import NoMatches, TreePanel
from tests.desktop.patience import until
from tests.desktop.schema.models import (
    ARTIST,
    MARK,
    MARK_SIGN,
    NOTE,
    PICTURE,
    PLACE,
    WORK,
    YEAR,
    apply,
    changed,
    museum,
    opened,
)
from tests.desktop.ui.finding import child_of, focus_widget
from tests.desktop.ui.schema.conftest import Bench


async def test_tables_are_sorted_by_name_with_nested_tables_inside(bench: Bench) -> None:
    """Columns in their order; what is expanded or selected stays so if renaming moves its table."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        assert _names(panel, QModelIndex()) == ["person", "picture", "place", "work"]
        work = panel.model.index_of(TableRef(WORK))
        assert _names(panel, work) == ["title", "year", "artist", "note", "origin"]
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        controller.store.select(ColumnRef(WORK, YEAR))
        controller.store.apply(RenameTable(WORK, "a_work"))
        controller.store.apply(remove_table(PLACE, dependents=True))
        index = panel.model.index_of(TableRef(WORK))
        assert index.row() == 0
        assert panel.tree.isExpanded(index)
        assert panel.model.node(panel.tree.currentIndex()) == ColumnRef(WORK, YEAR)


async def test_a_search_filters_the_tree(bench: Bench) -> None:
    """Enter selects the best match at any depth; Escape, or a button if there is none, clears the search."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        bench.actions["schema_find"].trigger()
        assert panel.search.hasFocus()
        QTest.keyClicks(panel.search, "sign")
        assert _names(panel, QModelIndex()) == ["work"]
        note = panel.model.index_of(TableRef(NOTE))
        assert panel.tree.isExpanded(note)
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        assert controller.store.page.selection == ColumnRef(MARK, MARK_SIGN)
        QTest.keyClick(panel.search, Qt.Key.Key_Escape)
        assert len(_names(panel, QModelIndex())) == 4
        nothing = child_of(panel, NoMatches)
        QTest.keyClicks(panel.search, "zebra")
        assert nothing.isVisible()
        assert not panel.tree.isVisible()
        assert nothing.text == "No table or column is named “zebra”."
        nothing.clear.click()
        assert panel.tree.isVisible()
        assert panel.search.hasFocus()
        assert len(_names(panel, QModelIndex())) == 4


async def test_changes_and_problems_are_marked(bench: Bench) -> None:
    """At the column and at the tables around it, which may be collapsed."""
    current = opened(changed(museum(), PICTURE, has_tags=True))
    async with bench.with_museum(current) as controller:
        model = bench.view.tables.model
        await until(lambda: model.sign(model.index_of(TableRef(PICTURE))) == "~")
        controller.store.apply(RenameColumn(ColumnRef(WORK, YEAR), "No Name"))
        await until(lambda: model.severity(model.index_of(TableRef(WORK))) is not None)
        assert model.sign(model.index_of(ColumnRef(WORK, YEAR))) == "→"
        assert model.sign(model.index_of(TableRef(WORK))) == "~"


async def test_enter_scrolls_to_a_match_that_is_selected_already(bench: Bench) -> None:
    """The selection may have been scrolled out of the view."""
    async with bench.with_museum() as controller:
        panel, diagram = bench.view.tables, bench.view.diagram
        panel.search.setFocus()
        QTest.keyClicks(panel.search, "year")
        for _ in range(2):
            diagram.setTransform(QTransform.fromScale(0.1, 0.1))
            QTest.keyClick(panel.search, Qt.Key.Key_Return)
            assert controller.store.page.selection == ColumnRef(WORK, YEAR)
            assert diagram.zoom >= 0.75
            rect = diagram.line_rect(ColumnRef(WORK, YEAR))
            assert rect is not None
            assert QRectF(diagram.viewport().rect()).contains(rect.center())


async def test_escape_closes_the_innermost_part(bench: Bench) -> None:
    """A tab with the focus, the notice, the column, the table, then the open tab."""
    async with bench.with_museum() as controller:
        view = bench.view
        controller.store.select(ColumnRef(WORK, YEAR))
        view.bottom.open(1)
        view.bottom.changes.setFocus()
        view.notice.show_text("accent", "Told.")
        states = []
        for number in range(5):
            focus = focus_widget()
            QTest.keyClick(focus, Qt.Key.Key_Escape)
            states.append((view.bottom.open_tab, view.notice.isVisible(), controller.store.page.selection))
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


async def test_a_renamed_match_stays_visible(bench: Bench) -> None:
    """Although the new name does not match; until the search changes."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QTest.keyClicks(panel.search, "year")
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        bench.actions["element_rename"].trigger()
        field = child_of(panel.tree, QLineEdit, "schema.tree.name")
        QTest.keyClicks(field, "made")
        QTest.keyClick(field, Qt.Key.Key_Return)
        await until(lambda: _year(controller) == "made")
        assert panel.tree.hasFocus()
        assert panel.model.index_of(ColumnRef(WORK, YEAR)) == panel.tree.currentIndex()
        assert _names(panel, panel.model.index_of(TableRef(WORK))) == ["made"]
        panel.search.setText("yea")
        assert _names(panel, QModelIndex()) == []


async def test_selecting_the_table_of_a_match_shows_no_other_columns(bench: Bench) -> None:
    """Only matching columns are visible during a search."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QTest.keyClicks(panel.search, "year")
        controller.store.select(TableRef(WORK))
        controller.store.apply(RenameTable(WORK, "opus"))
        assert _names(panel, QModelIndex()) == ["opus"]
        assert _names(panel, panel.model.index_of(TableRef(WORK))) == ["year"]


async def test_removed_elements_are_shown_and_can_be_restored(bench: Bench) -> None:
    """Below the others until the commit; a search finds them as well, and the form restores them."""
    async with bench.with_museum() as controller:
        panel, store = bench.view.tables, controller.store
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        year, picture = ColumnRef(WORK, YEAR), TableRef(PICTURE)
        store.apply(remove_column(year, dependents=True))
        store.apply(remove_table(PICTURE, dependents=True))
        await until(lambda: panel.model.index_of(year).isValid())
        assert _names(panel, QModelIndex()) == ["person", "place", "work", "picture"]
        index = panel.model.index_of(picture)
        assert (panel.model.sign(index), panel.model.is_removed(index)) == ("−", True)
        assert not index.flags() & Qt.ItemFlag.ItemIsEditable
        panel.tree.setCurrentIndex(panel.model.index_of(year))
        form = bench.view.form.removed
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
async def test_an_element_removed_during_a_search_stays_visible(bench: Bench, text: str) -> None:
    """Struck out and selected, whether it or its table matches."""
    async with bench.with_museum() as controller:
        panel, year = bench.view.tables, ColumnRef(WORK, YEAR)
        QAbstractItemModelTester(panel.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        QTest.keyClicks(panel.search, text)
        panel.tree.expandAll()
        panel.tree.setFocus()
        controller.store.select(year)
        before = _names(panel, panel.model.index_of(TableRef(WORK)))
        bench.actions["element_delete"].trigger()
        dialog = child_of(bench.view, RemovalDialog)
        dialog.accept_button.click()
        await until(lambda: panel.model.index_of(year).isValid())
        assert sorted(_names(panel, panel.model.index_of(TableRef(WORK)))) == sorted(before)
        assert panel.model.is_removed(panel.model.index_of(year))
        assert panel.tree.isVisible()
        assert panel.model.node(panel.tree.currentIndex()) == year
        assert bench.view.form.removed.isVisible()


async def test_the_only_match_is_removed(bench: Bench) -> None:
    """It still matches, as a removed table."""
    async with bench.with_museum() as controller:
        panel = bench.view.tables
        QTest.keyClicks(panel.search, "picture")
        panel.tree.setFocus()
        controller.store.select(TableRef(PICTURE))
        controller.store.apply(remove_table(PICTURE, dependents=True))
        await until(lambda: panel.model.index_of(TableRef(PICTURE)).isValid())
        assert _names(panel, QModelIndex()) == ["picture"]
        assert panel.tree.isVisible()
        assert panel.tree.hasFocus()
        panel.search.setText("pict")
        QTest.keyClick(panel.search, Qt.Key.Key_Return)
        assert controller.store.page.selection == TableRef(PICTURE)


async def test_an_element_removed_from_saved_head_cannot_be_restored(bench: Bench) -> None:
    """The service would give it another id, and its values would be lost all the same (wire §5)."""
    current = opened()
    async with bench.with_museum(current) as controller:
        place = TableRef(PICTURE)
        head = apply(current, remove_table(PICTURE, dependents=True))
        controller.store.put_editing(begun(head, current))
        await until(lambda: bench.view.tables.model.index_of(place).isValid())
        controller.store.select(place)
        form = bench.view.form.removed
        assert form.isVisible()
        assert not form.restore.isEnabled()


async def test_screen_readers_hear_what_the_rows_show(bench: Bench) -> None:
    """Type, target and changes, which are painted beside the names."""
    async with bench.with_museum() as controller:
        model = bench.view.tables.model
        controller.store.apply(RenameColumn(ColumnRef(WORK, YEAR), "made_in"))
        await until(lambda: model.sign(model.index_of(ColumnRef(WORK, YEAR))) == "→")
        spoken = Qt.ItemDataRole.AccessibleTextRole
        assert model.data(model.index_of(TableRef(WORK)), spoken) == "work, table, changed"
        assert str(model.data(model.index_of(ColumnRef(WORK, YEAR)), spoken)).startswith("made_in, ")
        assert str(model.data(model.index_of(ColumnRef(WORK, YEAR)), spoken)).endswith(", renamed")
        assert model.data(model.index_of(ColumnRef(WORK, ARTIST)), spoken) == "artist, links to person"


def _year(controller: SchemaController) -> str:
    return controller.store.page.document.by_key[WORK].by_key[YEAR].name


def _names(panel: TreePanel, parent: QModelIndex) -> list[str]:
    model = panel.model
    return [str(model.data(model.index(row, 0, parent))) for row in range(model.rowCount(parent))]
