"""Tests of light, dark and as the platform has it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens


@pytest.mark.parametrize(("choice", "tokens"), [("light", LIGHT), ("dark", DARK)])
def test_a_choice_paints_the_application_at_once(
    qtbot: QtBot, qapp: QApplication, appearance: Appearance, choice: Choice, tokens: Tokens
) -> None:
    """Whatever the platform says, and whoever paints is told."""
    with qtbot.waitSignal(appearance.changed):
        appearance.choose(choice)
    assert appearance.tokens is tokens
    assert qapp.palette().color(QPalette.ColorRole.Base).name().upper() == tokens.ground


def test_a_choice_is_kept_for_the_next_start(qapp: QApplication, settings: QSettings) -> None:
    """A value that nobody knows counts as none."""
    Appearance(qapp, settings).choose("dark")
    assert Appearance(qapp, settings).tokens is DARK
    settings.setValue("appearance", "plaid")
    assert Appearance(qapp, settings).choice == "system"
