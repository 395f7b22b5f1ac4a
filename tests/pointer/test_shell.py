"""Tests of the window with a real pointer and keyboard: Edit menu, keys of the start page, Escape."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.actions import plain
from cdb_desktop.ui.connection.start_view import StartTile
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from tests.pointer.conftest import Pointer


@pytest.fixture
def window(qtbot: QtBot, pointer: Pointer, qapp: QApplication, tmp_path: Path) -> MainWindow:
    """The window without a connection."""
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("appearance", "light")
    window = MainWindow(Appearance(qapp, settings), settings)
    qtbot.addWidget(window)
    window.resize(1200, 680)
    window.start.show_choices()
    pointer.show(window)
    return window


@pytest.mark.parametrize("key", ["Return", "space", "KP_Enter"])
def test_cards_of_the_start_page_are_triggered_by_key(
    qtbot: QtBot, pointer: Pointer, window: MainWindow, key: str
) -> None:
    """The card with the focus, which has a ring."""
    tile = _tile(window, "connect")
    tile.setFocus()
    with qtbot.waitSignal(window.actions_by_name["connect"].triggered):
        pointer.press(key)


def test_the_edit_menu_applies_to_the_focused_field(pointer: Pointer, window: MainWindow) -> None:
    """The field keeps the focus while the menu is open."""
    field = _search(pointer, window)
    assert _entries(pointer, window) == {"Select all", "Undo", *_ALWAYS}
    _take(pointer, window, "Undo")
    assert field.text() == ""
    _take(pointer, window, "Redo")
    assert field.text() == "rights"
    _take(pointer, window, "Select all")
    assert field.selectedText() == "rights"
    _take(pointer, window, "Copy")
    assert QApplication.clipboard().text() == "rights"


def test_ctrl_y_redoes_in_a_field(pointer: Pointer, window: MainWindow) -> None:
    """Like Ctrl+Shift+Z."""
    field = _search(pointer, window)
    for key in ("ctrl+y", "ctrl+shift+z"):
        pointer.press("ctrl+z")
        assert field.text() == ""
        pointer.press(key)
        assert field.text() == "rights"


def test_the_edit_menu_copies_from_a_table(pointer: Pointer, window: MainWindow) -> None:
    """Like Ctrl+C in the table."""
    _search(pointer, window)
    pointer.press("Down", "Down")
    pointer.press("ctrl+c")
    copied = QApplication.clipboard().text()
    assert copied
    QApplication.clipboard().clear()
    _take(pointer, window, "Copy")
    assert QApplication.clipboard().text() == copied


def test_escape_closes_the_innermost_part(pointer: Pointer, window: MainWindow) -> None:
    """The palette before the page; a click elsewhere closes the palette as well."""
    field = _search(pointer, window)
    pointer.press("ctrl+k")
    palette = QApplication.focusWidget()
    assert palette is not None
    assert palette is not field
    pointer.press("Escape")
    assert QApplication.focusWidget() is field
    assert field.text() == "rights"
    pointer.press("ctrl+k")
    pointer.click(field)
    assert not palette.isVisible()


def test_escape_closes_the_notice_of_the_window(pointer: Pointer, window: MainWindow) -> None:
    """Wherever the focus is, unless the focused widget handles Escape."""
    window.notice.show_notice("warning", "Signed out", "What is shown stays.")
    _tile(window, "demo").setFocus()
    pointer.press("Escape")
    assert not window.notice.isVisible()


_ALWAYS = {"Find an action…", "Settings"}


def _tile(window: MainWindow, name: str) -> StartTile:
    found = window.findChild(StartTile, f"connection.start.{name}")
    assert found is not None
    return found


def _search(pointer: Pointer, window: MainWindow) -> QLineEdit:
    """The search field of the Errors page, with a typed word."""
    window.actions_by_name["errors"].setChecked(True)
    pointer.settle()
    field = window.offline_pages.errors.search
    pointer.click(field)
    pointer.type("rights")
    assert field.text() == "rights"
    return field


def _open_edit(pointer: Pointer, window: MainWindow) -> QMenu:
    bar = window.findChild(QMenuBar)
    assert bar is not None
    entry = bar.actions()[1]
    pointer.click(bar, bar.actionGeometry(entry).center())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def _entries(pointer: Pointer, window: MainWindow) -> set[str]:
    menu = _open_edit(pointer, window)
    found = {plain(action.text()) for action in menu.actions() if action.isEnabled() and action.text()}
    pointer.press("Escape")
    return found


def _take(pointer: Pointer, window: MainWindow, text: str) -> None:
    menu = _open_edit(pointer, window)
    (entry,) = (action for action in menu.actions() if plain(action.text()) == text)
    pointer.click(menu, menu.actionGeometry(entry).center())
