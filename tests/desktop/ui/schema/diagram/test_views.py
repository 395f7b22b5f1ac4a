"""Tests of named views of the diagram, in the window and over starts of the program."""

from PySide6.QtWidgets import QMenu, QPushButton

from cdb_desktop.schema.diagram.model import Point
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.schema.edits.tables import AddTable, RenameTable
from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.widgets.popup import NamePopup
from tests.desktop.patience import until
from tests.desktop.schema.models import PERSON, WORK
from tests.desktop.ui.finding import child_of, open_popup
from tests.desktop.ui.menus import open_menu
from tests.desktop.ui.schema.conftest import Bench
from tests.desktop.ui.schema.diagram.shown import EVERY, scope_bar, shown_tables, table_places


async def test_a_view_is_kept_over_starts(bench: Bench, next_bench: Bench) -> None:
    """With tables, positions and zoom, although a table has another name and others were moved since."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_focus"].trigger()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK})
        _move(bench.view, PERSON, (700.0, 350.0))
        bench.view.diagram.zoom_out()
        zoom, places = bench.view.diagram.zoom, table_places(bench.view)
        _save(bench, "People & works")
        assert scope_bar(bench.view).text == "View “People & works” · 2 of 4 tables"
        bench.actions["scope_back"].trigger()
        await until(lambda: shown_tables(bench.view) == {PERSON, WORK})
        bench.actions["scope_back"].trigger()
        assert shown_tables(bench.view) == EVERY
    async with next_bench.with_museum() as controller:
        controller.store.apply(RenameTable(WORK, "artwork"))
        _choose(next_bench, "&1  People && works")
        assert table_places(next_bench.view) == places
        assert next_bench.view.diagram.zoom == zoom


async def test_a_changed_view_is_updated_on_request(bench: Bench) -> None:
    """Until then it can be opened again as it was."""
    async with bench.with_museum() as controller:
        before = table_places(bench.view)
        _save(bench, "Everything")
        _move(bench.view, PERSON, (900.0, 10.0))
        _choose(bench, "&1  Everything")
        assert table_places(bench.view) == before
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        assert _update_offered(bench)
        _choose(bench, "Update", "Everything")
        assert not _update_offered(bench)
        bench.actions["schema_view_previous"].trigger()
        assert shown_tables(bench.view) == EVERY
        bench.actions["schema_view_next"].trigger()
        assert shown_tables(bench.view) == EVERY - {PERSON}


async def test_views_are_renamed_deleted_and_brought_back(bench: Bench) -> None:
    """Deleting the view that is shown shows what was shown before."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        _save(bench, "Few")
        _rename(bench, "Few", "Fewer")
        assert scope_bar(bench.view).text.startswith("View “Fewer”")
        _choose(bench, "Delete", "Fewer")
        assert scope_bar(bench.view).text == "1 table hidden · 3 of 4 tables"
        assert _entries(bench) == ["All tables", "Save as a view…", "Bring “Fewer” back"]
        _choose(bench, "Bring “Fewer” back")
        assert "1  Fewer" in _entries(bench)[1]


async def test_a_new_view_takes_nothing_of_a_deleted_one(bench: Bench) -> None:
    """The way back leads past views that are not there any more."""
    async with bench.with_museum() as controller:
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        _save(bench, "Few")
        _choose(bench, "0  All tables")
        _choose(bench, "Delete", "Few")
        controller.store.select(TableRef(WORK))
        bench.actions["scope_hide"].trigger()
        _save(bench, "Others")
        seen = [scope_bar(bench.view).text]
        while bench.actions["scope_back"].isEnabled():
            bench.actions["scope_back"].trigger()
            seen.append(scope_bar(bench.view).text)
        assert seen == [
            "View “Others” · 3 of 4 tables",
            "1 table hidden · 3 of 4 tables",
            "",
            "1 table hidden · 3 of 4 tables",
            "",
        ]


async def test_renaming_replaces_the_view_that_is_shown(bench: Bench) -> None:
    """Then what was shown before it is shown, and not a view without a name."""
    async with bench.with_museum() as controller:
        _save(bench, "All")
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        _save(bench, "Few")
        _rename(bench, "All", "Few")
        assert scope_bar(bench.view).text == "View “Few” · 3 of 4 tables · 1 table hidden"
        assert shown_tables(bench.view) == EVERY - {PERSON}
        _choose(bench, "&1  Few")
        assert shown_tables(bench.view) == EVERY


async def test_a_view_of_everything_shows_new_tables(bench: Bench) -> None:
    """A view of some tables only those that are made while it is shown."""
    async with bench.with_museum() as controller:
        _save(bench, "All")
        _choose(bench, "0  All tables")
        controller.store.select(TableRef(PERSON))
        bench.actions["scope_hide"].trigger()
        _save(bench, "Some")
        _choose(bench, "0  All tables")
        edit = AddTable("guestbook")
        controller.store.apply(edit)
        _choose(bench, "&1  All")
        assert shown_tables(bench.view) == EVERY | {edit.key}
        _choose(bench, "&2  Some")
        assert shown_tables(bench.view) == EVERY - {PERSON}


def _save(bench: Bench, name: str) -> None:
    bench.actions["schema_view_save"].trigger()
    popup = open_popup(NamePopup)
    popup.line.setText(name)
    popup.confirm()


def _menu(bench: Bench) -> QMenu:
    bench.actions["schema_views"].trigger()
    return open_menu()


def _entries(bench: Bench) -> list[str]:
    menu = _menu(bench)
    texts = [plain(action.text()).strip() for action in menu.actions() if action.text()]
    menu.close()
    return [text.removeprefix("0  ") for text in texts]


def _choose(bench: Bench, *texts: str) -> None:
    """Chooses an entry of the menu, or one of its submenu."""
    menu = top = _menu(bench)
    for text in texts:
        found = [one for one in menu.actions() if text in (one.text(), plain(one.text()))]
        assert found, [one.text() for one in menu.actions()]
        below = found[0].menu()
        if isinstance(below, QMenu):
            menu = below
        else:
            found[0].trigger()
    top.close()


def _rename(bench: Bench, before: str, after: str) -> None:
    _choose(bench, "Rename", before)
    popup = open_popup(NamePopup)
    popup.line.setText(after)
    popup.confirm()


def _update_offered(bench: Bench) -> bool:
    return child_of(bench.view, QPushButton, "schema.scope.update").isVisible()


def _move(view: SchemaView, table: int, to: Point) -> None:
    view.diagram.moved.emit(table, *to)
    view.diagram.settled.emit()
