"""Tests of tree, forms and grid: each finished input is one edit."""

from dataclasses import replace

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.client import Session
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import UPLINK, Column, TableEntry
from cdb_desktop.schema.edits.columns import SetColumnOptions
from cdb_desktop.ui.schema.controller import SchemaController
from cdb_desktop.ui.schema.form.columns_model import REQUIRED
from cdb_desktop.ui.schema.form.dialogs import LinkDialog, RemovalDialog
from cdb_desktop.ui.schema.form.fields import SettingsTable
from cdb_desktop.ui.schema.form.type_choices import all_types
from tests.desktop.patience import process_events
from tests.desktop.schema.models import (
    ARTIST,
    NOTE,
    NOTE_SOURCE,
    PERSON,
    PERSON_NAME,
    PLACE,
    TITLE,
    WORK,
    YEAR,
    column,
    museum,
    opened,
    table,
)
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.schema.conftest import Bench, titles

READER = Session(token="t")


async def test_a_typed_name_is_one_edit(bench: Bench) -> None:
    """Not one for each letter; Escape discards the letters, undo the edit."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PLACE))
        name = bench.view.form.table.name
        bench.view.form.edit_name()
        QTest.keyClicks(name, "spot")
        QTest.keyClick(name, Qt.Key.Key_Escape)
        assert name.text() == "place"
        name.selectAll()
        QTest.keyClicks(name, "spot")
        QTest.keyClick(name, Qt.Key.Key_Return)
        assert titles(controller) == ["Rename table place to spot"]
        QTest.keyClick(name, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert name.text() == "place"


async def test_the_form_of_a_column_edits_it(bench: Bench) -> None:
    """Type, required, unique and check."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnRef(WORK, YEAR))
        form = bench.view.form.column
        form.type.decided.emit("text")
        form.required.toggle()  # as assistive technology does
        form.unique.click()
        form.checks.check.decided.emit("regexp")
        assert titles(controller) == [
            "Change the type of work.year from number to text",
            "Set “Must have a value” of work.year to yes",
            "Make work.year unique",
            "Set “Values” of work.year to a regular expression",
        ]
        assert form.checks.fields["check_regexp"].isVisible()


def _type_setting(settings: SettingsTable, column: int, text: str, row: int = 0) -> None:
    item = settings.item(row, column)
    assert item is not None
    item.setText(text)


async def test_the_forms_edit_the_options_of_the_newer_interface(bench: Bench) -> None:
    """For services without them they are disabled or hidden, unless a document has them nevertheless."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PLACE))
        options = bench.view.form.table.options
        options["polyhierarchical"].toggle()
        assert not options["in_facets"].isEnabled()
        controller.store.select(ColumnRef(NOTE, NOTE_SOURCE))
        form = bench.view.form.column
        form.bidirectional.toggle()
        assert not form.checks.fields["default"].isEnabled()
        _type_setting(form.settings, 0, "icon")
        _type_setting(form.settings, 1, "bell")
        document = controller.store.page.document
        assert document.by_key[PLACE].flag("polyhierarchical")
        reference = {"column_id": NOTE_SOURCE, "column_name_hint": "source"}
        note = document.by_key[NOTE]
        assert note.bidirectional == [{"columns": [{UPLINK: True}, reference]}]
        assert note.by_key[NOTE_SOURCE].raw["custom_settings"] == {"icon": "bell"}
        form.bidirectional.click()
        assert controller.store.page.document.by_key[NOTE].bidirectional == []
        _type_setting(form.settings, 0, "")
        controller.store.put(replace(controller.store.page, has_extended_options=False))
        assert not form.settings.isVisible()
        assert not form.bidirectional.isEnabled()
        assert not form.checks.not_empty.isEnabled()
        assert form.checks.fields["default"].isEnabled()


async def test_custom_settings_that_are_no_texts_stay_so(bench: Bench) -> None:
    """Under another name, after an edit as JSON, and where a text or a name in use is refused."""
    async with bench.with_museum() as controller:
        ref = ColumnRef(WORK, YEAR)
        settings: dict[str, object] = {"size": {"width": 5, "a": [1]}, "shown": True, "count": 5}
        controller.store.apply(SetColumnOptions(ref, {"custom_settings": settings}))
        controller.store.select(ref)
        form = bench.view.form.column.settings
        _type_setting(form, 0, "extent")
        _type_setting(form, 1, "false", row=1)
        _type_setting(form, 0, "shown", row=2)
        _type_setting(form, 1, "{", row=0)
        found = controller.store.page.document.by_key[WORK].by_key[YEAR].raw["custom_settings"]
        assert found == {"extent": settings["size"], "shown": False, "count": 5}
        assert isinstance(found, dict)
        assert found["shown"] is False
        assert [form.model().index(row, 0).data() for row in range(3)] == [*found]


async def test_tab_goes_through_the_forms_from_the_top(bench: Bench) -> None:
    """Buttons of unique keys, which are made later, are where they are seen, too."""
    async with bench.with_museum() as controller:
        for ref in (TableRef(WORK), ColumnRef(WORK, YEAR), ColumnRef(WORK, ARTIST)):
            controller.store.select(ref)
            form = bench.view.form.currentWidget()
            await process_events()  # new buttons get their places
            assert form is not None
            places = _places_of_tab(form)
            assert len(places) > 5
            assert places == sorted(places)


async def test_only_types_that_the_service_allows_are_offered(bench: Bench) -> None:
    """A committed number can become a text or a decimal, nothing else (wire §5)."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnRef(WORK, YEAR))
        offered = set(bench.view.form.column.type.choices)
        assert {
            "Whole number (number)",
            "Text, several lines (text)",
            "Localized, one line (text_l10n_oneline)",
            "Decimal, 2 places (integer.2)",
        } <= offered
        refused = ("(date)", "(boolean)", "(link)", "(eas)")
        assert [one for one in offered if one.endswith(refused)] == []


