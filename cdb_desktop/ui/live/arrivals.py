"""Brings arriving events into the rows: at once when it is quiet, gathered to a beat when it is not."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Signal

from cdb_desktop.client import Event
from cdb_desktop.live.rate import Rate
from cdb_desktop.ui.live.model import FeedModel

_BEAT = 50  # milliseconds between two changes of rows
_MOST = 4_000  # events in one change of rows, so that it stays short in a flood


class Arrivals(QObject):
    """What has come and has no row yet.

    Signals: ``appended`` after rows have changed.
    """

    appended = Signal()

    def __init__(self, model: FeedModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._waiting: list[Event] = []
        self._rate = Rate()
        self._beat = QTimer(self, singleShot=True, interval=_BEAT)
        self._beat.timeout.connect(self._take_in)

    @property
    def per_second(self) -> float:
        """How many arrive in a second at the moment."""
        return self._rate.per_second(time.monotonic())

    def add(self, events: Iterable[Event], *, is_new: bool) -> None:
        """Events have come, oldest first; those known already are dropped, the ``is_new`` ones counted."""
        unknown = self._model.feed.unknown(events)
        self._waiting.extend(unknown)
        if is_new:
            self._rate.note(time.monotonic(), len(unknown))
        if not self._beat.isActive():
            self._take_in()

    def _take_in(self) -> None:
        if not self._waiting:
            return
        taken, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        self._model.append(taken)
        self.appended.emit()
        self._beat.start()
