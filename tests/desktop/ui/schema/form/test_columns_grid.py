"""Tests of the grid of columns as a spreadsheet: keys, clipboard, several columns, and dropped rows."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from cdb_desktop.client import Session
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Table
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.editor import PasteDialog
from cdb_desktop.ui.schema.form.columns_model import NAME, REQUIRED, TYPE
from cdb_desktop.ui.schema.form.table_form import ColumnsDialog
from tests.desktop.patience import until
from tests.desktop.schema.models import (
    ARTIST,
    NOTE,
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    PLACE,
    TITLE,
    WORK,
    YEAR,
)
from tests.desktop.ui.finding import child_of, focus_widget
from tests.desktop.ui.schema.conftest import Bench, titles

ENTER, TAB, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape


async def test_columns_are_entered_one_after_another(bench: Bench) -> None:
    """Enter goes on with the next column, Tab with the type, and a letter finds types and tables."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        grid.begin_new()
        _type("died", TAB)
        await until(lambda: focus_widget().objectName() == "schema.columns.type")
        _type("date (", ENTER)
        _type("home", TAB)
        await until(lambda: focus_widget().objectName() == "schema.columns.type")
        _type("plac", TAB)
        assert grid.currentIndex().column() == REQUIRED
        QTest.keyClick(grid, Qt.Key.Key_Space)
        QTest.keyClick(focus_widget(), TAB)
        _type("note", ENTER)
        QTest.keyClick(focus_widget(), ESCAPE)
        assert _names(controller, PERSON) == ["name", "born", "died", "home", "note"]
        table = _table(controller, PERSON)
        assert [column.type for column in table.columns[2:]] == ["date", "link", "text_oneline"]
        assert [key.target for key in table.foreign_keys] == [PLACE]
        assert table.columns[3].flag("not_null")
        assert titles(controller)[0] == "Add column person.died"


async def test_enter_after_the_name_of_a_new_table_begins_its_columns(bench: Bench) -> None:
    """A table is entered without the mouse; a half-typed name is added when the focus leaves."""
    async with bench.with_museum() as controller:
        bench.actions["table_new"].trigger()
        _type("coin", ENTER)
        await until(lambda: focus_widget().objectName() == "schema.columns.name")
        _type("weight", ENTER)
        QTest.keyClicks(focus_widget(), "metal")
        bench.view.form.table.comment.setFocus()
        await until(lambda: len(titles(controller)) == 3)
        assert titles(controller) == ["Add table coin", "Add column coin.weight", "Add column coin.metal"]


async def test_f2_edits_name_and_type(bench: Bench) -> None:
    """In the current cell; Enter ends it. Tab leaves the grid when nothing is being entered."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        grid = bench.view.form.table.grid
        grid.setFocus()
        row = grid.columns.refs().index(ColumnRef(WORK, ARTIST))
        grid.setCurrentIndex(grid.columns.index(row, TYPE))
        QTest.keyClick(grid, Qt.Key.Key_F2)
        await until(lambda: focus_widget().objectName() == "schema.columns.type")
        _type("place", ENTER)
        assert titles(controller) == ["Link work.artist to place"]
        assert grid.state() == grid.State.NoState
        grid.setCurrentIndex(grid.columns.index(row, NAME))
        QTest.keyClick(grid, Qt.Key.Key_F2)
        _type("from", ENTER)
        assert titles(controller)[1:] == ["Rename column work.artist to from"]
        assert grid.hasFocus()
        QTest.keyClick(grid, TAB)
        assert not grid.hasFocus()


async def test_several_columns_are_changed_in_one_step(bench: Bench) -> None:
    """The type in one row applies to all; Alt+Enter opens the dialog, where what is not touched stays."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        grid.setFocus()
        grid.selectAll()
        grid.columns.setData(grid.columns.index(1, TYPE), "text")
        assert titles(controller) == ["Change the type of 2 columns of person to text"]
        assert {column.type for column in _table(controller, PERSON).columns} == {"text"}
        bench.actions["schema_undo"].trigger()
        grid.selectAll()
        QTest.keyClick(grid, ENTER, Qt.KeyboardModifier.AltModifier)
        dialog = child_of(bench.view, ColumnsDialog)
        assert dialog.chosen.options == {}
        dialog.required.setCurrentIndex(1)
        dialog.unique.setCurrentIndex(1)
        QTest.keyClicks(dialog.lengths["length_max"], "4x0")
        dialog.accept_button.click()
        table = _table(controller, PERSON)
        assert [column.raw.get("length_max") for column in table.columns] == [40, 40]
        assert [column.raw.get("not_null") for column in table.columns] == [True, True]
        assert table.columns[0].raw["check"] == "regexp"
        assert {key.column_keys for key in table.unique_keys} == {(PERSON_NAME,), (PERSON_BORN,)}
        assert titles(controller) == ["Change 2 columns of person"]