async def test_the_grid_edits_in_place(bench: Bench) -> None:
    """A check mark is an edit; nested tables have none."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        grid = bench.view.form.table.grid
        model = grid.columns
        places = list(model.refs())
        row = places.index(ColumnRef(WORK, YEAR))
        QTest.mouseClick(
            grid.viewport(),
            Qt.MouseButton.LeftButton,
            pos=grid.visualRect(model.index(row, REQUIRED)).center(),
        )
        assert titles(controller) == ["Set “Must have a value” of work.year to yes"]
        nested = model.index(places.index(TableRef(NOTE)), REQUIRED)
        assert not model.flags(nested) & Qt.ItemFlag.ItemIsUserCheckable


async def test_keys_in_the_grid_are_for_its_row(bench: Bench) -> None:
    """Not for the selected table, which Delete would remove otherwise."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        grid.setFocus()
        grid.setCurrentIndex(grid.columns.index(0, 0))
        QTest.keyClick(grid, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        QTest.keyClick(grid, Qt.Key.Key_Up)
        QTest.keyClick(grid, Qt.Key.Key_Delete)
        assert titles(controller) == ["Move person.name", "Remove column person.born"]


async def test_a_change_of_several_rows_is_one_edit(bench: Bench) -> None:
    """They stay selected wherever they are moved; undo restores all of them."""
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    alt, plain = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier
    wanted = ("title", "year", "origin")
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(WORK))
        grid = bench.view.form.table.grid
        before = _entries(controller)
        for press, title, rows in (
            (Qt.Key.Key_Up, "Move 3 columns of work", ["title", "year", "artist", "origin", "", ""]),
            (Qt.Key.Key_Down, "Move 3 columns of work", ["artist", "title", "year", "", "", "origin"]),
            (Qt.Key.Key_Delete, "Remove 3 columns of work", ["artist", "", ""]),
        ):
            grid.clearSelection()
            for row, entry in enumerate(grid.columns.entries):
                if isinstance(entry, Column) and entry.name in wanted:
                    grid.selectionModel().setCurrentIndex(grid.columns.index(row, 0), flags)
            QTest.keyClick(grid, press, plain if press == Qt.Key.Key_Delete else alt)
            if press == Qt.Key.Key_Delete:
                child_of(bench.view, RemovalDialog).accept_button.click()
                assert len(grid.selectionModel().selectedRows()) == 1
            else:
                chosen = grid.selectionModel().selectedRows()
                assert {_name(grid.columns.entries[one.row()]) for one in chosen} == set(wanted)
            assert _entries(controller) == rows
            assert titles(controller) == [title]
            bench.actions["schema_undo"].trigger()
            assert _entries(controller) == before, press


