"""Tests of the Settings page."""

import platform
import sqlite3
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QSettings, Qt, QUrl, Slot, qVersion
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QToolButton
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.settings.controller import RestartDialog, SettingsController
from cdb_desktop.ui.shell.settings.language import LanguageSetting, ZoneSetting
from cdb_desktop.ui.shell.settings.view import SettingsView
from cdb_desktop.ui.shell.status_bar import StatusBar
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.settings import FeedSettings
from tests.desktop.failures import raise_error
from tests.desktop.patience import process_events, until
from tests.desktop.ui.finding import awaited_child, child_of


@pytest.fixture
def zone(qapp: QApplication, settings: QSettings) -> Iterator[ZoneSetting]:
    """Sets the time zone to local time before and after the test."""
    made = ZoneSetting(qapp, settings)
    yield made
    made.choose("local")


@pytest.fixture
def view(
    qtbot: QtBot,
    appearance: Appearance,
    zone: ZoneSetting,
    qapp: QApplication,
    settings: QSettings,
) -> SettingsView:
    """The page, not shown."""
    settings.setValue("language", "en")
    language, feed = LanguageSetting(qapp, settings), FeedSettings.of(settings)
    view = SettingsView(appearance)
    qtbot.addWidget(view)
    SettingsController(view, appearance, language, zone, feed, Tasks(raise_error, view))
    return view


def _choose(view: SettingsView, name: str, row: int) -> None:
    """Selects an item as a user does with the keyboard."""
    box = child_of(view, QComboBox, f"settings.{name}")
    box.setCurrentIndex(row)
    box.activated.emit(row)


async def _losses() -> list[str]:
    return ["Exporting events"]


async def test_another_language_offers_a_restart(view: SettingsView, settings: QSettings) -> None:
    """In both languages, with the work that it ends; the language in use needs none."""
    controller = child_of(view, SettingsController)
    controller.losses = _losses
    _choose(view, "language", 2)
    dialog = await awaited_child(view, RestartDialog)
    assert dialog.isVisible()
    assert dialog.windowTitle() == "Change the language · Sprache wechseln"
    assert dialog.text.endswith("\n\nA restart ends: Exporting events.")
    dialog.cancel_button.click()
    assert settings.value("language") == "de"
    await until(lambda: view.findChild(RestartDialog) is None)
    _choose(view, "language", 1)
    await process_events()
    assert view.findChild(RestartDialog) is None
    _choose(view, "language", 2)
    again = await awaited_child(view, RestartDialog)
    requests: list[bool] = []
    controller.restart_requested.connect(lambda: requests.append(True))
    again.accept_button.click()
    assert requests == [True]


def test_colors_density_motion_and_names_are_applied_and_stored(
    view: SettingsView, appearance: Appearance, qapp: QApplication, settings: QSettings
) -> None:
    """They are restored at the next start."""
    for name, row in (("colours", 2), ("density", 0), ("motion", 1), ("pages", 1)):
        _choose(view, name, row)
    assert appearance.row == 20
    assert appearance.duration(200) == 0
    again = Appearance(qapp, settings)
    assert (again.choice, again.density, again.motion) == ("dark", "compact", "none")
    assert not again.has_page_names


def test_the_time_zone_is_applied_and_stored(
    view: SettingsView, qapp: QApplication, settings: QSettings, qtbot: QtBot, appearance: Appearance
) -> None:
    """Views are notified immediately, and it is restored at the next start."""
    status = StatusBar(appearance)
    qtbot.addWidget(status)
    status.show_connection("museum", "Root")
    assert status.zone.text().startswith("local time (UTC")
    _choose(view, "zone", 1)
    qtbot.waitUntil(lambda: status.zone.text() == "UTC")
    assert ZoneSetting(qapp, settings).choice == "utc"
    settings.setValue("zone", "moon")
    assert ZoneSetting(qapp, settings).choice == "local"


def test_changes_from_elsewhere_are_shown(view: SettingsView, appearance: Appearance) -> None:
    """Colors can be chosen in the menu as well."""
    appearance.choose("dark")
    box = child_of(view, QComboBox, "settings.colours")
    assert box.currentText() == "Dark"


def test_folders_are_named_and_can_be_opened(view: SettingsView, tmp_path: Path) -> None:
    """If a folder does not exist yet, its parent is opened."""
    (tmp_path / "logs").mkdir()
    view.show_folders(tmp_path / "settings", tmp_path / "logs", tmp_path / "data")
    path = child_of(view, QLabel, "settings.path.data")
    assert path.text() == str(tmp_path / "data")
    opener = _Opener()
    QDesktopServices.setUrlHandler("file", opener, "take")  # type: ignore[arg-type]
    for name in ("logs", "data"):
        child_of(view, QToolButton, f"settings.open.{name}").click()
    QDesktopServices.unsetUrlHandler("file")
    assert opener.opened == [str(tmp_path / "logs"), str(tmp_path)]


async def test_versions_are_shown_and_copied(view: SettingsView) -> None:
    """That of Graphviz is determined when the page is first shown; one button copies all, in English."""
    view.show()
    names = ("version", "python", "qt", "sqlite", "graphviz", "system", "libraries")
    labels = {name: child_of(view, QLabel, f"settings.{name}") for name in names}
    shown = {name: label.text() for name, label in labels.items()}
    assert shown["version"] == version("cdb-desktop")
    assert shown["python"] == platform.python_version()
    assert (shown["qt"], shown["sqlite"]) == (qVersion(), sqlite3.sqlite_version)
    assert "httpx 0." in shown["libraries"]
    assert "LGPL-3.0" in shown["libraries"]
    graphviz = labels["graphviz"]
    await until(lambda: "." in graphviz.text())
    button = child_of(view, QToolButton, "settings.copy_versions")
    button.click()
    copied = QApplication.clipboard().text().splitlines()
    assert copied[:6] == [
        f"Content Database Desktop {shown['version']}",
        f"Python {shown['python']}",
        f"Qt {shown['qt']}",
        f"SQLite {shown['sqlite']}",
        f"Graphviz {graphviz.text()}",
        shown["system"],
    ]
    assert f"httpx {version('httpx')}" in copied


def test_escape_closes_the_page(qtbot: QtBot, appearance: Appearance) -> None:
    """As on any page."""
    view = SettingsView(appearance)
    qtbot.addWidget(view)
    view.show()
    with qtbot.waitActive(view):
        view.activateWindow()
    with qtbot.waitSignal(view.leave_requested):
        QTest.keyClick(view, Qt.Key.Key_Escape)


class _Opener(QObject):
    """Records URLs instead of opening them in the file manager."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(url.toLocalFile())
