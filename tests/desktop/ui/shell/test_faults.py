"""Tests of the dialog of simulated faults."""

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Fault, FaultInjection
from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.shell.demo_dialogs import FaultsDialog
from cdb_desktop.ui.shell.settings.language import use_locale
from cdb_desktop.ui.theme.appearance import Appearance
from server_stub.http.chaos import FAULTS

OFF = FaultInjection(faults=tuple(Fault(name=name) for name in FAULTS))
ON = FaultInjection(
    active=True,
    chosen=("unavailable", "poll-gap"),
    faults=tuple(Fault(name=name, injected=3 * (name == "poll-gap")) for name in FAULTS),
)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """The window of the dialog."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


def test_faults_are_switched_with_the_keyboard(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """Those in force are on, with their counts; Space switches the current one at once."""
    assert FaultsDialog(appearance, OFF, window).chosen == ()
    dialog = FaultsDialog(appearance, ON, window)
    dialog.open()
    assert dialog.chosen == ("unavailable", "poll-gap")
    row = list(FAULTS).index("poll-gap")
    assert dialog.list.item(row).text() == "Late event in the live feed  ·  3"
    dialog.list.setCurrentRow(row)
    with qtbot.waitSignal(dialog.switched) as switched:
        QTest.keyClick(dialog.list, Qt.Key.Key_Space)
    assert switched.args == [("unavailable",)]


def test_other_faults_are_shown_in_place(qtbot: QtBot, window: QWidget, appearance: Appearance) -> None:
    """The current row stays, and nothing is switched."""
    dialog = FaultsDialog(appearance, ON, window)
    dialog.list.setCurrentRow(3)
    with qtbot.assertNotEmitted(dialog.switched):
        dialog.show_state(OFF)
    assert dialog.chosen == ()
    assert (dialog.list.currentRow(), dialog.list.count()) == (3, len(FAULTS))


def test_all_faults_are_explained(window: QWidget, appearance: Appearance) -> None:
    """Every fault of the server has texts of its own in both languages; others are in the server's words."""
    shown = []
    languages: tuple[Language, ...] = ("en", "de")
    for language in languages:
        use_locale(language, QLocale(language))
        dialog = FaultsDialog(appearance, OFF, window)
        assert dialog.list.sizeHintForColumn(0) <= dialog.width()
        shown.append([(item.text(), item.toolTip()) for item in map(dialog.list.item, range(len(FAULTS)))])
    for texts in shown:
        assert len({title for title, _ in texts}) == len(FAULTS)
        assert all(text.endswith(".") and not title.endswith(".") for title, text in texts)
    assert not set(shown[0]) & set(shown[1])
    new = FaultInjection(faults=(Fault(name="new-fault", meaning="Something new."),))
    item = FaultsDialog(appearance, new, window).list.item(0)
    assert (item.text(), item.toolTip()) == ("new-fault", "Something new.")