async def test_a_check_mark_applies_to_all_selected_rows(bench: Bench) -> None:
    """The click keeps the selection; the next one undoes it for all."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        grid = bench.view.form.table.grid
        grid.selectAll()
        place = grid.visualRect(grid.columns.index(1, REQUIRED)).center()
        for title in ("Make 2 columns of person required", "Make 2 columns of person optional"):
            QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
            assert titles(controller)[-1] == title
            assert len(grid.selectionModel().selectedRows()) == 2
        assert len(titles(controller)) == 2


async def test_adding_a_column_with_its_name_is_one_edit(bench: Bench) -> None:
    """Its name is asked for at once, after the selected column. Undo removes it; a second name is an edit."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        before = _columns(controller, PERSON)
        bench.actions["column_new"].trigger()
        name = bench.view.form.column.name
        for typed, expected in (
            ("grave", ["Add column person.grave"]),
            ("tomb", ["Add column person.grave", "Rename column person.grave to tomb"]),
        ):
            name.selectAll()
            QTest.keyClicks(name, typed)
            QTest.keyClick(name, Qt.Key.Key_Return)
            assert titles(controller) == expected
        bench.actions["schema_undo"].trigger()
        bench.actions["schema_undo"].trigger()
        assert _columns(controller, PERSON) == before
        controller.store.select(ColumnRef(WORK, TITLE))
        bench.actions["column_new"].trigger()
        assert name.hasFocus()
        assert name.selectedText() == "new_column"
        assert _columns(controller)[:3] == ["title", "new_column", "year"]


async def test_a_link_is_added_with_its_target(bench: Bench) -> None:
    """The target's name is proposed; no target is preselected."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PLACE))
        bench.actions["link_new"].trigger()
        dialog = child_of(bench.view, LinkDialog)
        assert dialog.target.chosen is None
        assert not dialog.accept_button.isEnabled()
        QTest.keyClicks(dialog.target, "ERS")
        QTest.keyClick(dialog.target, Qt.Key.Key_Return)
        assert dialog.target.text() == dialog.name.text() == "person"
        dialog.accept_button.click()
        assert titles(controller) == ["Add link place.person to person"]


async def test_deleting_lists_what_is_removed_as_well(bench: Bench) -> None:
    """A table that others link to is deleted only after a confirmation."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bench.actions["element_delete"].trigger()
        dialog = child_of(bench.view, RemovalDialog)
        assert titles(controller) == []
        assert isinstance(dialog.accept_button, QPushButton)
        dialog.accept_button.click()
        assert titles(controller) == ["Remove table person"]
        bench.actions["schema_undo"].trigger()
        assert ARTIST in controller.store.page.document.by_key[WORK].by_key


async def test_moving_changes_the_order(bench: Bench) -> None:
    """Alt+Down; at the end nothing happens."""
    async with bench.with_museum() as controller:
        controller.store.select(ColumnRef(PERSON, PERSON_NAME))
        bench.actions["element_down"].trigger()
        assert titles(controller) == ["Move person.name"]
        assert not bench.actions["element_down"].isEnabled()
        assert bench.actions["element_up"].isEnabled()


async def test_without_the_right_to_develop_everything_is_read_only(bench: Bench) -> None:
    """Fields are visible but disabled (§5.2)."""
    async with bench.with_museum(session=READER) as controller:
        controller.store.select(ColumnRef(WORK, TITLE))
        form = bench.view.form.column
        assert form.name.text() == "title"
        assert form.name.isReadOnly()
        assert not form.type.isEnabled()
        assert "system.datamodel.development" in bench.view.header.note


def _places_of_tab(form: QWidget) -> list[tuple[int, int]]:
    """Where the widgets are that Tab visits, in this order: line and distance from the left."""
    found, widget = [], form.nextInFocusChain()
    while widget is not None and widget is not form:
        is_stop = widget.isVisibleTo(form) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if is_stop and form.isAncestorOf(widget):
            place = widget.mapTo(form, widget.rect().center())
            found.append((place.y() // 8, place.x()))
        widget = widget.nextInFocusChain()
    return found


def _name(entry: TableEntry) -> str:
    return entry.name if isinstance(entry, Column) else ""


def _entries(controller: SchemaController) -> list[str]:
    return [_name(entry) for entry in controller.store.page.document.by_key[WORK].entries]


def _columns(controller: SchemaController, table: int = WORK) -> list[str]:
    return [column.name for column in controller.store.page.document.by_key[table].columns]


def test_types_are_spelled_as_in_most_columns() -> None:
    """If no spelling prevails, as in real files."""
    raw = museum()
    columns = [column(90, "a", "integer.2"), column(91, "b", "decimal.2"), column(92, "c", "decimal.2")]
    raw["tables"].append(table(40, "prices", *columns))
    assert "integer.2" in all_types(opened(museum()))
    assert "decimal.2" in all_types(opened(raw))
    assert "integer.2" not in all_types(opened(raw))
