"""Tests of saved views and of columns."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QPushButton

from cdb_desktop.client import Sort
from cdb_desktop.events.query import Query
from cdb_desktop.events.saved_views import ColumnState
from cdb_desktop.foundation.files import Report
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.browser.columns_popup import ColumnsPopup
from cdb_desktop.ui.events.search.messages import SearchScope
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.events.views.controller import NamePopup, ViewController
from cdb_desktop.vocabulary.pattern import PatternKind
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.events.filters.test_filters import add_by_entry

USUAL = ("id", "time", "type", "user", "object")
QUERY = Query(types=("SEARCH",), sort=(Sort("timestamp"),))


def keeping(view: EventsView) -> ViewController:
    """What keeps the views."""
    found = view.findChild(ViewController)
    assert isinstance(found, ViewController)
    return found


def menu_of(view: EventsView) -> QMenu:
    """The menu of views."""
    found = view.findChild(QMenu, "events.views.menu")
    assert isinstance(found, QMenu)
    return found


async def test_a_view_is_named_and_opened_after_a_restart(browse: Browse, actions: Actions) -> None:
    """Query, order, columns and widths are as they were."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        controller.show_query(QUERY)
        view.columns.show(("type", "id", "objecttype"))
        view.table.horizontalHeader().resizeSection(0, 133)
        keeping(view)._ask_name()
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, NamePopup)
        QTest.keyClicks(popup.line, "Searches")
        QTest.keyClick(popup.line, Qt.Key.Key_Return)
        states = view.columns.states
    async with browse() as (view, controller):
        view.columns.apply(())
        controller.show_query(Query())
        actions["views"].trigger()
        entry = menu_of(view).actions()[0]
        assert entry.text() == "Searches"
        entry.trigger()
        assert controller.query == QUERY
        assert view.columns.states == states
        assert ColumnState("id", 133) in states
        assert set(view.columns.shown) == {"type", "id", "objecttype"}


@pytest.mark.parametrize("scope", [SearchScope.RESULT, SearchScope.LOADED, SearchScope.LOG])
async def test_a_view_has_the_search_that_was_open(
    browse: Browse, tmp_path: Path, scope: SearchScope
) -> None:
    """Text, place and options, from the file of a colleague too; a view without one closes it."""
    file, plain = tmp_path / "Failed.cdbview", tmp_path / "Plain.cdbview"
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        panel = view.panels.search
        keeping(view).share(plain)
        controller.show_query(QUERY)
        await until(lambda: "of" in view.count.text)
        view.panels.open_search()
        panel.kind.setCurrentIndex(panel.kind.findData(PatternKind.REGEX))
        panel.ignore_case.setChecked(False)
        panel.text.setText("Text|SEARCH")
        panel._search(scope)
        await until(lambda: panel.model.rowCount() and panel.go.text() == "Search")
        hits = panel.model.rowCount()
        keeping(view).share(file)
        keeping(view).open_file(plain)
        assert panel.isHidden()
        panel.text.clear()
        panel.ignore_case.setChecked(True)
        panel.kind.setCurrentIndex(0)
        controller.open_view_file(file)
        assert not panel.isHidden()
        assert (panel.text.text(), panel.kind.currentData()) == ("Text|SEARCH", PatternKind.REGEX)
        assert not panel.ignore_case.isChecked()
        await until(lambda: panel.model.rowCount() == hits and panel.go.text() == "Search")
        assert panel.saved is not None
        assert panel.saved.scope == scope.value


