"""Tests of saved views and of columns."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QPushButton

from cdb_desktop.client import Sort
from cdb_desktop.foundation.files import Report
from cdb_desktop.queries.query import Query
from cdb_desktop.queries.saved_views import ColumnState
from cdb_desktop.ui.actions import Actions, plain
from cdb_desktop.ui.events.browser.columns_popup import ColumnsPopup
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views import ViewController
from cdb_desktop.ui.widgets.popup import NamePopup
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.profile_key import ProfileKey
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse, ended
from tests.desktop.ui.events.filters.test_filters import add_by_entry
from tests.desktop.ui.finding import child_of, open_popup

USUAL = ("id", "time", "type", "user", "object", "summary")
PROFILE = ProfileKey("museum", "root")
QUERY = Query(types=("SEARCH",), sort=(Sort("timestamp"),))


def views_controller(view: EventsView) -> ViewController:
    """The controller of the views."""
    return child_of(view, ViewController)


def menu_of(view: EventsView) -> QMenu:
    """The menu of views."""
    return child_of(view, QMenu, "events.views.menu")


async def test_a_view_is_named_and_opened_after_a_restart(browse: Browse, actions: Actions) -> None:
    """It restores query, order, columns and widths."""
    async with browse() as (view, controller):
        controller.show_query(QUERY)
        view.columns.show(("type", "id", "objecttype"))
        view.table.horizontalHeader().resizeSection(0, 133)
        views_controller(view)._ask_name()
        popup = open_popup(NamePopup)
        QTest.keyClicks(popup.line, "Searches")
        QTest.keyClick(popup.line, Qt.Key.Key_Return)
        states = view.columns.states
    async with browse() as (view, controller):
        view.columns.apply(())
        controller.show_query(Query())
        actions["views"].trigger()
        entry = menu_of(view).actions()[0]
        assert plain(entry.text()) == "Searches"
        entry.trigger()
        assert controller.query == QUERY
        assert view.columns.states == states
        assert ColumnState("id", 133) in states
        assert set(view.columns.shown) == {"type", "id", "objecttype"}


async def test_a_view_contains_the_search(browse: Browse, tmp_path: Path) -> None:
    """What the query looks for is a part of it, also in an imported file."""
    file = tmp_path / "Failed.cdbview"
    query = replace(QUERY, conditions=(Condition("Text|SEARCH", PatternKind.REGEX, is_exact=True),))
    async with browse() as (view, controller):
        controller.show_query(query)
        await until(lambda: ended(view))
        views_controller(view).share(file)
        controller.show_query(Query())
        await until(lambda: view.has_rows and not ended(view))
        controller.views.open_file(file)
        await until(lambda: ended(view))
        assert controller.query == query


async def test_a_view_is_shared_as_a_file(browse: Browse, tmp_path: Path) -> None:
    """Opening the file adds the view; a file of another version is refused with a message."""
    file = tmp_path / "Deletions.cdbview"
    async with browse() as (view, controller):
        controller.show_query(QUERY)
        views_controller(view).share(file)
        controller.show_query(Query())
        views_controller(view).open_file(file)
        assert controller.query == QUERY
        assert [one.name for one in views_controller(view).views] == ["Deletions"]
        file.write_bytes(file.read_bytes().replace(b'"version": 1', b'"version": 9'))
        views_controller(view).open_file(file)
        assert "another version of the program (format 9, expected 2)" in view.notice.text
        views_controller(view).open_file(tmp_path / "missing")
        assert view.notice.title == "Not opened: missing"
        await until(lambda: view.has_rows and not view.table.is_waiting)
        QTest.keyClick(view.table, Qt.Key.Key_Escape)
        assert view.notice.isHidden()
        views_controller(view).share(tmp_path / "no" / "where")
        assert view.notice.title == "Not written: where"
        views_controller(view).forget("Deletions")
        assert views_controller(view).views == ()
        assert controller.query == QUERY
        undo = child_of(view, QPushButton, "events.views.undo")
        undo.click()
        assert [one.name for one in views_controller(view).views] == ["Deletions"]
        controller.show_query(Query(types=("SEARCH",)))
        await until(view.notice.isHidden)


def test_the_next_file_removes_the_error_of_the_last(view: EventsView, tmp_path: Path) -> None:
    """The error names the file and the reason; other notices stay."""
    keeper = ViewController(view, PROFILE)
    good, broken = tmp_path / "good.cdbview", tmp_path / "broken.cdbview"
    keeper.share(good)
    broken.write_bytes(good.read_bytes().replace(b'"sort": []', b'"sort": [{"field": "mood"}]'))
    keeper.open_file(broken)
    assert view.notice.title == "Not opened: broken.cdbview"
    assert "“mood” is not a known value of “query.sort.field”" in view.notice.text
    broken.write_bytes(b"{\n5")
    keeper.open_file(broken)
    assert "line 2" in view.notice.text
    keeper.open_file(good)
    assert not view.notice.isVisible()
    view.notice.show_notice("warning", "Other", "Something else")
    keeper.open_file(good)
    assert view.notice.isVisible()


def test_invalid_widths_are_ignored(
    view: EventsView, again: Callable[[], EventsView], tmp_path: Path
) -> None:
    """In a file and in the settings, where an earlier version may have stored them."""
    keeper, file = ViewController(view, PROFILE), tmp_path / "wide.cdbview"
    usual = view.columns.states
    keeper.share(file)
    text = file.read_text()
    for state in usual:
        text = text.replace(f'"width": {state.width}', '"width": 999999')
    file.write_text(text)
    keeper.open_file(file)
    assert view.table.horizontalHeader().length() < 2_000
    assert [state.width for state in view.columns.states[:4]] == [state.width for state in usual[:4]]
    view.settings.setValue("events/column_states", '[{"name": "time", "width": 999999}, {"name": "type"}]')
    assert again().table.horizontalHeader().length() < 2_000


async def test_the_default_view_has_default_widths(browse: Browse, actions: Actions) -> None:
    """Whatever widths the user has set; by an action, or by a button of the popup."""
    async with browse() as (view, _controller):
        usual = view.columns.states

        def widen() -> None:
            for place in range(4):
                view.table.horizontalHeader().resizeSection(place, 999_999)

        widen()
        actions["column_widths"].trigger()
        assert view.columns.states == usual
        widen()
        actions["columns"].trigger()
        popup = open_popup(ColumnsPopup)
        button = next(one for one in popup.findChildren(QPushButton) if one.text() == "Reset")
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert view.columns.states == usual


def test_long_names_are_elided_in_the_menu(view: EventsView, actions: Actions, tmp_path: Path) -> None:
    """They do not overlap other texts, and the input is limited."""
    keeper, file = ViewController(view, PROFILE), tmp_path / "x.cdbview"
    actions["views"].triggered.connect(keeper.open_menu)
    keeper.share(file)
    for name in ("two\\nlines", "wide " * 80):
        file.write_text(file.read_text().replace('"name": "x"', f'"name": "{name}"'))
        keeper.open_file(file)
        assert "\n" not in view.count.text
        file.write_text(file.read_text().replace(f'"name": "{name}"', '"name": "x"'))
    actions["views"].trigger()
    menu = menu_of(view)
    texts = [plain(one.text()) for one in menu.actions()[:2]]
    assert texts[0] == "two lines"
    assert texts[1].startswith("wide wide")
    assert len(texts[1]) <= 60
    assert menu.sizeHint().width() < 700
    menu.close()


async def test_a_shared_view_keeps_its_name(browse: Browse, tmp_path: Path) -> None:
    """The file name is derived from it; an existing view of that name is kept as well."""
    async with browse() as (view, controller):
        keeper = views_controller(view)
        assert proposed_name(keeper) == "All events.cdbview"
        controller.show_query(QUERY)
        keeper.save("Who: searches?")
        assert proposed_name(keeper) == "Who searches.cdbview"
        file = tmp_path / "other.cdbview"
        keeper.share(file)
        keeper.open_file(file)
        assert [one.name for one in keeper.views] == ["Who: searches?"]
        controller.show_query(Query())
        keeper.save("Who: searches?")
        keeper.open_file(file)
        assert [one.name for one in keeper.views] == ["Who: searches?", "Who: searches? (2)"]
        assert controller.query == QUERY
        await until(lambda: view.count.text.startswith("View: Who: searches? (2)"))
        controller.show_query(Query(types=("EXPORT_FINISH",)))
        assert proposed_name(keeper) == "Type EXPORT_FINISH.cdbview"


def proposed_name(keeper: ViewController) -> str:
    """The file name that the dialog proposes."""
    keeper.ask_target()
    dialog = child_of(keeper._view, QFileDialog, "events.views.dialog")
    name = Path(dialog.selectedFiles()[0]).name
    dialog.reject()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return name


@pytest.mark.generation5("types are named otherwise there")
async def test_a_key_of_info_becomes_a_column(browse: Browse, actions: Actions) -> None:
    """Typed into the columns popup; rows then contain info, with masked secrets."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("LOGIN_FAILED",)))
        await until(lambda: "of" in view.count.text)
        actions["columns"].trigger()
        popup = open_popup(ColumnsPopup)
        for name in ("info.reason", "info.method"):
            add_by_entry(popup.list.search, name)
        QTest.keyClick(popup.list.search, Qt.Key.Key_Return)
        assert view.columns.shown == (*USUAL, "info.reason", "info.method")
        place = [column.name for column in view.model.columns].index("info.method")
        await until(lambda: view.model.data(view.model.index(0, place)) == "easydb")
        view.columns.show(USUAL)
        assert list(view.columns.shown) == list(USUAL)


