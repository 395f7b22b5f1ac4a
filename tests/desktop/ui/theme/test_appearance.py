"""Tests of light, dark and as the platform has it."""

from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLineEdit, QSplitter
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance, Choice
from cdb_desktop.ui.theme.measures import Density
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


def test_what_has_a_style_sheet_follows_too(qtbot: QtBot, appearance: Appearance) -> None:
    """Qt lets no change of the palette through to what lies below one."""
    splitter = QSplitter()
    qtbot.addWidget(splitter)
    splitter.setStyleSheet("QSplitter::handle { background: palette(mid); }")
    field = QLineEdit(splitter)
    splitter.show()
    appearance.choose("dark")
    assert field.palette().color(QPalette.ColorRole.Base).name().upper() == DARK.ground
    assert splitter.styleSheet()


def test_density_is_the_height_of_rows(appearance: Appearance) -> None:
    """Told like a change of the colours, and one that nobody knows is the normal one."""
    told: list[int] = []
    appearance.changed.connect(lambda: told.append(appearance.row))
    for density in get_args(Density):
        appearance.choose_density(density)
    assert told == [20, 24, 30]


def test_nothing_moves_where_nobody_wants_it(appearance: Appearance) -> None:
    """A movement without a duration is a jump."""
    appearance.choose_motion("none")
    assert appearance.duration(200) == 0
