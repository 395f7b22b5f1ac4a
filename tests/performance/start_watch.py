"""`python -m tests.performance.start_watch --smoke`: runs the program and measures delays of its event loop.

Prints, after the program's own line, the longest delay in milliseconds between the first painting of the
window and that of the last part.
"""

import sys
from collections.abc import Callable
from unittest.mock import patch

from cdb_desktop.__main__ import main
from cdb_desktop.app.smoke_check import Milestones
from tests.performance.stall_watch import StallWatch


class Watched(Milestones):
    """Milestones that start the stall watch at the first painting of the window."""

    def __init__(self, clock: Callable[[], float], stalls: StallWatch) -> None:
        super().__init__(clock)
        self._stalls = stalls
        self.reached.connect(self._start)

    def _start(self, part: str) -> None:
        if part == "window":
            self._stalls.start()


if __name__ == "__main__":
    stalls = StallWatch()
    with patch("cdb_desktop.app.application.Milestones", lambda clock, _parent: Watched(clock, stalls)):
        code = main()
    print(stalls.longest)
    sys.exit(code)
