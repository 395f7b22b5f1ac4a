"""Running work side by side, each once it takes longer than a moment; knows no task."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from cdb_desktop.ui.tasks import Running
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.progress import TaskProgress

_PATIENCE = 0.3  # seconds before work is worth mentioning


class RunningWork(QWidget):
    """Items come at the right and keep their places, so that nobody's click goes to the neighbour.

    Signals: ``cancel_requested`` with the name of the work.
    """

    cancel_requested = Signal(str)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._items: dict[str, TaskProgress] = {}
        self._begun: dict[str, float] = {}
        self._running: tuple[Running, ...] = ()
        self._wait = QTimer(self, singleShot=True)
        self._wait.timeout.connect(self.show_again)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, TIGHT, 0)
        self._row.setSpacing(GAP)
        self.hide()

    def show_running(self, running: tuple[Running, ...]) -> None:
        """Work has begun, gone on or ended; each waits until it is worth mentioning, whatever else runs."""
        now = time.monotonic()
        self._running = running
        self._begun = {one.name: self._begun.get(one.name, now) for one in running}
        self.show_again()

    def show_again(self) -> None:
        """Shows what there is, which may have become worth it, or be said in another language."""
        due = time.monotonic() - _PATIENCE
        shown = [one for one in self._running if one.name in self._items or self._begun[one.name] <= due]
        for name in self._items.keys() - {one.name for one in shown}:
            item = self._items.pop(name)
            self._row.removeWidget(item)
            item.hide()
            item.deleteLater()
        for one in shown:
            self._item(one.name).show_work(one.title, one.done)
        self.setVisible(bool(shown))
        waiting = [begun for name, begun in self._begun.items() if name not in self._items]
        self._wait.stop()
        if waiting:
            self._wait.start(max(1, round(1000 * (min(waiting) - due)) + 1))

    def _item(self, name: str) -> TaskProgress:
        if name not in self._items:
            self._items[name] = item = TaskProgress(self._appearance, self)
            item.cancel_requested.connect(partial(self.cancel_requested.emit, name))
            self._row.addWidget(item)
        return self._items[name]
