"""Speed of the machine during the measurements, and the processor time taken by other machines.

Times cannot be compared without it: the same machine may be half as fast an hour later.
"""

import os
import platform
import time
from pathlib import Path

_STEPS = 2_000_000
_TIMES = 3
_STOLEN = 7  # index of the time that the host gave to others, in /proc/stat
_PLACES = 8


class Machine:
    """Measures this machine from its creation on."""

    def __init__(self) -> None:
        self._before = _times()
        self._loops = [_loop() for _ in range(_TIMES)]

    def describe(self) -> str:
        """The machine, and its speed at the beginning and the end."""
        begin, end = min(self._loops), min(_loop() for _ in range(_TIMES))
        what = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores"
        speed = f"{_STEPS:,} steps of a bare loop took {begin:.0f} ms before and {end:.0f} ms after"
        return f"{what}\n{speed}{self._taken()}"

    def _taken(self) -> str:
        """The share of processor time that the host gave to others, if the system reports it."""
        passed = [after - before for before, after in zip(self._before, _times(), strict=True)]
        if not any(passed):
            return ""
        return f"; others took {100 * passed[_STOLEN] / sum(passed):.1f} % of the processor"


def _loop() -> float:
    """Milliseconds of a loop that only counts."""
    started, number = time.perf_counter(), 0
    for step in range(_STEPS):
        number += step
    return (time.perf_counter() - started) * 1000


def _times() -> list[int]:
    """Processor times since the start in ticks by kind; zeros without /proc."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return [0] * _PLACES
    first = stat.read_text(encoding="ascii").splitlines()[0]
    return [int(ticks) for ticks in first.split()[1 : 1 + _PLACES]]
