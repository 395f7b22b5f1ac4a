"""Tests that the window is translated, and that its texts fit."""

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QLabel, QMenuBar
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import german_texts
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.clipping import clipped
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.builders import open_workspace

PAGES = ("events", "schema", "errors", "settings")


@pytest.fixture(params=["de"])
def window(
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    set_language: SetLanguage,
    request: pytest.FixtureRequest,
) -> MainWindow:
    """A German window with the panes of a connection that sends no requests."""
    set_language(request.param)
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.resize(1366, 768)
    window.show()
    open_workspace(window, appearance, settings)
    return window


def test_menus_keys_and_status(window: MainWindow) -> None:
    """Also numbers."""
    bar = child_of(window, QMenuBar)
    assert bar.actions()[0].text() == "&Datei"
    assert window.actions_by_name["refresh"].toolTip() == "Aktualisieren (F5)"
    window.status.show_latency(1234.4)
    assert window.status.latency.text() == "· 1.234 ms"
    window.leave()
    assert window.status.who.text() == "Nicht verbunden"


def test_no_english_is_left_on_a_page(window: MainWindow) -> None:
    """Every label with a translation shows it."""
    # Texts that are equal in both languages are ignored.
    translated = {english: german for english, german in german_texts().items() if isinstance(german, str)}
    english = {english for english, german in translated.items() if english != german}
    german = set(translated.values())
    for page in PAGES:
        window.actions_by_name[page].setChecked(True)
        shown = {label.text() for label in window.findChildren(QLabel) if label.isVisible()}
        assert shown & (english - german) == set(), page


@pytest.mark.parametrize("window", ["en", "de"], indirect=True)
def test_no_text_is_clipped(qtbot: QtBot, window: MainWindow) -> None:
    """At the minimum size of the window, in both languages."""

    def fits() -> None:
        assert clipped(window) == [], page

    for page in PAGES:
        window.actions_by_name[page].setChecked(True)
        qtbot.waitUntil(fits)
        assert (window.width(), window.height()) == (1366, 768), page
