"""Ties the actions of the appearance menu to the choice of the colours."""

from __future__ import annotations

from functools import partial
from typing import get_args

from PySide6.QtGui import QActionGroup

from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.theme.appearance import Appearance, Choice


def follow_appearance(actions: Actions, appearance: Appearance) -> None:
    """Checks the action of the present choice and makes each of them choose."""
    group = QActionGroup(actions)
    for choice in get_args(Choice):
        action = actions[choice]
        group.addAction(action)
        action.triggered.connect(partial(appearance.choose, choice))

    def check() -> None:
        actions[appearance.choice].setChecked(True)

    appearance.changed.connect(check)
    check()
