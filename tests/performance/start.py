"""How fast both programs start."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import msgspec

from tests.performance.processes import finished, milliseconds, server
from tests.performance.rows import Context, Measured, Row, ratio_row

_BARE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.show()
QTimer.singleShot(0, app.quit)
app.exec()
"""


def window(context: Context) -> Row:
    """Process start to the first painted window, the demo's data already made."""
    return Row("start.window_ms", _smoked(context, "window"), "ms", goal=300)


def first_rows(context: Context) -> Row:
    """Process start to the first painted rows of events, the demo's data already made."""
    return Row("start.first_rows_ms", _smoked(context, "first_rows"), "ms", goal=900)


def over_bare_window(context: Context) -> Row:
    """The first window beside an empty one that PySide6 shows, both from process start."""
    folder = context.folder / "desktop"
    bare = [milliseconds(lambda: finished([sys.executable, "-c", _BARE], folder)) for _ in range(6)]
    return ratio_row("start.over_bare_window", _smoked(context, "window"), median(bare[1:]), goal=2.5)


def _smoked(context: Context, part: str) -> float:
    """Median milliseconds to a part of the window, the first start not counted."""
    folder = context.folder / "desktop"
    command = [sys.executable, "-m", "cdb_desktop", "--smoke"]
    times = [msgspec.json.decode(finished(command, folder)) for _ in range(min(context.repeats, 5) + 1)]
    return float(round(median(each[part] for each in times[1:]), 1))


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


MEASUREMENTS = (
    Measured("start.window_ms", window),
    Measured("start.first_rows_ms", first_rows),
    Measured("start.over_bare_window", over_bare_window),
    Measured("start.server_ready_ms", server_ready),
)
