"""The program's check of itself: waits until everything shows data and prints how long that took."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable

from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.milestones import Milestones
from cdb_desktop.ui.window.tour import PARTS, tour
from cdb_desktop.vocabulary.sentences import Sentence

_SECONDS = 40.0


class Smoke:
    """One check; ``exit_code`` is 0 once everything has been seen."""

    def __init__(self, window: MainWindow, milestones: Milestones, end: Callable[[], None]) -> None:
        """``end`` is called when the outcome is known and printed."""
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
            self._give_up(f"after {_SECONDS:g} s nothing was seen of: {missing}")
        else:
            sys.stdout.write(f"{json.dumps(seen)}\n")
            sys.stdout.flush()
            self.exit_code = 0
            self._end()

    def fail(self, said: Sentence) -> None:
        """There is no connection, so there will be no data."""
        self._give_up(f"{said.title}: {said.text} {said.remedy}")

    def miss_password(self) -> None:
        """Nobody is there to fill in what is missing."""
        self._give_up("log-in or password is missing: neither keyring nor environment has it")

    def _give_up(self, reason: str) -> None:
        sys.stderr.write(f"cdb-desktop: {reason}\n")
        self._end()
