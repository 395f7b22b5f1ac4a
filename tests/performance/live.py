"""Cost of the live feed with very many events in a painted window, and with none."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import msgspec

from tests.performance.processes import finished
from tests.performance.rows import MILLION, Context, Measured, Row
from tests.performance.server.stage import stage

_A_SECOND = 50_000  # number of events
_MINUTE = 60 * _A_SECOND
_CALM = 100_000  # in batches
_BURST = 10_000  # ten times what one answer brings (§4.2)


def us_per_event(context: Context) -> Row:
    """Processor time for each event from the response to the painted row, over a minute."""
    return Row("live.us_per_event", round(_flood(context)["us_per_event"], 1), "us", goal=50)


def frame_p95(context: Context) -> Row:
    """The 95th percentile of the painting times of the rows in this minute."""
    return Row("live.frame_p95_ms", round(_flood(context)["frame_p95_ms"], 1), "ms", goal=16.7)


def longest_stall(context: Context) -> Row:
    """The longest time for which the event loop did not run in this minute."""
    return Row("live.longest_stall_ms", round(_flood(context)["longest_stall_ms"], 1), "ms", goal=50)


def visible_p95(context: Context) -> Row:
    """From the response with a thousand events to the painting of the last of them, 95th percentile."""
    number = min(_CALM, context.events // 20)
    found = _child(context.folder, "calm", str(number))["visible_p95_ms"]
    return Row("live.visible_p95_ms", round(found, 1), "ms", goal=30)


def million_mb(context: Context) -> Row:
    """Memory of a million stored events, above that of the window without events."""
    number = MILLION // 10 if context.is_quick else MILLION
    taken = _child(context.folder, "million", str(number))["megabytes"] * MILLION / number
    return Row("live.million_mb", round(taken, 1), "MB", goal=150)


def idle_cpu(context: Context) -> Row:
    """Percentage of a core while a feed without events polls once a second."""
    seconds = 2 if context.is_quick else 30
    percent = _child(context.folder, "idle", stage(context).base, str(seconds))["percent"]
    return Row("live.idle_cpu_percent", round(percent, 2), "%", goal=1)


def burst_stall(context: Context) -> Row:
    """The longest stall after one answer with 10,000 events, for a filter, highlights and an alarm."""
    found = _child(context.folder, "burst", stage(context).base, str(_BURST))
    return Row("live.burst_stall_ms", round(found["longest_stall_ms"], 1), "ms", goal=50)


def _flood(context: Context) -> dict[str, float]:
    # Three rows use the same measurement.
    number = _A_SECOND if context.is_quick else _MINUTE
    return _child(context.folder, "flood", str(number))


@lru_cache(maxsize=8)
def _child(folder: Path, *given: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.performance.live_feed", *given]
    found: dict[str, float] = msgspec.json.decode(finished(command, folder))
    return found


MEASUREMENTS = (
    Measured("live.us_per_event", us_per_event),
    Measured("live.frame_p95_ms", frame_p95),
    Measured("live.longest_stall_ms", longest_stall),
    Measured("live.visible_p95_ms", visible_p95),
    Measured("live.million_mb", million_mb),
    Measured("live.burst_stall_ms", burst_stall),
    Measured("live.idle_cpu_percent", idle_cpu),
)
