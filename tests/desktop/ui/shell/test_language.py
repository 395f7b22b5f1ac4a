"""Tests that the open window changes its language, and that German texts fit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QLabel, QMenuBar
from pytestqt.qtbot import QtBot

from cdb_desktop.app.page_loader import PageLoader
from cdb_desktop.foundation.i18n import german_texts
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.settings.language import LanguageChoice, LanguageSetting
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.clipping import clipped
from tests.desktop.ui.shell.builders import open_workspace

PAGES = ("events", "schema", "errors", "settings")


@pytest.fixture
def window(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, language: LanguageSetting
) -> MainWindow:
    """A window with the panes of a connection that sends no requests."""
    window = MainWindow(appearance, settings, PageLoader())
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    open_workspace(window, appearance, settings)
    return window


def test_menus_keys_and_status_follow(qtbot: QtBot, window: MainWindow, language: LanguageSetting) -> None:
    """To German and back, while the window is open."""
    language.choose("de")
    qtbot.waitUntil(lambda: _menus(window)[0] == "&Datei")
    assert window.actions_by_name["refresh"].toolTip() == "Aktualisieren (F5)"
    assert window.actions_by_name["palette"].toolTip() == "Aktion finden… (Strg+K)"
    window.status.show_latency(1234.4)
    assert window.status.latency == "· 1.234 ms"
    language.choose("en")
    qtbot.waitUntil(lambda: window.status.latency == "· 1,234 ms")
    language.choose("de")
    qtbot.waitUntil(lambda: window.status.latency == "· 1.234 ms")
    window.leave()
    assert window.status.who == "Nicht verbunden"
    language.choose("en")
    qtbot.waitUntil(lambda: _menus(window)[0] == "&File")
    assert window.status.who == "Not connected"


@pytest.mark.parametrize("page", PAGES)
def test_no_english_is_left_on_a_page(
    qtbot: QtBot, window: MainWindow, language: LanguageSetting, page: str
) -> None:
    """Every label with a translation shows it."""
    window.actions_by_name[page].setChecked(True)
    language.choose("de")
    qtbot.waitUntil(lambda: _menus(window)[0] == "&Datei")
    # Texts that are equal in both languages are ignored.
    translated = {english: german for english, german in german_texts().items() if isinstance(german, str)}
    english = {english for english, german in translated.items() if english != german}
    german = set(translated.values())
    shown = {label.text() for label in window.findChildren(QLabel) if label.isVisible()}
    assert shown & (english - german) == set()


@pytest.mark.parametrize("spoken", ["en", "de"])
@pytest.mark.parametrize("page", PAGES)
def test_no_text_is_clipped(
    qtbot: QtBot, window: MainWindow, language: LanguageSetting, page: str, spoken: LanguageChoice
) -> None:
    """At the minimum size of the window, in both languages."""
    language.choose(spoken)
    window.actions_by_name[page].setChecked(True)

    def fits() -> None:
        assert clipped(window) == []

    qtbot.waitUntil(fits)
    assert (window.width(), window.height()) == (1366, 768)


def _menus(window: MainWindow) -> list[str]:
    bar = window.findChild(QMenuBar)
    assert bar is not None
    return [action.text() for action in bar.actions()]
