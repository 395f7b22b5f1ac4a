"""Tests of tree, forms and grid: what somebody decides on becomes one step, and nothing else does."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.client import Session
from cdb_desktop.schema.places import ColumnPlace, TablePlace
from cdb_desktop.ui.schema.ask_sheets import LinkSheet, RemovalSheet
from cdb_desktop.ui.schema.columns_model import REQUIRED
from cdb_desktop.ui.schema.controller import SchemaController
from tests.desktop.schema.models import ARTIST, NOTE, PERSON, PERSON_NAME, PLACE, TITLE, WORK, YEAR
from tests.desktop.ui.schema.conftest import Bench

READER = Session(token="t")


async def test_a_name_is_one_step_when_it_is_done(bench: Bench) -> None:
    """Not one for each letter; Escape takes the letters back, undo the step."""
    async with bench.with_museum() as controller:
        controller.store.select(TablePlace(PLACE))
        name = bench.view.form.table.name
        bench.view.form.edit_name()
        QTest.keyClicks(name, "spot")
        QTest.keyClick(name, Qt.Key.Key_Escape)
        assert name.text() == "place"
        name.selectAll()
        QTest.keyClicks(name, "spot")
        QTest.keyClick(name, Qt.Key.Key_Return)
        assert _titles(controller) == ["Rename table place to spot"]
        QTest.keyClick(name, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert name.text() == "place"


async def test_the_form_of_a_column_makes_steps(bench: Bench) -> None:
    """Type, required, unique and check."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnPlace(WORK, YEAR))
        form = bench.view.form.column
        form.type.decided.emit("text")
        form.required.click()
        form.unique.click()
        form.checks.check.decided.emit("regexp")
        assert _titles(controller) == [
            "Change the type of work.year from number to text",
            "Set not_null of work.year to true",
            "Make work.year unique",
            "Set check of work.year to regexp",
        ]
        assert form.checks.fields["check_regexp"].isVisible()


async def test_only_types_that_the_service_allows_are_offered(bench: Bench) -> None:
    """A committed number becomes a text or a decimal, nothing else (wire §5)."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnPlace(WORK, YEAR))
        box = bench.view.form.column.type
        offered = {box.itemText(at) for at in range(box.count())}
        assert {"number", "text", "text_l10n_oneline", "integer.2"} <= offered
        assert offered.isdisjoint({"date", "boolean", "link", "eas"})


async def test_the_grid_edits_in_place(bench: Bench) -> None:
    """A tick is a step; nested tables have none."""
    async with bench.with_museum() as controller:
        controller.store.select(TablePlace(WORK))
        grid = bench.view.form.table.grid
        model = grid.columns
        places = [model.place(row) for row in range(model.rowCount())]
        row = places.index(ColumnPlace(WORK, YEAR))
        QTest.mouseClick(
            grid.viewport(),
            Qt.MouseButton.LeftButton,
            pos=grid.visualRect(model.index(row, REQUIRED)).center(),
        )
        assert _titles(controller) == ["Set not_null of work.year to true"]
        nested = model.index(places.index(TablePlace(NOTE)), REQUIRED)
        assert not model.flags(nested) & Qt.ItemFlag.ItemIsUserCheckable


async def test_keys_in_the_grid_mean_its_row(bench: Bench) -> None:
    """Not the table that is selected, which Delete would otherwise take away."""
    async with bench.with_museum() as controller:
        controller.store.select(TablePlace(PERSON))
        grid = bench.view.form.table.grid
        grid.setFocus()
        grid.setCurrentIndex(grid.columns.index(0, 0))
        QTest.keyClick(grid, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        QTest.keyClick(grid, Qt.Key.Key_Up)
        QTest.keyClick(grid, Qt.Key.Key_Delete)
        assert _titles(controller) == ["Move person.name", "Remove column person.born"]


async def test_new_elements_ask_for_their_names_at_once(bench: Bench) -> None:
    """The new column stands behind the selected one, and its name is being typed."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnPlace(WORK, TITLE))
        bench.actions["column_new"].trigger()
        assert bench.view.form.column.name.hasFocus()
        assert bench.view.form.column.name.selectedText() == "new_column"
        assert controller.store.page is not None
        columns = [column.name for column in controller.store.page.document.by_key[WORK].columns]
        assert columns[:3] == ["title", "new_column", "year"]


async def test_a_link_is_made_with_its_target(bench: Bench) -> None:
    """Its name is the target's until somebody types another one."""
    async with bench.with_museum() as controller:
        controller.store.select(TablePlace(PLACE))
        bench.actions["link_new"].trigger()
        sheet = bench.view.findChild(LinkSheet)
        assert sheet is not None
        sheet.target.setCurrentText("person")
        sheet.accept_button.click()
        assert _titles(controller) == ["Add link place.person to person"]


async def test_deleting_tells_what_goes_along(bench: Bench) -> None:
    """A table that others link to is deleted only after a look at the links."""
    async with bench.with_museum() as controller:
        controller.store.select(TablePlace(PERSON))
        bench.actions["element_delete"].trigger()
        sheet = bench.view.findChild(RemovalSheet)
        assert sheet is not None
        assert _titles(controller) == []
        assert isinstance(sheet.accept_button, QPushButton)
        sheet.accept_button.click()
        assert _titles(controller) == ["Remove table person"]
        bench.actions["schema_undo"].trigger()
        assert controller.store.page is not None
        assert ARTIST in controller.store.page.document.by_key[WORK].by_key


async def test_moving_changes_the_order(bench: Bench) -> None:
    """Alt+Down; at the end there is nothing to do."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnPlace(PERSON, PERSON_NAME))
        bench.actions["element_down"].trigger()
        assert _titles(controller) == ["Move person.name"]
        assert not bench.actions["element_down"].isEnabled()
        assert bench.actions["element_up"].isEnabled()


async def test_who_may_not_develop_can_look_at_everything(bench: Bench) -> None:
    """Fields are shown and closed (§5.2)."""
    async with bench.with_museum(session=READER) as controller:
        controller.store.select(ColumnPlace(WORK, TITLE))
        form = bench.view.form.column
        assert form.name.text() == "title"
        assert form.name.isReadOnly()
        assert not form.type.isEnabled()
        assert "system.datamodel.development" in bench.view.header.note


def _titles(controller: SchemaController) -> list[str]:
    assert controller.store.page is not None
    history = controller.store.page.editing.history
    return [str(state.title) for state in history.states[1 : history.position + 1]]
