"""How fast the machine is while it measures, and how much of it others took; knows no program.

Rows in milliseconds and seconds say nothing without this: the same machine may be half as fast an hour later.
"""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

_STEPS = 2_000_000
_TIMES = 3
_STOLEN = 7  # the place of the time that the host gave to others, among those of /proc/stat
_PLACES = 8


class Machine:
    """This machine from now on."""

    def __init__(self) -> None:
        self._before = _times()
        self._loops = [_loop() for _ in range(_TIMES)]

    def describe(self) -> str:
        """What it is, and how fast it was at the beginning and the end."""
        begin, end = min(self._loops), min(_loop() for _ in range(_TIMES))
        what = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores"
        speed = f"{_STEPS:,} steps of a bare loop took {begin:.0f} ms before and {end:.0f} ms after"
        return f"{what}\n{speed}{self._taken()}"

    def _taken(self) -> str:
        """How much others took meanwhile, where the system tells that."""
        passed = [after - before for before, after in zip(self._before, _times(), strict=True)]
        if not any(passed):
            return ""
        return f"; others took {100 * passed[_STOLEN] / sum(passed):.1f} % of the processor"


def _loop() -> float:
    """Milliseconds of a loop that does nothing but count."""
    started, number = time.perf_counter(), 0
    for step in range(_STEPS):
        number += step
    return (time.perf_counter() - started) * 1000


def _times() -> list[int]:
    """What the processor has done so far, in ticks by kind; nothing where there is no /proc."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return [0] * _PLACES
    first = stat.read_text(encoding="ascii").splitlines()[0]
    return [int(ticks) for ticks in first.split()[1 : 1 + _PLACES]]
