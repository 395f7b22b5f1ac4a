"""Tests of the connection dialog."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.connection.dialog import ConnectionDialog
from cdb_desktop.ui.connection.profile import ConnectionInput, ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import fault_message

MUSEUM = ConnectionProfile("https://museum.example", "root", "Museum", "#A87200")
LIBRARY = ConnectionProfile("https://library.example", "anna", "Library")


@pytest.fixture
def sheet(window: QWidget, appearance: Appearance) -> ConnectionDialog:
    """The dialog over a window."""
    return ConnectionDialog(appearance, window)


def test_return_emits_the_typed_values(qtbot: QtBot, sheet: ConnectionDialog) -> None:
    """Return in the last field connects, with the color and whether to remember the password."""
    sheet.open_profile(ConnectionProfile(""))
    form = sheet.form
    assert not _button(sheet, "connect").isEnabled()
    QTest.keyClicks(form.address, "db.example")
    QTest.keyClicks(form.login, "root")
    QTest.keyClicks(form.password, "swordfish")
    form.swatches.choose("#A87200")
    with qtbot.waitSignal(sheet.connect_requested) as blocker:
        QTest.keyClick(form.password, Qt.Key.Key_Return)
    entry = ConnectionProfile("https://db.example", "root", "", "#A87200")
    assert blocker.args == [ConnectionInput(entry, "swordfish", remember=True)]
    assert "swordfish" not in repr(blocker.args)


def test_an_address_is_validated_while_it_is_typed(sheet: ConnectionDialog) -> None:
    """The text below the field shows the resulting URL, the risk or the error."""
    sheet.open_profile(ConnectionProfile(""))
    form, hint = sheet.form, sheet.form.hint("address")
    QTest.keyClicks(form.address, "db.example")
    assert hint.text() == "Means https://db.example"
    form.address.clear()
    QTest.keyClicks(form.address, "http://db.example")
    assert (hint.tone, hint.text().startswith("△ Not encrypted")) == ("warning", True)
    form.address.clear()
    QTest.keyClicks(form.address, "ftp://db.example")
    assert "https://" in hint.text()
    assert not _button(sheet, "test").isEnabled()


def test_a_remembered_password_need_not_be_typed(sheet: ConnectionDialog) -> None:
    """A stored password is never shown, and it does not apply to another login."""
    sheet.open_profile(MUSEUM)
    assert not _button(sheet, "connect").isEnabled()
    sheet.form.show_kept(kept=True)
    assert _button(sheet, "connect").isEnabled()
    assert (sheet.form.password.text(), sheet.form.password.placeholderText()) == ("", "remembered")
    QTest.keyClicks(sheet.form.login, "2")
    assert not _button(sheet, "connect").isEnabled()


def test_a_missing_keyring_is_reported(sheet: ConnectionDialog) -> None:
    """Without a keyring the password is remembered for this run only, and the box is unchecked."""
    sheet.open_profile(MUSEUM)
    sheet.form.show_keyring(lasting=False)
    assert "no keyring" in sheet.form.hint("remember").text()
    assert not sheet.form.remember.isChecked()
    assert sheet.form.entered.remember is False


def test_a_remembered_connection_fills_the_fields(qtbot: QtBot, sheet: ConnectionDialog) -> None:
    """A click in the list fills the fields; a double click connects."""
    sheet.show_profiles([MUSEUM, LIBRARY])
    sheet.open_profile(ConnectionProfile(""))
    with qtbot.waitSignal(sheet.chosen) as chosen:
        sheet.profiles.setCurrentRow(1)
    assert chosen.args == [LIBRARY]
    sheet.open_profile(LIBRARY)
    assert sheet.form.entered.profile == LIBRARY
    with qtbot.waitSignal(sheet.forgotten) as forgotten:
        QTest.keyClick(sheet.profiles, Qt.Key.Key_Delete)
    assert forgotten.args == [LIBRARY]


def test_a_failure_is_shown_at_its_field(sheet: ConnectionDialog) -> None:
    """It has a cause and advice; a failure that belongs to no field is shown at the bottom."""
    sheet.open_profile(MUSEUM)
    sheet.show_busy("…")
    sheet.show_failure("address", fault_message("unreachable.refused"))
    assert "Nobody answers" in sheet.form.hint("address").text()
    assert sheet.form.hint("address").tone == "danger"
    assert sheet.form.isEnabled()
    sheet.show_failure("", fault_message("slow", {"seconds": "30"}))
    assert "30 s" in sheet.outcome.text()


def test_escape_goes_one_step_back(qtbot: QtBot, sheet: ConnectionDialog) -> None:
    """Escape first cancels a running attempt, then closes the dialog."""
    sheet.open_profile(MUSEUM)
    sheet.show_busy("Signing in…")
    with qtbot.waitSignal(sheet.cancel_requested):
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert sheet.isVisible()
    QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def _button(sheet: ConnectionDialog, name: str) -> QPushButton:
    button = sheet.findChild(QPushButton, f"connection.sheet.{name}")
    assert button is not None
    return button
