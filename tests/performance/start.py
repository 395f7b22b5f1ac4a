"""How fast both programs start."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import msgspec

from tests.performance.processes import finished, milliseconds, server
from tests.performance.rows import Context, Measured, Row


def window(context: Context) -> Row:
    """Process start to the first painted window, the demo's data already made."""
    folder = context.folder / "desktop"
    command = [sys.executable, "-m", "cdb_desktop", "--smoke"]
    times = [msgspec.json.decode(finished(command, folder)) for _ in range(min(context.repeats, 5) + 1)]
    value = median(each["window"] for each in times[1:])
    return Row("start.window_ms", round(value, 1), "ms", goal=300)


def server_ready(context: Context) -> Row:
    """Process start to the line `Listening on`, beside a bare interpreter's start."""
    folder = context.folder / "ready"

    arguments = ("--database", str(folder / "ready.sqlite"))
    started = [_time_until_ready(folder, arguments) for _ in range(context.repeats + 1)][1:]
    bare = [
        milliseconds(lambda: finished([sys.executable, "-c", ""], folder)) for _ in range(context.repeats)
    ]
    floor, value = median(bare), median(started)
    return Row("start.server_ready_ms", round(value, 1), "ms", round(floor, 1), round(value / floor, 2), 500)


def _time_until_ready(folder: Path, arguments: tuple[str, ...]) -> float:
    with ExitStack() as running:
        return milliseconds(lambda: running.enter_context(server(folder, *arguments)))


MEASUREMENTS = (Measured("start.window_ms", window), Measured("start.server_ready_ms", server_ready))