async def test_rows_of_a_spreadsheet_are_pasted(bench: Bench) -> None:
    """After the selected row, in one step; changed names are said."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        grid.setFocus()
        grid.selectRow(0)
        _copy_text("Name\tType\tRequired\tLink\nFirst name\tvarchar(20)\tyes\t\nHome\t\t\tplace\nname\tint")
        bench.actions["element_paste"].trigger()
        assert _names(controller, PERSON) == ["name", "first_name", "home", "name_2", "born"]
        table = _table(controller, PERSON)
        assert [column.type for column in table.columns] == [
            "text_oneline",
            "text_oneline",
            "link",
            "number",
            "date",
        ]
        assert titles(controller) == ["Add 3 columns to person"]
        assert "First name → first_name" in bench.view.notice.text
        assert len(grid.selected_refs()) == 3
        bench.actions["schema_undo"].trigger()
        assert _names(controller, PERSON) == ["name", "born"]


async def test_unknown_types_are_resolved_once_for_all(bench: Bench) -> None:
    """In a dialog that appears only if there are any."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        _copy_text("a,blob\nb,blob\nc,link,,nowhere\nd,text")
        bench.actions["element_paste"].trigger()
        dialog = child_of(bench.view, PasteDialog)
        assert list(dialog.types) == ["blob"]
        assert list(dialog.targets) == ["nowhere"]
        assert not dialog.accept_button.isEnabled()
        for field, text in ((dialog.types["blob"], "(eas)"), (dialog.targets["nowhere"], "work")):
            field.setFocus()
            _type(text, ENTER, into=field)
        assert dialog.accept_button.isEnabled()
        dialog.accept_button.click()
        assert [column.type for column in _table(controller, PERSON).columns[2:]] == [
            "eas",
            "eas",
            "link",
            "text",
        ]
        assert [key.target for key in _table(controller, PERSON).foreign_keys] == [WORK]


async def test_other_text_leaves_the_draft_as_it_is(bench: Bench) -> None:
    """A message says why."""
    broken = (
        "x\n" * 10_000,
        "\x00\x01",
        "a\n\u202ebad",
        "{}",
        "{" * 50_000,
        '{"tables": [{"columns": 3}]}',
        "",
    )
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        for text in broken:
            bench.view.notice.hide()
            _copy_text(text)
            bench.actions["element_paste"].trigger()
            assert titles(controller) == []
            assert bench.view.notice.isVisible()
            assert bench.view.notice.text.startswith("Nothing was pasted.")


