"""Tests that the palette of a window finds settings, tables, saved views and events, with a real service."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from cdb_desktop.queries.query import Query
from cdb_desktop.schema.document.element_ref import TableRef
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.palette.palette import CommandPalette
from cdb_desktop.ui.shell.settings.language import LanguageSetting
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.shell.conftest import Work


def _type(window: MainWindow, text: str) -> CommandPalette:
    """Opens the palette and types a text."""
    window.actions_by_name["palette"].trigger()
    palette = window.findChild(CommandPalette)
    assert isinstance(palette, CommandPalette)
    assert palette.isVisible()
    QTest.keyClicks(palette.field, text)
    return palette


def _take(palette: CommandPalette, title: str) -> None:
    """Goes to a row with the arrow key and runs it."""
    titles = [row.title for row in palette.model.rows]
    for _step in range(titles.index(title)):
        QTest.keyClick(palette.field, Qt.Key.Key_Down)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()


async def test_a_table_opens_on_the_schema_page(open_window: Work) -> None:
    """From the event browser, before the schema has ever been shown."""
    async with open_window() as (window, workspace):
        await until(lambda: workspace.events_view.has_rows)
        palette = _type(window, "work")
        await until(lambda: "work" in [row.title for row in palette.model.rows])
        document = workspace.schema.view.document
        assert document is not None
        _take(palette, "work")
        assert window.actions_by_name["schema"].isChecked()
        (table,) = (one for one in document.tables if one.name == "work")
        page = workspace.schema.controller.store.page
        assert page.selection == TableRef(table.key)


async def test_a_saved_view_and_an_event_open_in_the_browser(open_window: Work) -> None:
    """By name and by id; other texts are searched."""
    async with open_window() as (window, workspace):
        view, events = workspace.events_view, workspace._events
        await until(lambda: view.has_rows)
        events.show_query(Query(types=("LOGIN_FAILED",)))
        events.views.save("Broken sign-ins")
        events.show_query(Query())
        await until(lambda: view.has_rows and not view.table.is_waiting)
        window.actions_by_name["settings"].setChecked(True)
        _take(_type(window, "brok"), "Broken sign-ins")
        assert window.actions_by_name["events"].isChecked()
        assert events.query == Query(types=("LOGIN_FAILED",))
        first = view.model.event_at(0)
        assert first is not None
        QTest.keyClick(_type(window, str(first.id)).field, Qt.Key.Key_Return)
        await until(lambda: (shown := view.inspector.details) is not None and shown.event.id == first.id)
        _take(_type(window, "zzyzx"), "Search the events for “zzyzx”")
        assert [condition.text for condition in events.query.conditions] == ["zzyzx"]


@pytest.fixture
def language(qapp: QApplication, settings: QSettings) -> LanguageSetting:
    """The setting of the window."""
    settings.setValue("language", "en")
    return LanguageSetting(qapp, settings)


@pytest.fixture
def window(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, language: LanguageSetting
) -> MainWindow:
    """A window without a connection, in which the language can be chosen."""
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.show()
    window.offline_pages.settings.choices.chosen.connect(lambda _name, choice: language.choose(choice))
    return window


def test_a_language_is_chosen_by_any_of_its_names(window: MainWindow, language: LanguageSetting) -> None:
    """The page of settings stays hidden, and shows the choice later."""
    QTest.keyClick(_type(window, "german").field, Qt.Key.Key_Return)
    assert str(language.choice) == "de"
    assert not window.offline_pages.settings.isVisible()
    box = window.findChild(QComboBox, "settings.language")
    assert isinstance(box, QComboBox)
    assert box.currentData() == "de"
    _take(_type(window, "english"), "Language: English")
    assert str(language.choice) == "en"


def test_a_setting_opens_its_page(window: MainWindow) -> None:
    """With the focus on it."""
    _take(_type(window, "poll int"), "Poll interval")
    assert window.actions_by_name["settings"].isChecked()
    box = window.findChild(QComboBox, "settings.live.interval")
    assert window.focusWidget() is box


def test_a_text_that_nothing_has_is_said_so(window: MainWindow) -> None:
    """Without a connection events cannot be searched."""
    palette = _type(window, "zzyzx")
    assert not palette.model.rows
    assert palette._nothing.text() == "Nothing has this name."
