"""`python -m tests.performance.start_watch --smoke`: runs the program and measures delays of its event loop.

Prints, after the program's own line, the longest delay in milliseconds between the first painting of the
window and that of the last part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from unittest.mock import patch

from cdb_desktop.__main__ import main
from cdb_desktop.app.smoke_check import Milestones
from tests.performance.heart import Heart


class Watched(Milestones):
    """Milestones that let a heart beat from the first painting of the window on."""

    def __init__(self, clock: Callable[[], float], heart: Heart) -> None:
        super().__init__(clock)
        self._heart = heart
        self.reached.connect(self._start)

    def _start(self, part: str) -> None:
        if part == "window":
            self._heart.start()


if __name__ == "__main__":
    heart = Heart()
    with patch("cdb_desktop.app.application.Milestones", lambda clock, _parent: Watched(clock, heart)):
        code = main()
    print(heart.longest)
    sys.exit(code)
