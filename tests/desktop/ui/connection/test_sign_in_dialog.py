"""Tests of the dialog that asks for the password again."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.connection.dialogs import SignInDialog
from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.error_messages import fault_message
from tests.desktop.ui.finding import child_of


@pytest.fixture
def dialog(window: QWidget, appearance: Appearance) -> SignInDialog:
    """The dialog over a window."""
    dialog = SignInDialog(appearance, ConnectionProfile("https://museum.example", "root", "Museum"), window)
    dialog.ask()
    return dialog


def test_return_emits_the_password(qtbot: QtBot, dialog: SignInDialog) -> None:
    """By default the password is not remembered."""
    QTest.keyClicks(dialog.password, "swordfish")
    with qtbot.waitSignal(dialog.submitted) as filled:
        QTest.keyClick(dialog.password, Qt.Key.Key_Return)
    assert filled.args == ["swordfish", False]


def test_a_refusal_is_shown_below_the_field(dialog: SignInDialog) -> None:
    """The message is not clipped, and the password can be entered again."""
    dialog.show_busy()
    assert not dialog.password.isEnabled()
    dialog.show_failure(fault_message("answer", {"reason": "a web page instead of an error object"}))
    assert "web page" in dialog.hint.text()
    assert dialog.hint.height() >= dialog.hint.heightForWidth(dialog.hint.width())
    assert dialog.password.isEnabled()


def test_escape_postpones_signing_in(qtbot: QtBot, dialog: SignInDialog) -> None:
    """Also while the password is being checked."""
    dialog.show_busy()
    with qtbot.waitSignal(dialog.declined):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_the_connection_can_be_closed(qtbot: QtBot, dialog: SignInDialog) -> None:
    """Closing the connection differs from postponing the sign-in."""
    button = child_of(dialog, QPushButton, "connection.sign_in.disconnect")
    with qtbot.assertNotEmitted(dialog.declined), qtbot.waitSignal(dialog.disconnect_requested):
        button.click()
