"""Start times of both programs."""

import sys
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from statistics import median

import msgspec

from tests.performance.processes import finished, milliseconds, server
from tests.performance.rows import Context, Measured, Row, figure, ratio_row

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


def over_bare_window(context: Context) -> Row:
    """The first window compared with an empty window of PySide6, both from process start."""
    return ratio_row("start.over_bare_window", _median(context, "window"), _median(context, "bare"), goal=2.5)


def longest_stall(context: Context) -> Row:
    """The longest time without a reaction of the window, from its first painting until rows, feed and diagram
    have been painted.
    """
    command = [sys.executable, "-m", "tests.performance.start_watch", "--smoke"]
    outputs = [finished(command, _home(context)) for _ in range(1 if context.is_quick else 5)]
    stalls = [float(output.splitlines()[-1]) for output in outputs]
    return Row("start.longest_stall_ms", round(median(stalls), 1), "ms", goal=50)


def _median(context: Context, part: str) -> float:
    """Median milliseconds to a part of the window, or of the whole run of an empty window (``bare``)."""
    return float(round(median(each[part] for each in _starts(context)[1:]), 1))


@lru_cache(maxsize=1)
def _starts(context: Context) -> list[dict[str, float]]:
    """Starts of both in turns; the first one creates the demo data and compiles modules."""
    folder = _home(context)

    def start() -> dict[str, float]:
        bare = milliseconds(lambda: finished([sys.executable, "-c", _BARE], folder))
        output = finished([sys.executable, "-m", "cdb_desktop", "--smoke"], folder)
        return msgspec.json.decode(output, type=dict[str, float]) | {"bare": bare}

    return [start() for _ in range(min(context.repeats, 5) + 1)]


def _home(context: Context) -> Path:
    return context.folder / "desktop"


def server_ready(context: Context) -> Row:
    """Process start to the line `Listening on`, compared with the start of the interpreter."""
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
    # Process start to what is painted first, with existing demo data or in an empty folder.
    figure("start.window_ms", "ms", 300, lambda context: _median(context, "window")),
    figure("start.first_rows_ms", "ms", 900, lambda context: _median(context, "first_rows")),
    figure("start.first_start_ms", "ms", 6000, lambda context: _starts(context)[0]["first_rows"]),
    Measured("start.over_bare_window", over_bare_window),
    Measured("start.longest_stall_ms", longest_stall),
    Measured("start.server_ready_ms", server_ready),
)
