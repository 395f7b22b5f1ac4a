"""Tests of the connection dialog."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Settings
from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import fault_message
from tests.desktop.ui.finding import child_of

MUSEUM = ConnectionProfile("https://museum.example", "root", "Museum", "#A87200")
LIBRARY = ConnectionProfile("https://library.example", "anna", "Library")


@pytest.fixture
def dialog(window: QWidget, appearance: Appearance) -> ConnectionDialog:
    """The dialog over a window."""
    return ConnectionDialog(appearance, window)


def test_return_emits_the_typed_values(qtbot: QtBot, dialog: ConnectionDialog) -> None:
    """Return in the last field connects, with the color and whether to remember the password."""
    dialog.open_profile(ConnectionProfile(""))
    form = dialog.form
    assert not _button(dialog, "connect").isEnabled()
    QTest.keyClicks(form.address, "db.example")
    QTest.keyClicks(form.login, "root")
    form.show_methods(Settings(generation=6))  # nothing vanishes that is being typed
    QTest.keyClicks(form.password, "swordfish")
    form.swatches.choose("#A87200")
    with qtbot.waitSignal(dialog.connect_requested) as blocker:
        QTest.keyClick(form.password, Qt.Key.Key_Return)
    entry = ConnectionProfile("https://db.example", "root", "", "#A87200")
    assert blocker.args == [ConnectionInput(entry, "swordfish", remember=True)]
    assert "swordfish" not in repr(blocker.args)


def test_an_address_is_validated_while_it_is_typed(dialog: ConnectionDialog) -> None:
    """The text below the field shows the resulting URL, the risk or the error."""
    dialog.open_profile(ConnectionProfile(""))
    form, hint = dialog.form, dialog.form.hint("address")
    QTest.keyClicks(form.address, "db.example")
    assert hint.text() == "Means https://db.example"
    form.address.clear()
    QTest.keyClicks(form.address, "http://db.example")
    assert (hint.tone, hint.text().startswith("△ Not encrypted")) == ("warning", True)
    form.address.clear()
    QTest.keyClicks(form.address, "ftp://db.example")
    assert "https://" in hint.text()
    assert not _button(dialog, "test").isEnabled()


def test_a_remembered_password_need_not_be_typed(dialog: ConnectionDialog) -> None:
    """A stored password is never shown, and it does not apply to another login."""
    dialog.open_profile(MUSEUM)
    assert not _button(dialog, "connect").isEnabled()
    dialog.form.show_kept(kept=True)
    assert _button(dialog, "connect").isEnabled()
    assert (dialog.form.password.text(), dialog.form.password.placeholderText()) == ("", "remembered")
    QTest.keyClicks(dialog.form.login, "2")
    assert not _button(dialog, "connect").isEnabled()


def test_a_missing_keyring_is_reported(dialog: ConnectionDialog) -> None:
    """Without a keyring the password is remembered for this run only, and the box is unchecked."""
    dialog.open_profile(MUSEUM)
    dialog.form.show_keyring(lasting=False)
    assert "no keyring" in dialog.form.hint("remember").text()
    assert not dialog.form.remember.isChecked()
    assert dialog.form.entered.remember is False


def test_a_remembered_connection_fills_the_fields(qtbot: QtBot, dialog: ConnectionDialog) -> None:
    """A click in the list fills the fields; a double click connects."""
    dialog.show_profiles([MUSEUM, LIBRARY])
    dialog.open_profile(ConnectionProfile(""))
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.profiles.setCurrentRow(1)
    assert chosen.args == [LIBRARY]
    dialog.open_profile(LIBRARY)
    assert dialog.form.entered.profile == LIBRARY
    with qtbot.waitSignal(dialog.forgotten) as forgotten:
        QTest.keyClick(dialog.profiles, Qt.Key.Key_Delete)
    assert forgotten.args == [LIBRARY]


def test_a_failure_is_shown_at_its_field(dialog: ConnectionDialog) -> None:
    """It has a cause and advice; a failure that belongs to no field is shown at the bottom."""
    dialog.open_profile(MUSEUM)
    dialog.show_busy("…")
    dialog.show_failure("address", fault_message("unreachable.refused"))
    assert "Nobody answers" in dialog.form.hint("address").text()
    assert dialog.form.hint("address").tone == "danger"
    assert dialog.form.isEnabled()
    dialog.show_failure("", fault_message("slow", {"seconds": "30"}))
    assert "30 s" in dialog.outcome.text()


@pytest.mark.parametrize("place", ["address", "password"])
def test_a_failure_is_shown_until_it_may_be_corrected(dialog: ConnectionDialog, place: str) -> None:
    """By another address, log-in, password or connection; not by the rest, or by an answer of the keyring."""
    dialog.open_profile(MUSEUM)
    form, hint = dialog.form, dialog.form.hint(place)
    for field in (form.address, form.login, form.password, None):
        dialog.show_failure(place, fault_message("unreachable.refused"))
        form.remember.click()
        QTest.keyClicks(form.name, "x")
        QTest.keyClicks(form.network.lines["authority"], "x")
        form.show_kept(kept=True)
        form.show_keyring(lasting=True)
        assert "Nobody answers" in hint.text()
        if field is None:
            form.show_profile(LIBRARY)
        else:
            QTest.keyClicks(field, "x")
        assert "Nobody answers" not in hint.text()


def test_escape_goes_one_step_back(qtbot: QtBot, dialog: ConnectionDialog) -> None:
    """Escape first cancels a running attempt, then closes the dialog."""
    dialog.open_profile(MUSEUM)
    dialog.show_busy("Signing in…")
    with qtbot.waitSignal(dialog.cancel_requested):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def _button(dialog: ConnectionDialog, name: str) -> QPushButton:
    return child_of(dialog, QPushButton, f"connection.dialog.{name}")
