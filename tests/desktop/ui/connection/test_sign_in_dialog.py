"""Tests of the sheet that asks for the password again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.connection.sign_in_dialog import SignInDialog
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import fault_message


@pytest.fixture
def sheet(window: QWidget, appearance: Appearance) -> SignInDialog:
    """A sheet over a window, asking."""
    sheet = SignInDialog(appearance, ConnectionProfile("https://museum.example", "root", "Museum"), window)
    sheet.ask()
    return sheet


def test_return_gives_the_password(qtbot: QtBot, sheet: SignInDialog) -> None:
    """Together with the wish to be remembered, which nobody has made."""
    QTest.keyClicks(sheet.password, "swordfish")
    with qtbot.waitSignal(sheet.submitted) as filled:
        QTest.keyClick(sheet.password, Qt.Key.Key_Return)
    assert filled.args == ["swordfish", False]


def test_a_refusal_stands_below_the_field(sheet: SignInDialog) -> None:
    """All of it can be read, and the field is ready for another try."""
    sheet.show_busy()
    assert not sheet.password.isEnabled()
    sheet.show_failure(fault_message("answer", {"reason": "a web page instead of an error object"}))
    assert "web page" in sheet.hint.text()
    assert sheet.hint.height() >= sheet.hint.heightForWidth(sheet.hint.width())
    assert sheet.password.isEnabled()


def test_escape_puts_it_off(qtbot: QtBot, sheet: SignInDialog) -> None:
    """Also while the password is on its way."""
    sheet.show_busy()
    with qtbot.waitSignal(sheet.declined):
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def test_the_connection_can_be_given_up(qtbot: QtBot, sheet: SignInDialog) -> None:
    """Which is not the same as putting it off."""
    button = sheet.findChild(QPushButton, "connection.sign_in.disconnect")
    assert button is not None
    with qtbot.assertNotEmitted(sheet.declined), qtbot.waitSignal(sheet.disconnect_requested):
        button.click()