def test_columns_are_restored(view: EventsView, again: Callable[[], EventsView], qtbot: object) -> None:
    """Order, width and visibility, by column name."""
    header = view.table.horizontalHeader()
    view.columns.show((*USUAL, "schema", "info.batch_id"))
    header.moveSection(header.visualIndex(2), 0)
    view.columns._keep()
    second = again()
    assert second.columns.shown == (
        "type",
        "id",
        "time",
        "user",
        "object",
        "summary",
        "schema",
        "info.batch_id",
    )
    second.columns.apply(())
    assert list(second.columns.shown) == list(USUAL)


def test_invalid_settings_are_ignored(view: EventsView, again: Callable[[], EventsView]) -> None:
    """They do not prevent the program from starting."""
    view.settings.setValue("events/column_states", "{")
    view.settings.setValue("events/views", "{")
    assert again().columns.shown == USUAL
    assert ViewController(view, PROFILE).views == ()


def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)


async def test_a_full_disk_keeps_the_stored_views(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that could not be saved is not reported as saved."""
    async with browse() as (view, _controller):
        views_controller(view).save("One")
        await until(lambda: "View saved: One" in view.count.text)
        with monkeypatch.context() as patch:
            _full_disk(patch)
            view.count.show_message("")
            views_controller(view).save("Two")
            assert view.notice.isVisible()
            assert view.notice.title == "The views could not be saved"
            assert "No space left" in view.notice.text
            assert "View saved" not in view.count.text
            views_controller(view).forget("One")
        assert [one.name for one in views_controller(view).views] == ["One"]


async def test_two_windows_share_the_views(again: Callable[[], EventsView]) -> None:
    """Each one offers what the other has saved, and neither overwrites the other."""
    first, second = again(), again()
    one, two = (ViewController(view, PROFILE) for view in (first, second))
    one.save("From the first")
    two.save("From the second")
    assert [view.name for view in one.views] == ["From the first", "From the second"]
    two.forget("From the first")
    one.save("Another")
    assert [view.name for view in two.views] == ["Another", "From the second"]


async def test_damaged_views_are_reported_once(
    again: Callable[[], EventsView], reports: list[Report]
) -> None:
    """With the name of the file to which they were moved."""
    view = again()
    folder = Path(view.settings.fileName()).parent
    (folder / "views-2.json").write_bytes(b"\xff\xfe damaged")
    ViewController(view, PROFILE).open_menu()
    (report,) = reports
    assert report.kept is not None
    assert report.kept.read_bytes() == b"\xff\xfe damaged"
    menu_of(view).close()
    ViewController(view, PROFILE).open_menu()
    assert len(reports) == 1
    QApplication.closeAllWindows()


async def test_damaged_files_do_not_prevent_loading_events(
    browse: Browse, settings: QSettings, reports: list[Report]
) -> None:
    """Damaged files are renamed and reported once."""
    folder = Path(settings.fileName()).parent
    (folder / "unfinished").mkdir()
    (folder / "unfinished" / "export-1.json").write_bytes(b'{"type":"export","home":"\xff\xfe')
    settings.setValue("events/queries", '{"root@')
    async with browse() as (_view, _controller):
        kept = [*folder.glob("queries-2.json.damaged-*"), *folder.glob("unfinished/*.damaged-*")]
        assert [one.kept for one in reports] == kept
        assert kept[0].read_bytes() == b'{"root@'
    async with browse() as (_view, _controller):
        assert len(reports) == 2
