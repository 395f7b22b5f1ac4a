"""The child of the live rows: lets a feed on the screen take in events and prints what that cost."""

from __future__ import annotations

import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from cdb_desktop.client import Event
from cdb_desktop.live.link import Link
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance

_BATCH = 1000  # what a poll brings at most (§8)
_BATCH_MS = 20  # a service on the same machine, asked again at once
_HEART_MS = 2
_TYPES = ("OBJECT_UPDATE", "OBJECT_INDEX", "USER_LOGIN", "OBJECT_DELETE", "EXPORT_FINISH")
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Flood(QObject):
    """Batch after batch comes, as from a log that is drained, while a heart beats beside it."""

    def __init__(self, view: LiveView, events: list[Event]) -> None:
        super().__init__(view)
        self._view = view
        self._events = events
        self._given = 0
        self._beaten = time.perf_counter()
        self.longest_gap = 0.0
        self._source = QTimer(self, interval=_BATCH_MS, timerType=Qt.TimerType.PreciseTimer)
        self._heart = QTimer(self, interval=_HEART_MS, timerType=Qt.TimerType.PreciseTimer)
        self._source.timeout.connect(self._give)
        self._heart.timeout.connect(self._beat)

    def start(self) -> None:
        """Begins; the application ends when everything stands in the rows."""
        self._beaten = time.perf_counter()
        self._source.start()
        self._heart.start()

    def _give(self) -> None:
        batch = self._events[self._given : self._given + _BATCH]
        self._given += len(batch)
        self._view.add(batch)
        if not batch and self._view.model.rowCount() == len(self._events):
            QApplication.quit()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.longest_gap = max(self.longest_gap, now - self._beaten)
        self._beaten = now


def _event(number: int) -> Event:
    return Event(
        id=number,
        type=_TYPES[number % len(_TYPES)],
        timestamp=_BEGIN + timedelta(seconds=number),
        objecttype="work",
        object_id=number % 5000,
        object_version=number % 9,
        user_id=number % 50,
        user_displayname=f"Somebody {number % 50}",
    )


def main(number: int) -> dict[str, float]:
    """Processor time of each event in microseconds and the longest stall in milliseconds."""
    app = QApplication([])
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder, "settings.ini")), QSettings.Format.IniFormat)
        appearance = Appearance(app, settings)
        window = QWidget()
        view = LiveView(appearance, settings, Actions(appearance, window))
        layout = QVBoxLayout(window)
        layout.addWidget(view.strip)
        layout.addWidget(view)
        window.resize(1366, 500)
        window.show()
        view.show_link(Link("open", answered=time.monotonic()))
        flood = Flood(view, [_event(one) for one in range(1, number + 1)])
        QTimer.singleShot(300, flood.start)
        started = time.process_time()
        app.exec()
        spent = time.process_time() - started
    return {"us_per_event": spent / number * 1e6, "longest_stall_ms": flood.longest_gap * 1000}


if __name__ == "__main__":
    print(msgspec.json.encode(main(int(sys.argv[1]))).decode())
