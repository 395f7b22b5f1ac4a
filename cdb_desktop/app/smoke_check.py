"""``--smoke``: waits until every part of the window shows data, and prints how long that took."""

from __future__ import annotations

import asyncio
import faulthandler
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.widgets.paint_watch import PaintWatch
from cdb_desktop.vocabulary.error_messages import ErrorMessage

if TYPE_CHECKING:
    from cdb_desktop.ui.shell.workspace import Workspace

PARTS = ("window", "first_rows", "live", "diagram")

# What the program does until each of them has passed.
_STEPS = {
    "window": "showing the window",
    "connection": "starting the server of the demo, or signing in to the service",
    "first_rows": "reading the first events",
    "live": "reading the live feed",
    "diagram": "reading the data model and drawing its diagram",
}
_GRACE = 10.0  # seconds until the stacks of all threads are printed if the event loop itself hangs


class Milestones(QObject):
    """When the parts of the window were first painted with data, in milliseconds since the process started.

    Signals: ``reached`` with the name of a part.
    """

    reached = Signal(str)

    def __init__(self, clock: Callable[[], float], parent: QObject | None = None) -> None:
        """``clock`` returns the milliseconds since the process started."""
        super().__init__(parent)
        self.now = clock
        self.passed: dict[str, float] = {}

    def watch(self, name: str, widget: QWidget, has_data: Callable[[], bool]) -> None:
        """Records the first time ``widget`` is painted while ``has_data()`` is true."""

        def record() -> None:
            self.passed.setdefault(name, self.now())
            self.reached.emit(name)

        PaintWatch(widget, has_data).painted.connect(record)

    def watch_pages(self, pages: Workspace) -> None:
        """Watches the pages of a connection, also those that are created later."""
        watched: set[str] = set()
        self.passed.setdefault("connection", self.now())

        def watch_new() -> None:
            for part in pages.visible_parts:
                if part.name not in watched:
                    watched.add(part.name)
                    self.watch(part.name, part.widget, part.has_data)

        watch_new()
        pages.page_made.connect(watch_new)

    async def wait_for(self, *names: str) -> None:
        """Returns when all these parts have been painted."""
        done = asyncio.Event()

        def check(_name: str = "") -> None:
            if self.passed.keys() >= set(names):
                done.set()

        self.reached.connect(check)
        check()
        await done.wait()
        self.reached.disconnect(check)


class SmokeCheck:
    """One check. ``exit_code`` is 0 once every part of the window has shown data, and 1 before."""

    def __init__(
        self, window: MainWindow, milestones: Milestones, end: Callable[[], None], timeout: float
    ) -> None:
        """``end`` is called after the result has been printed; ``timeout`` is in seconds."""
        self.exit_code = 1
        self._timeout = timeout
        self._window = window
        self._milestones = milestones
        self._end = end

    async def run(self) -> None:
        """Prints one line of JSON on stdout, or after the timeout a reason on stderr."""
        seconds = max(0.0, self._timeout - self._milestones.now() / 1000)
        faulthandler.dump_traceback_later(seconds + _GRACE, exit=True)
        try:
            async with asyncio.timeout(seconds):
                await self._show_all_pages()
        except TimeoutError:
            step = next(text for part, text in _STEPS.items() if part not in self._milestones.passed)
            self._abort(
                f"after {self._timeout:g} s this had not ended: {step}; --timeout SECONDS gives it more time"
            )
        else:
            passed = self._milestones.passed
            sys.stdout.write(f"{json.dumps({part: round(passed[part]) for part in PARTS})}\n")
            sys.stdout.flush()
            self.exit_code = 0
            self._end()

    def fail(self, message: ErrorMessage) -> None:
        """Ends the check because there is no connection, and so no data."""
        self._abort(f"{message.title}: {message.text} {message.remedy}")

    def fail_without_password(self) -> None:
        """Ends the check because login or password is missing."""
        self._abort("log-in or password is missing: neither keyring nor environment has it")

    async def _show_all_pages(self) -> None:
        """Shows all pages one after another, and then those that were shown before."""
        actions = self._window.actions_by_name
        shown = next(name for name in ("schema", "events") if actions[name].isChecked() or name == "events")
        actions["events"].setChecked(True)
        has_feed = actions["live"].isChecked()
        actions["live"].setChecked(True)
        await self._milestones.wait_for("window", "first_rows", "live")
        actions["live"].setChecked(has_feed)
        actions["schema"].setChecked(True)
        await self._milestones.wait_for("diagram")
        actions[shown].setChecked(True)

    def _abort(self, reason: str) -> None:
        sys.stderr.write(f"cdb-desktop: {reason}\n")
        self._end()
