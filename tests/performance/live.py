"""Cost of the live feed with very many events in a painted window, and with none."""

import sys
from functools import lru_cache
from pathlib import Path

import msgspec

from tests.performance.processes import announced, finished, server_process
from tests.performance.rows import MILLION, Context, figure
from tests.performance.server.stage import stage

_A_SECOND = 50_000  # number of events
_MINUTE = 60 * _A_SECOND
_CALM = 100_000  # in batches
_BURST = 10_000  # ten times what one answer brings (§4.2)


def _visible_p95(context: Context) -> float:
    """From the response with a thousand events to the painting of the last of them, 95th percentile."""
    return _child(context.folder, "calm", str(min(_CALM, context.events // 20)))["visible_p95_ms"]


def _million_mb(context: Context) -> float:
    """Memory of a million stored events, above that of the window without events."""
    number = MILLION // 10 if context.is_quick else MILLION
    return _child(context.folder, "million", str(number))["megabytes"] * MILLION / number


def _burst_stall(context: Context) -> float:
    """The longest stall after one answer with 10,000 events, for a filter, highlights and an alarm."""
    return _child(context.folder, "burst", stage(context).base, str(_BURST))["longest_stall_ms"]


def _idle_cpu(context: Context) -> float:
    """Percentage of a core while a feed without events polls once a second."""
    seconds = 2 if context.is_quick else 30
    return _child(context.folder, "idle", stage(context).base, str(seconds))["percent"]


def _stream_cpu(context: Context) -> float:
    """The same while the service sends events by itself."""
    seconds = 2 if context.is_quick else 30
    return _child(context.folder, "idle", _streaming(context), str(seconds))["percent"]


@lru_cache(maxsize=1)
def _streaming(context: Context) -> str:
    """The address of a server with a stream of the events of the stage."""
    stage(context)
    file = context.folder / f"events-{context.events}.sqlite"
    arguments = ("--database", str(file), "--generation", "6")
    return announced(context.running.enter_context(server_process(context.folder, *arguments)))


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
    # Over a minute: processor time for each event from the response to the painted row.
    figure("live.us_per_event", "us", 50, lambda context: _flood(context)["us_per_event"]),
    figure("live.frame_p95_ms", "ms", 16.7, lambda context: _flood(context)["frame_p95_ms"]),
    figure("live.longest_stall_ms", "ms", 50, lambda context: _flood(context)["longest_stall_ms"]),
    figure("live.visible_p95_ms", "ms", 30, _visible_p95),
    figure("live.million_mb", "MB", 150, _million_mb),
    figure("live.burst_stall_ms", "ms", 50, _burst_stall),
    figure("live.idle_cpu_percent", "%", 1, _idle_cpu, 2),
    figure("live.stream_idle_cpu_percent", "%", 1, _stream_cpu, 2),
)