async def test_copied_rows_are_pasted_elsewhere_with_all_options(bench: Bench) -> None:
    """Nested tables go along; spreadsheets get text."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        grid = bench.view.form.table.grid
        grid.setFocus()
        grid.select_refs((ColumnRef(WORK, TITLE), TableRef(NOTE)))
        bench.actions["element_copy"].trigger()
        assert QGuiApplication.clipboard().text().startswith("name\ttype\trequired\tlink\tcomment\ntitle\t")
        controller.store.select(TableRef(PERSON))
        bench.actions["element_paste"].trigger()
        assert _names(controller, PERSON)[-1] == "title"
        assert _table(controller, PERSON).columns[-1].raw["remark"] == {"kept": [1, None]}
        assert "person__note" in _all_names(controller)
        assert titles(controller) == ["Paste 2 columns into person"]


async def test_duplicate_is_for_rows_columns_and_tables(bench: Bench) -> None:
    """One step each; the copies are selected."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        grid = bench.view.form.table.grid
        grid.setFocus()
        grid.select_refs((ColumnRef(WORK, TITLE), ColumnRef(WORK, YEAR)))
        bench.actions["element_duplicate"].trigger()
        assert _names(controller, WORK) == ["title", "year", "title_2", "year_2", "artist", "origin"]
        controller.store.select(ColumnRef(PERSON, PERSON_BORN))
        bench.actions["element_duplicate"].trigger()
        assert _names(controller, PERSON) == ["name", "born", "born_2"]
        controller.store.select(TableRef(WORK))
        bench.view.tables.tree.setFocus()
        bench.actions["element_duplicate"].trigger()
        assert {"work_2", "work_2__note", "work_2__note__mark"} <= _all_names(controller)
        assert titles(controller) == [
            "Duplicate 2 columns of work",
            "Duplicate a column of person",
            "Duplicate table work",
        ]


async def test_a_copied_table_is_pasted_from_its_text(bench: Bench) -> None:
    """As JSON, also from an editor; links without their table are said."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        bench.view.tables.tree.setFocus()
        bench.actions["element_copy"].trigger()
        text = QGuiApplication.clipboard().text()
        _copy_text(text.replace('"person"', '"nobody"'))
        bench.actions["element_paste"].trigger()
        assert "work_2" in _all_names(controller)
        assert "nobody" in bench.view.notice.text


async def test_rows_dropped_on_another_table_move_there(bench: Bench) -> None:
    """With a warning about the values of committed columns."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        grid.select_refs((ColumnRef(PERSON, PERSON_BORN),))
        bench.view.tables.columns_dropped.emit(PLACE, b"", True)
        assert _names(controller, PERSON) == ["name"]
        assert _names(controller, PLACE) == ["name", "born"]
        assert titles(controller) == ["Move a column from person to place"]
        assert "cannot move values" in bench.view.notice.text
        grid.moved.emit((grid.columns.ref(1),), 0)
        assert _names(controller, PLACE) == ["born", "name"]
        grid.rows_dropped.emit(grid.columns.copied((grid.columns.ref(0),)), 2)
        assert _names(controller, PLACE) == ["born", "name", "born_2"]


async def test_readers_can_copy_but_change_nothing(bench: Bench) -> None:
    """The grid has no row for new columns, and the commands do nothing."""
    async with bench.with_museum(session=Session(token="t")) as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        assert grid.columns.rowCount() == 2
        grid.begin_new()
        QTest.keyClick(grid, ENTER)
        _copy_text("a\nb")
        bench.actions["element_paste"].trigger()
        bench.actions["element_copy"].trigger()
        assert QGuiApplication.clipboard().text() != "a\nb"
        assert titles(controller) == []


def _type(text: str, key: Qt.Key, into: QWidget | None = None) -> None:
    """Types as a user does: an open list of choices gets the keys."""
    target = into or focus_widget()
    for letter in text:
        _send(target, letter)
    popup = QApplication.activePopupWidget()
    QTest.keyClick(popup or target, key)


def _send(target: QWidget, letter: str) -> None:
    if isinstance(target, QLineEdit):
        QTest.keyClicks(target, letter)


def _copy_text(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _table(controller: SchemaController, key: int) -> Table:
    return controller.store.page.document.by_key[key]


def _names(controller: SchemaController, key: int) -> list[str]:
    return [column.name for column in _table(controller, key).columns]


def _all_names(controller: SchemaController) -> set[str]:
    return {table.name for table in controller.store.page.document.tables}
