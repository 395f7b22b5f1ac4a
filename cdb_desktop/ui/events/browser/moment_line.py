"""The line in which a time is typed: its parts go up and down by keys. Knows no meaning of the time."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from cdb_desktop.events.time_input import TimeInputError, TimeUnit, parse_time, step_time
from cdb_desktop.vocabulary.times import day_and_time

_STEPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
_CALENDAR_KEYS = ((Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier), (Qt.Key.Key_F4, _PLAIN[0]))
# Where in 2026-11-20 14:02:11 each part ends.
_PARTS = (
    (4, TimeUnit.YEAR),
    (7, TimeUnit.MONTH),
    (10, TimeUnit.DAY),
    (13, TimeUnit.HOUR),
    (16, TimeUnit.MINUTE),
    (19, TimeUnit.SECOND),
)


class MomentLine(QLineEdit):
    """Up and Down change the part at the cursor.

    Signals: ``calendar_requested`` by Alt+Down or F4.
    """

    calendar_requested = Signal()
    day_ends = False  # whether a bare date means its last second

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Steps, and the way to the calendar."""
        if (event.key(), event.modifiers()) in _CALENDAR_KEYS:
            self.calendar_requested.emit()
        elif event.key() in _STEPS and event.modifiers() in _PLAIN:
            self._step(_STEPS[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        now = datetime.now(UTC)
        try:
            start = parse_time(self.text(), now, day_ends=self.day_ends) if self.text().strip() else now
        except TimeInputError:
            return
        # What is not spelt out in full has no parts yet: then its days go.
        place = self.cursorPosition() if self.text() == day_and_time(start) else 10
        unit = next((unit for end, unit in _PARTS if place <= end), TimeUnit.SECOND)
        self.setText(day_and_time(step_time(start, unit, by)))
        self.setCursorPosition(place)
