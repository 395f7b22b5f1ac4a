"""Tests of the dialog that asks for the password again."""

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
    """The dialog over a window."""
    sheet = SignInDialog(appearance, ConnectionProfile("https://museum.example", "root", "Museum"), window)
    sheet.ask()
    return sheet


def test_return_emits_the_password(qtbot: QtBot, sheet: SignInDialog) -> None:
    """By default the password is not remembered."""
    QTest.keyClicks(sheet.password, "swordfish")
    with qtbot.waitSignal(sheet.submitted) as filled:
        QTest.keyClick(sheet.password, Qt.Key.Key_Return)
    assert filled.args == ["swordfish", False]


def test_a_refusal_is_shown_below_the_field(sheet: SignInDialog) -> None:
    """The message is not clipped, and the password can be entered again."""
    sheet.show_busy()
    assert not sheet.password.isEnabled()
    sheet.show_failure(fault_message("answer", {"reason": "a web page instead of an error object"}))
    assert "web page" in sheet.hint.text()
    assert sheet.hint.height() >= sheet.hint.heightForWidth(sheet.hint.width())
    assert sheet.password.isEnabled()


def test_escape_postpones_signing_in(qtbot: QtBot, sheet: SignInDialog) -> None:
    """Also while the password is being checked."""
    sheet.show_busy()
    with qtbot.waitSignal(sheet.declined):
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
    assert not sheet.isVisible()


def test_the_connection_can_be_closed(qtbot: QtBot, sheet: SignInDialog) -> None:
    """Closing the connection differs from postponing the sign-in."""
    button = sheet.findChild(QPushButton, "connection.sign_in.disconnect")
    assert button is not None
    with qtbot.assertNotEmitted(sheet.declined), qtbot.waitSignal(sheet.disconnect_requested):
        button.click()
