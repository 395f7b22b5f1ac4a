"""What the live feed costs when very much happens, in a window that is painted."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path
from statistics import median

import msgspec

from tests.performance.processes import finished
from tests.performance.rows import Context, Measured, Row

_MOST = 50_000


def us_per_event(context: Context) -> Row:
    """Processor time for each event from the answer of a poll to the painted row."""
    value = median(each["us_per_event"] for each in _floods(context))
    return Row("live.us_per_event", round(value, 1), "us", goal=50)


def longest_stall(context: Context) -> Row:
    """The longest time for which the loop did not turn while a full batch came every 20 ms."""
    value = median(each["longest_stall_ms"] for each in _floods(context))
    return Row("live.longest_stall_ms", round(value, 1), "ms", goal=50)


def _floods(context: Context) -> list[dict[str, float]]:
    return _run(context.folder, min(_MOST, context.events // 5), min(context.repeats, 3))


@lru_cache(maxsize=1)
def _run(folder: Path, events: int, repeats: int) -> list[dict[str, float]]:
    # Both rows tell of the same floods.
    command = [sys.executable, "-m", "tests.performance.live_feed", str(events)]
    return [msgspec.json.decode(finished(command, folder)) for _ in range(repeats)]


MEASUREMENTS = (
    Measured("live.us_per_event", us_per_event),
    Measured("live.longest_stall_ms", longest_stall),
)
