"""``--smoke``: waits until every page shows data and prints how long that took."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.shell.page_interfaces import ConnectionPages
from cdb_desktop.ui.widgets.paint_watch import PaintWatch
from cdb_desktop.vocabulary.error_messages import ErrorMessage

_SECONDS = 40.0


class SmokeCheck:
    """One check. ``exit_code`` is 0 once every part of the window has shown data, and 1 before."""

    def __init__(self, window: MainWindow, milestones: Milestones, end: Callable[[], None]) -> None:
        """``end`` is called after the outcome has been printed."""
        self.exit_code = 1
        self._window = window
        self._milestones = milestones
        self._end = end

    async def run(self) -> None:
        """Prints one line of JSON on stdout, or after 40 s a reason on stderr."""
        try:
            async with asyncio.timeout(_SECONDS - self._milestones.now() / 1000):
                seen = await tour(self._window, self._milestones)
        except TimeoutError:
            missing = ", ".join(part for part in PARTS if part not in self._milestones.passed)
            self._abort(f"after {_SECONDS:g} s nothing was seen of: {missing}")
        else:
            sys.stdout.write(f"{json.dumps(seen)}\n")
            sys.stdout.flush()
            self.exit_code = 0
            self._end()

    def fail(self, message: ErrorMessage) -> None:
        """Ends the check because there is no connection, and so no data."""
        self._abort(f"{message.title}: {message.text} {message.remedy}")

    def fail_without_password(self) -> None:
        """Ends the check because a dialog asks for login or password."""
        self._abort("log-in or password is missing: neither keyring nor environment has it")

    def _abort(self, reason: str) -> None:
        sys.stderr.write(f"cdb-desktop: {reason}\n")
        self._end()


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


PARTS = ("window", "first_rows", "live", "diagram")


def watch_workspace(milestones: Milestones, panes: ConnectionPages) -> None:
    """Notes when events, live feed and diagram have been painted."""
    watched: set[str] = set()

    def watch() -> None:
        for sight in panes.visible_parts:
            if sight.part not in watched:
                watched.add(sight.part)
                milestones.watch(sight.part, sight.widget, sight.has_something)

    watch()
    panes.page_made.connect(watch)


async def tour(window: MainWindow, milestones: Milestones) -> dict[str, int]:
    """Shows page after page and goes back; gives the milliseconds after which each part had been painted."""
    actions = window.actions_by_name
    shown = [name for name in ("events", "schema", "live") if actions[name].isChecked()]
    for name in ("live", "events"):
        actions[name].setChecked(True)
    await _until(milestones, {"window", "first_rows", "live"})
    actions["schema"].setChecked(True)
    await _until(milestones, {"diagram"})
    actions["live"].setChecked("live" in shown)
    actions[shown[0]].setChecked(True)
    return {part: round(milestones.passed[part]) for part in PARTS}


async def _until(milestones: Milestones, parts: set[str]) -> None:
    seen = asyncio.Event()

    def look(_part: str = "") -> None:
        if parts <= milestones.passed.keys():
            seen.set()

    milestones.reached.connect(look)
    look()
    await seen.wait()
    milestones.reached.disconnect(look)
