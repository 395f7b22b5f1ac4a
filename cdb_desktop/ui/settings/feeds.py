"""The choices about the live feeds; tells what is chosen, applies nothing itself."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.settings.section import Section
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.settings import FEED_CAPACITIES, FEED_INTERVALS

_WIDTH = 240
_MEGABYTES = 150  # that a million events take at most, as measured


class FeedsSection(Section):
    """How often to ask, and how much to keep.

    Signals: ``interval_chosen`` (seconds) · ``adaptive_chosen`` · ``capacity_chosen`` (events).
    """

    interval_chosen = Signal(float)
    adaptive_chosen = Signal(bool)
    capacity_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._interval = self._box("settings.live.interval", FEED_INTERVALS)
        self._capacity = self._box("settings.live.capacity", FEED_CAPACITIES)
        self._adaptive = QCheckBox(self)
        self._adaptive.setObjectName("settings.live.adaptive")
        self._hints = {name: Label(self) for name in ("interval", "adaptive", "capacity")}
        self._names = {
            "interval": self.add_row(self._interval, hint=self._hints["interval"]),
            "adaptive": self.add_row(self._adaptive, hint=self._hints["adaptive"]),
            "capacity": self.add_row(self._capacity, hint=self._hints["capacity"]),
        }
        self._interval.activated.connect(self._tell_interval)
        self._adaptive.clicked.connect(self.adaptive_chosen)
        self._capacity.activated.connect(self._tell_capacity)
        self.retranslate()

    def show_choices(self, interval: float, capacity: int, *, is_adaptive: bool) -> None:
        """Shows what is in force."""
        self._interval.setCurrentIndex(self._interval.findData(interval))
        self._adaptive.setChecked(is_adaptive)
        self._capacity.setCurrentIndex(self._capacity.findData(capacity))
        self._hints["capacity"].setText(self._memory())

    def retranslate(self) -> None:
        """Fetches the texts in the language of now."""
        self.head.setText(self.tr("Live feeds"))
        for row, seconds in enumerate(FEED_INTERVALS):
            told = self.tr("Every %1 s") if seconds != 1 else self.tr("Every second")
            self._interval.setItemText(row, told.replace("%1", QLocale().toString(seconds, "g", 3)))
        for row, events in enumerate(FEED_CAPACITIES):
            told = self.tr("The newest %1 events").replace("%1", number_text(events))
            self._capacity.setItemText(row, told)
        self._adaptive.setText(self.tr("More often while there is much activity"))
        titles = {
            "interval": (self.tr("Poll interval"), self.tr("Takes effect at once, in all feeds.")),
            "adaptive": (
                "",
                self.tr("Halves the interval with each full answer, down to 0.5 s."),
            ),
            "capacity": (self.tr("Each feed keeps"), self._memory()),
        }
        controls = {"interval": self._interval, "adaptive": self._adaptive, "capacity": self._capacity}
        for name, (title, hint) in titles.items():
            self._names[name].setText(title)
            self._hints[name].setText(hint)
            controls[name].setAccessibleName(title or self._adaptive.text())
            controls[name].setAccessibleDescription(hint)

    def _memory(self) -> str:
        events = self._capacity.currentData() or FEED_CAPACITIES[0]
        taken = number_text(max(1, round(events * _MEGABYTES / 1_000_000)))
        words = self.tr(
            "Takes up to %1 MB of memory. When a feed is full, its oldest events are removed with "
            "a notice; “Archive dropped events” in the menu Live writes them to a file."
        )
        return words.replace("%1", taken)

    def _box(self, name: str, choices: tuple[float, ...]) -> QComboBox:
        box = ignore_wheel(QComboBox(self))
        box.setObjectName(name)
        box.setFixedWidth(_WIDTH)
        for choice in choices:
            box.addItem("", choice)
        return box

    def _tell_interval(self) -> None:
        self.interval_chosen.emit(self._interval.currentData())

    def _tell_capacity(self) -> None:
        self.capacity_chosen.emit(self._capacity.currentData())
