"""``--smoke``: waits until every page shows data and prints how long that took."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable

from cdb_desktop.ui.window.main_window import MainWindow
from cdb_desktop.ui.window.milestones import Milestones
from cdb_desktop.ui.window.tour import PARTS, tour
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
