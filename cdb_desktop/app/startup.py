"""First steps of the start: the clock of the process, and QtCore with Python's plain ``import``."""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable

Clock = Callable[[], float]

_PLAIN_IMPORT = "__orig_import__"  # where PySide keeps the function that it replaces


def process_clock() -> Clock:
    """A clock of the milliseconds since the process started; create it before anything slow is done.

    Until here the process has done nothing but compute, so its CPU time is its age. The start time that the
    system records would include a shell that became this process.
    """
    began = time.perf_counter() - time.process_time()
    return lambda: (time.perf_counter() - began) * 1000


def load_qt_core() -> None:
    """Imports QtCore, and then restores Python's own ``import``.

    PySide replaces it by a wrapper that looks for ``from __feature__ import …``, which this program does not
    use, in the source of every module that is imported: a tenth of the time to the window.
    """
    import PySide6.QtCore  # noqa: F401, PLC0415  # this replaces the builtin

    builtins.__import__ = getattr(builtins, _PLAIN_IMPORT, builtins.__import__)