async def test_a_view_goes_to_others_as_a_file(browse: Browse, tmp_path: Path) -> None:
    """Who opens it has it among theirs; one of another version is refused in words, nothing changes."""
    file = tmp_path / "Deletions.cdbview"
    async with browse() as (view, controller):
        controller.show_query(QUERY)
        keeping(view).share(file)
        controller.show_query(Query())
        keeping(view).open_file(file)
        assert controller.query == QUERY
        assert [one.name for one in keeping(view).views] == ["Deletions"]
        file.write_bytes(file.read_bytes().replace(b'"version": 1', b'"version": 9'))
        keeping(view).open_file(file)
        assert "another version of the program (format 9, expected 1)" in view.notice.text
        keeping(view).open_file(tmp_path / "missing")
        assert view.notice.title == "Not opened: missing"
        await until(lambda: view.has_rows and not view.table.is_waiting)
        QTest.keyClick(view.table, Qt.Key.Key_Escape)
        assert view.notice.isHidden()
        keeping(view).share(tmp_path / "no" / "where")
        assert view.notice.title == "Not written: where"
        keeping(view).forget("Deletions")
        assert keeping(view).views == ()
        assert controller.query == QUERY
        controller.show_query(Query(types=("SEARCH",)))
        await until(view.notice.isHidden)


def test_trouble_with_a_file_is_over_with_the_next(view: EventsView, tmp_path: Path) -> None:
    """It is told which file and why; a notice of anything else stays."""
    keeper = ViewController(view, lambda: view.panels.search.saved)
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


def test_a_file_cannot_push_columns_out_of_sight(
    view: EventsView, again: Callable[[], EventsView], tmp_path: Path
) -> None:
    """Absurd widths are the usual ones, also such as an earlier program has kept."""
    keeper, file = ViewController(view, lambda: view.panels.search.saved), tmp_path / "wide.cdbview"
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


@pytest.mark.parametrize("way", ["sheet", "column_widths"])
async def test_usual_columns_have_their_usual_widths(browse: Browse, actions: Actions, way: str) -> None:
    """Whatever somebody has made of them."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        usual = view.columns.states
        for place in range(4):
            view.table.horizontalHeader().resizeSection(place, 999_999)
        if way == "sheet":
            actions["columns"].trigger()
            popup = QApplication.activePopupWidget()
            assert isinstance(popup, ColumnsPopup)
            button = next(one for one in popup.findChildren(QPushButton) if one.text() == "Reset")
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        else:
            actions["column_widths"].trigger()
        assert view.columns.states == usual


def test_long_names_make_no_wide_menu(view: EventsView, actions: Actions, tmp_path: Path) -> None:
    """Nor do they paint over anything; what is typed has an end too."""
    keeper, file = ViewController(view, lambda: view.panels.search.saved), tmp_path / "x.cdbview"
    actions["views"].triggered.connect(keeper.open_menu)
    keeper.share(file)
    for name in ("two\\nlines", "wide " * 80):
        file.write_text(file.read_text().replace('"name": "x"', f'"name": "{name}"'))
        keeper.open_file(file)
        assert "\n" not in view.count.text
        file.write_text(file.read_text().replace(f'"name": "{name}"', '"name": "x"'))
    actions["views"].trigger()
    menu = menu_of(view)
    texts = [one.text() for one in menu.actions()[:2]]
    assert texts[0] == "two lines"
    assert texts[1].startswith("wide wide")
    assert len(texts[1]) <= 60
    assert menu.sizeHint().width() < 700
    menu.close()


async def test_a_shared_view_keeps_its_name(browse: Browse, tmp_path: Path) -> None:
    """The file is called like it as far as systems allow; who has another of that name has both."""
    async with browse() as (view, controller):
        keeper = keeping(view)
        assert proposed(keeper) == "All events.cdbview"
        controller.show_query(QUERY)
        keeper.save("Who: searches?")
        assert proposed(keeper) == "Who searches.cdbview"
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
        assert proposed(keeper) == "Type EXPORT_FINISH.cdbview"


def proposed(keeper: ViewController) -> str:
    """The name that the dialog of files proposes."""
    keeper._ask_target()
    dialog = keeper._view.findChild(QFileDialog, "events.views.dialog")
    assert isinstance(dialog, QFileDialog)
    name = Path(dialog.selectedFiles()[0]).name
    dialog.reject()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return name


async def test_a_key_of_info_becomes_a_column(browse: Browse, actions: Actions) -> None:
    """Typed in the sheet of columns; the rows then bring their info, and secrets stay hidden."""
    async with browse() as (view, controller):
        await until(lambda: view.has_rows)
        controller.show_query(Query(types=("LOGIN_FAILED",)))
        await until(lambda: "of" in view.count.text)
        actions["columns"].trigger()
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, ColumnsPopup)
        for name in ("info.reason", "info.method"):
            add_by_entry(popup.list.search, name)
        QTest.keyClick(popup.list.search, Qt.Key.Key_Return)
        assert view.columns.shown == (*USUAL, "info.reason", "info.method")
        place = [column.name for column in view.model.columns].index("info.method")
        await until(lambda: view.model.data(view.model.index(0, place)) == "easydb")
        view.columns.show(USUAL)
        assert list(view.columns.shown) == list(USUAL)


def test_columns_are_as_they_were(view: EventsView, again: Callable[[], EventsView], qtbot: object) -> None:
    """Order, width and choice, by their names."""
    header = view.table.horizontalHeader()
    view.columns.show((*USUAL, "schema", "info.batch_id"))
    header.moveSection(header.visualIndex(2), 0)
    view.columns._keep()
    second = again()
    assert second.columns.shown == ("type", "id", "time", "user", "object", "schema", "info.batch_id")
    second.columns.apply(())
    assert list(second.columns.shown) == list(USUAL)


def test_broken_settings_are_none(view: EventsView, again: Callable[[], EventsView]) -> None:
    """What somebody has put into the settings cannot keep the program from starting."""
    view.settings.setValue("events/column_states", "{")
    view.settings.setValue("events/views", "{")
    assert again().columns.shown == USUAL
    assert ViewController(view, lambda: view.panels.search.saved).views == ()


def _full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)


async def test_a_full_disk_keeps_the_views_of_before(browse: Browse, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that could not be saved is never told to be saved."""
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        keeping(view).save("One")
        await until(lambda: "View saved: One" in view.count.text)
        with monkeypatch.context() as patch:
            _full_disk(patch)
            view.count.show_message("")
            keeping(view).save("Two")
            assert view.notice.isVisible()
            assert view.notice.title == "The views could not be saved"
            assert "No space left" in view.notice.text
            assert "View saved" not in view.count.text
            keeping(view).forget("One")
        assert [one.name for one in keeping(view).views] == ["One"]


