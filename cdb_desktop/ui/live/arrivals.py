"""Brings arriving events into the rows: at once when it is quiet, gathered to a beat when it is not."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Signal

from cdb_desktop.client import Event
from cdb_desktop.ui.live.model import FeedModel

_BEAT = 50  # milliseconds between two changes of rows
_RUSH = 10  # the same while more is waiting than one change takes
_MOST = 2_000  # events in one change of rows, so that it stays short in a flood


class Arrivals(QObject):
    """What has come and has no row yet.

    Signals: ``appended`` after rows have changed, with the number of new ones that are shown.
    """

    appended = Signal(int)

    def __init__(self, model: FeedModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._waiting: list[Event] = []
        self._taken = 0  # of those that wait; a flood must not be copied at every beat
        self._beat = QTimer(self, singleShot=True, interval=_BEAT)
        self._beat.timeout.connect(self._take_in)

    def add(self, events: Iterable[Event]) -> None:
        """Events have come, oldest first; those known already are dropped."""
        self._waiting.extend(self._model.feed.take_unknown(events))
        if not self._beat.isActive():
            self._take_in()

    def _take_in(self) -> None:
        taken = self._waiting[self._taken : self._taken + _MOST]
        if not taken:
            return
        self._taken += len(taken)
        if self._taken == len(self._waiting):
            self._waiting, self._taken = [], 0
        shown = self._model.append(taken)
        self.appended.emit(shown)
        self._beat.start(_RUSH if self._waiting else _BEAT)
