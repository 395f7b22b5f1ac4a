"""Tests of the dialog of simulated faults."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Fault, FaultInjection
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.shell.faults.dialog import FaultsDialog
from cdb_desktop.ui.shell.settings.language import use_locale
from cdb_desktop.ui.theme.appearance import Appearance
from server_stub.http.chaos import FAULTS
from tests.desktop.ui.clipping import clipped

OFF = FaultInjection(faults=tuple(Fault(name=name) for name in FAULTS))
ON = FaultInjection(
    active=True,
    rate=0.25,
    chosen=("unavailable", "poll-gap"),
    injected=3,
    faults=tuple(Fault(name=name, injected=3 * (name == "poll-gap")) for name in FAULTS),
)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """The window of the dialog."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


def _dialog(window: QWidget, appearance: Appearance, state: FaultInjection) -> FaultsDialog:
    dialog = FaultsDialog(appearance, state, window)
    dialog.open()
    return dialog


def test_nothing_is_simulated_yet(window: QWidget, appearance: Appearance) -> None:
    """All faults are checked, one request in ten is proposed, and there is nothing to switch off."""
    dialog = _dialog(window, appearance, OFF)
    assert dialog.chosen == tuple(FAULTS)
    assert dialog.rate == 0.1
    assert not dialog.end_button.isVisible()


def test_what_is_simulated_is_shown(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """The faults in force with their counts, and a button to switch them off."""
    dialog = _dialog(window, appearance, ON)
    assert dialog.chosen == ("unavailable", "poll-gap")
    assert dialog.rate == 0.25
    row = list(FAULTS).index("poll-gap")
    assert dialog.list.item(row).text() == "Late event in the live feed  ·  3"
    with qtbot.waitSignal(dialog.end_requested):
        dialog.end_button.click()


def test_faults_are_chosen_with_the_keyboard(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """Space checks the current fault, whose explanation is shown; at least one must be checked."""
    dialog = _dialog(window, appearance, OFF)
    dialog.none_button.click()
    assert not dialog.accept_button.isEnabled()
    dialog.list.setCurrentRow(list(FAULTS).index("slow-database"))
    assert dialog.explanation.text() == "The service waits before it handles the request."
    QTest.keyClick(dialog.list, Qt.Key.Key_Space)
    assert dialog.chosen == ("slow-database",)
    with qtbot.waitSignal(dialog.simulation_requested):
        dialog.accept_button.click()
    dialog.show_working(working=True)
    assert not dialog.accept_button.isEnabled()
    dialog.all_button.click()
    assert not dialog.accept_button.isEnabled()


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_text_is_clipped(window: QWidget, appearance: Appearance, language: str) -> None:
    """All texts fit in both languages, and all titles fit into the list."""
    if language == "de":
        use_locale("de", QLocale("de_DE"))
    dialog = _dialog(window, appearance, ON)
    assert clipped(dialog) == []
    assert dialog.list.sizeHintForColumn(0) <= dialog.list.viewport().width()


def test_all_faults_are_explained(window: QWidget, appearance: Appearance) -> None:
    """Every fault of the server has texts of its own in both languages; others are in the server's words."""
    shown = []
    languages: tuple[Language, ...] = ("en", "de")
    for language in languages:
        use_locale(language, QLocale(language))
        dialog = FaultsDialog(appearance, OFF, window)
        shown.append([(item.text(), item.toolTip()) for item in map(dialog.list.item, range(len(FAULTS)))])
    for texts in shown:
        assert len({title for title, _ in texts}) == len(FAULTS)
        assert all(text.endswith(".") and not title.endswith(".") for title, text in texts)
    assert not set(shown[0]) & set(shown[1])
    new = FaultInjection(faults=(Fault(name="new-fault", meaning="Something new."),))
    item = FaultsDialog(appearance, new, window).list.item(0)
    assert (item.text(), item.toolTip()) == ("new-fault", "Something new.")