async def test_two_windows_share_the_views(again: Callable[[], EventsView]) -> None:
    """What one saves or forgets, the other offers or does not, and neither overwrites the other."""
    first, second = again(), again()
    one, two = (ViewController(view, lambda: None) for view in (first, second))
    one.save("From the first")
    two.save("From the second")
    assert [view.name for view in one.views] == ["From the first", "From the second"]
    two.forget("From the first")
    one.save("Another")
    assert [view.name for view in two.views] == ["Another", "From the second"]


async def test_damaged_views_are_reported_once(
    again: Callable[[], EventsView], reports: list[Report]
) -> None:
    """With the name under which they are kept."""
    view = again()
    folder = Path(view.settings.fileName()).parent
    (folder / "views.json").write_bytes(b"\xff\xfe damaged")
    ViewController(view, lambda: view.panels.search.saved).open_menu()
    (report,) = reports
    assert report.kept is not None
    assert report.kept.read_bytes() == b"\xff\xfe damaged"
    menu_of(view).close()
    ViewController(view, lambda: view.panels.search.saved).open_menu()
    assert len(reports) == 1
    QApplication.closeAllWindows()


async def test_damaged_notes_and_queries_keep_nobody_from_the_events(
    browse: Browse, settings: QSettings, reports: list[Report]
) -> None:
    """The rows come, what is damaged is kept under another name and reported once."""
    folder = Path(settings.fileName()).parent
    (folder / "unfinished").mkdir()
    (folder / "unfinished" / "export-1.json").write_bytes(b'{"type":"export","home":"\xff\xfe')
    settings.setValue("events/queries", '{"root@')
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        kept = [*folder.glob("queries.json.damaged-*"), *folder.glob("unfinished/*.damaged-*")]
        assert [one.kept for one in reports] == kept
        assert kept[0].read_bytes() == b'{"root@'
    async with browse() as (view, _controller):
        await until(lambda: view.has_rows)
        assert len(reports) == 2
