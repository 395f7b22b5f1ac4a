"""Tests of the settings of live feeds."""

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.settings.view import LiveSection, SettingsView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.settings import FeedSettings
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.settings.test_view import view, zone

__all__ = ["view", "zone"]


def _box(view: SettingsView, name: str) -> QComboBox:
    return child_of(view, QComboBox, f"settings.live.{name}")


def test_settings_are_stored(view: SettingsView, settings: QSettings) -> None:
    """The minimum interval is half a second; the memory use is shown before a capacity applies."""
    setting = FeedSettings.of(settings)
    interval, capacity = _box(view, "interval"), _box(view, "capacity")
    assert [interval.itemText(row) for row in range(3)] == ["Every 0.5 s", "Every second", "Every 2 s"]
    assert (interval.currentText(), capacity.currentText()) == ("Every second", "The newest 200,000 events")
    for box in (interval, capacity):
        box.setCurrentIndex(0)
        box.activated.emit(0)
    adaptive = child_of(view, QCheckBox, "settings.live.adaptive")
    assert adaptive.isChecked()
    adaptive.click()
    assert (setting.interval, setting.capacity, setting.is_adaptive) == (0.5, 10_000, False)


def test_the_memory_use_is_shown(qtbot: QtBot, appearance: Appearance) -> None:
    """For the current capacity."""
    section = LiveSection(appearance)
    qtbot.addWidget(section)
    for events, megabytes in ((10_000, "2 MB"), (200_000, "30 MB"), (1_000_000, "150 MB")):
        section.show_choices(1.0, events, is_adaptive=True)
        assert any(megabytes in label.text() for label in section.findChildren(QLabel))
