"""Tests of the forms of the schema page with a real pointer and keyboard: lists, rows and dialogs."""

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.form.columns_model import NAME, REQUIRED, TYPE
from cdb_desktop.ui.schema.form.dialogs import LinkDialog
from tests.desktop.conftest import appearance, settings
from tests.desktop.schema.models import PERSON, PERSON_BORN, PLACE, WORK, YEAR
from tests.desktop.ui.schema.conftest import Bench, bench, titles
from tests.pointer.conftest import Pointer

__all__ = ["appearance", "bench", "settings"]


async def test_typing_in_the_list_of_types_applies_only_with_enter(bench: Bench, pointer: Pointer) -> None:
    """Letters filter the list, Escape clears them, Enter and a click are one edit each."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnRef(WORK, YEAR))
        pointer.show(bench.view)
        field = bench.view.form.column.type
        pointer.click(field)
        assert len(field.found) == len(field.choices)
        pointer.type("decimal")
        assert field.found == ("Decimal, 2 places (integer.2)",)
        assert titles(controller) == []
        pointer.press("Escape")
        assert field.text() == "Whole number (number)"
        assert not field._list.isVisible()
        pointer.type("lines")
        pointer.press("Down", "Return")
        assert titles(controller) == ["Change the type of work.year from number to text_l10n"]
        pointer.press("ctrl+z")
        assert titles(controller) == []
        assert field.text() == "Whole number (number)"
        pointer.click(field)
        pointer.click(field._list, QPoint(30, 8))
        assert titles(controller) == ["Change the type of work.year from number to text"]


async def test_keys_of_the_page_work_in_its_lines(bench: Bench, pointer: Pointer) -> None:
    """On X11 lines have Ctrl+E themselves."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PLACE))
        pointer.show(bench.view)
        action, triggered = bench.actions["diagram_export"], list[str]()
        action.triggered.disconnect()
        action.triggered.connect(lambda _checked=False: triggered.append("export"))
        for line in (bench.view.tables.search, bench.view.form.table.name):
            pointer.click(line)
            pointer.press("ctrl+e")
        assert len(triggered) == 2


async def test_keys_at_a_closed_list_only_open_it(bench: Bench, pointer: Pointer) -> None:
    """Arrows and letters select an item; Escape discards it, Enter applies it."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnRef(WORK, YEAR))
        pointer.show(bench.view)
        field = bench.view.form.column.checks.check
        pointer.move(bench.view.header)  # a list that opens under the pointer selects the item there
        field.setFocus()
        for keys in (("Down", "Down"), ("a", "r")):
            pointer.press(*keys)
            assert field.view().isVisible()
            pointer.press("Escape")
            assert titles(controller) == []
        pointer.press("Down", "Down", "Return")
        assert titles(controller) == ["Set “Values” of work.year to not empty"]


async def test_a_type_is_typed_into_its_cell(bench: Bench, pointer: Pointer) -> None:
    """A double click or a letter opens the list; leaving it without Enter changes nothing."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        pointer.show(bench.view)
        grid = bench.view.form.table.grid
        cell = grid.visualRect(grid.columns.index(1, TYPE)).center()
        pointer.double_click(grid.viewport(), cell)
        pointer.type("several")
        pointer.press("Escape", "Escape")
        assert titles(controller) == []
        assert controller.store.page.selection == TableRef(PERSON)
        pointer.move(bench.view.form.table.name)
        pointer.click(grid.viewport(), cell)
        pointer.type("one line")
        pointer.press("Return")
        await pointer.until(lambda: titles(controller))
        assert titles(controller) == ["Change the type of person.born from date to text_oneline"]


async def test_several_rows_are_removed_and_required_together(bench: Bench, pointer: Pointer) -> None:
    """Ctrl+click adds a row, a click on a check box applies to all rows, Delete removes all in one edit."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        pointer.show(bench.view)
        grid = bench.view.form.table.grid
        rows = [grid.visualRect(grid.columns.index(row, NAME)).center() for row in range(2)]
        pointer.click(grid.viewport(), rows[0])
        pointer.click(grid.viewport(), rows[1], keys="ctrl")
        pointer.click(grid.viewport(), grid.visualRect(grid.columns.index(0, REQUIRED)).center())
        assert titles(controller) == ["Make 2 columns of person required"]
        pointer.press("Delete")
        window = bench.view.window()
        await pointer.until(
            lambda: (asked := window.findChild(QWidget, "schema.removal")) and asked.isActiveWindow()
        )
        pointer.press("Return")
        await pointer.until(lambda: len(titles(controller)) == 2)
        assert controller.store.page.document.by_key[PERSON].columns == ()
        assert titles(controller)[1:] == ["Remove 2 columns of person"]
        pointer.press("ctrl+z")
        assert PERSON_BORN in controller.store.page.document.by_key[PERSON].by_key


async def test_enter_alone_adds_no_link(bench: Bench, pointer: Pointer) -> None:
    """No target is preselected; a table is found by typing, and a second Enter adds the link."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PLACE))
        pointer.show(bench.view)
        bench.actions["link_new"].trigger()
        dialog = bench.view.findChild(LinkDialog)
        assert dialog is not None
        pointer.settle(200)
        pointer.press("Return")
        assert dialog.isVisible()
        assert not dialog.accept_button.isEnabled()
        pointer.type("wor")
        assert dialog.target.found == ("work",)
        pointer.press("Return")
        assert dialog.isVisible()
        assert dialog.name.text() == "work"
        pointer.press("Return")
        assert titles(controller) == ["Add link place.work to work"]


async def test_columns_are_entered_and_dragged(bench: Bench, pointer: Pointer) -> None:
    """By keyboard alone from the name of a table on; then rows go to another place and another table."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        pointer.show(bench.view)
        pointer.press("ctrl+t")
        pointer.type("coin")
        pointer.press("Return")
        pointer.type("weight")
        pointer.press("Tab")
        pointer.type("whole")
        pointer.press("Return")
        pointer.type("mint")
        pointer.press("Tab")
        pointer.type("plac")
        pointer.press("Tab", "Tab")
        pointer.type("note")
        pointer.press("Return", "Escape")
        assert _names(controller, "coin") == ["weight", "mint", "note"]
        assert titles(controller)[:2] == ["Add table coin", "Add column coin.weight"]
        grid, tree = bench.view.form.table.grid, bench.view.tables.tree
        rows = [grid.visualRect(grid.columns.index(row, NAME)).center() for row in range(3)]
        pointer.drag_and_drop(grid.viewport(), rows[0], rows[2] + QPoint(0, 8))
        assert _names(controller, "coin") == ["mint", "note", "weight"]
        target = tree.visualRect(bench.view.tables.model.index_of(TableRef(WORK))).center()
        pointer.drag_and_drop(grid.viewport(), rows[1], target, tree.viewport())
        assert _names(controller, "coin") == ["mint", "weight"]
        assert _names(controller, "work")[-1] == "note"
        assert titles(controller)[-2:] == ["Move a column of coin", "Move a column from coin to work"]


def _names(controller: SchemaController, table: str) -> list[str]:
    document = controller.store.page.document
    return [column.name for each in document.tables if each.name == table for column in each.columns]
