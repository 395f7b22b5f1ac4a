"""Notes when the parts of the window have first been painted with something to see."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.widgets.paint_watch import PaintWatch


class Milestones(QObject):
    """What has been seen on the screen so far.

    Signals: ``reached`` with the name of a part.
    """

    reached = Signal(str)

    def __init__(self, clock: Callable[[], float], parent: QObject | None = None) -> None:
        """``clock`` gives the milliseconds since the process started."""
        super().__init__(parent)
        self.now = clock
        self.passed: dict[str, float] = {}

    def watch(self, name: str, widget: QWidget, has_something: Callable[[], bool]) -> None:
        """Notes the first painting of ``widget`` for which ``has_something`` is true."""

        def note() -> None:
            self.passed.setdefault(name, self.now())
            self.reached.emit(name)

        PaintWatch(widget, has_something).painted.connect(note)
