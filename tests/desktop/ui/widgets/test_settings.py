"""Tests of what is kept about the live feeds."""

from __future__ import annotations

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.settings import FeedSettings


def test_who_shares_the_settings_hears_of_a_change(qtbot: QtBot, settings: QSettings) -> None:
    """The page of settings and the feeds know nothing of one another."""
    here, there = FeedSettings.of(settings), FeedSettings.of(settings)
    assert (here.interval, here.is_adaptive, here.capacity) == (1.0, True, 200_000)
    with qtbot.waitSignals([there.changed] * 3):
        here.choose_interval(0.5)
        here.choose_adaptive(False)
        here.choose_capacity(10_000)
    again = FeedSettings(QSettings(settings.fileName(), QSettings.Format.IniFormat))
    settings.sync()
    assert (again.interval, again.is_adaptive, again.capacity) == (0.5, False, 10_000)


def test_what_nobody_can_choose_is_not_taken(settings: QSettings) -> None:
    """A service must not be asked a thousand times a second because of a slip in a file."""
    setting = FeedSettings.of(settings)
    for broken in ("0.001", "-1", "soon", ""):
        settings.setValue("live/interval", broken)
        settings.setValue("live/capacity", broken)
        assert (setting.interval, setting.capacity) == (1.0, 200_000)
