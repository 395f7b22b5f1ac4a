"""Tests of the settings of live feeds."""

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.settings import FeedSettings


def test_changes_are_emitted_to_all_users_of_the_settings(qtbot: QtBot, settings: QSettings) -> None:
    """The settings page and the feeds share the object."""
    here, there = FeedSettings.of(settings), FeedSettings.of(settings)
    assert (here.interval, here.is_adaptive, here.capacity) == (1.0, True, 200_000)
    with qtbot.waitSignals([there.changed] * 3):
        here.choose_interval(0.5)
        here.choose_adaptive(False)
        here.choose_capacity(10_000)
    again = FeedSettings(QSettings(settings.fileName(), QSettings.Format.IniFormat))
    settings.sync()
    assert (again.interval, again.is_adaptive, again.capacity) == (0.5, False, 10_000)


def test_values_out_of_range_are_ignored(settings: QSettings) -> None:
    """A typing error in the file must not cause a thousand requests per second."""
    setting = FeedSettings.of(settings)
    for broken in ("0.001", "-1", "soon", ""):
        settings.setValue("live/interval", broken)
        settings.setValue("live/capacity", broken)
        assert (setting.interval, setting.capacity) == (1.0, 200_000)
