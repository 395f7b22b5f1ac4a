"""Tests of the sheet of a connection as a window that is typed into."""

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
    """A sheet over a window."""
    return ConnectionDialog(appearance, window)


def test_what_was_typed_is_given(qtbot: QtBot, sheet: ConnectionDialog) -> None:
    """Return in the last field connects, with the colour and the wish to be remembered."""
    sheet.open_profile(ConnectionProfile(""))
    form = sheet.form
    assert not _button(sheet, "connect").isEnabled()
    QTest.keyClicks(form.address, "db.example")
    QTest.keyClicks(form.login, "root")
    QTest.keyClicks(form.password, "swordfish")
    form.swatches.choose("#A87200")
    with qtbot.waitSignal(sheet.connect_requested) as asked:
        QTest.keyClick(form.password, Qt.Key.Key_Return)
    entry = ConnectionProfile("https://db.example", "root", "", "#A87200")
    assert asked.args == [ConnectionInput(entry, "swordfish", remember=True)]
    assert "swordfish" not in repr(asked.args)


def test_an_address_is_judged_as_it_is_typed(sheet: ConnectionDialog) -> None:
    """In words below the field: what it means, what it risks, what is wrong."""
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
    """It is never shown; with another log-in it is another connection, and counts no longer."""
    sheet.open_profile(MUSEUM)
    assert not _button(sheet, "connect").isEnabled()
    sheet.form.show_kept(kept=True)
    assert _button(sheet, "connect").isEnabled()
    assert (sheet.form.password.text(), sheet.form.password.placeholderText()) == ("", "remembered")
    QTest.keyClicks(sheet.form.login, "2")
    assert not _button(sheet, "connect").isEnabled()


def test_without_a_keyring_that_is_told(sheet: ConnectionDialog) -> None:
    """Then the tick means this run only, and is not set."""
    sheet.open_profile(MUSEUM)
    sheet.form.show_keyring(lasting=False)
    assert "no keyring" in sheet.form.hint("remember").text()
    assert not sheet.form.remember.isChecked()
    assert sheet.form.entered.remember is False


def test_a_remembered_connection_fills_the_fields(qtbot: QtBot, sheet: ConnectionDialog) -> None:
    """A click in the list asks for it; a double click opens it."""
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


def test_a_failure_stands_at_its_field(sheet: ConnectionDialog) -> None:
    """With what happened, what it means and what to do; what is no field's fault stands at the foot."""
    sheet.open_profile(MUSEUM)
    sheet.show_busy("…")
    sheet.show_failure("address", fault_message("unreachable.refused"))
    assert "Nobody answers" in sheet.form.hint("address").text()
    assert sheet.form.hint("address").tone == "danger"
    assert sheet.form.isEnabled()
    sheet.show_failure("", fault_message("slow", {"seconds": "30"}))
    assert "30 s" in sheet.outcome.text()


def test_escape_goes_one_step_back(qtbot: QtBot, sheet: ConnectionDialog) -> None:
    """First out of what is under way, then out of the sheet."""
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
