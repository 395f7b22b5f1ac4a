"""Speed of the event browser with a long result of the reference server as a separate process."""

import sys
from dataclasses import replace
from functools import lru_cache

import msgspec

from tests.performance.processes import finished
from tests.performance.rows import Context, Measured, Row, figure, over_row, ratio_row
from tests.performance.server.stage import stage


def first_rows(context: Context) -> Row:
    """From a change of the query to painted rows, minus the time of the server's response."""
    found = _session(context)
    return over_row(
        "events.first_rows_over_server_ms", found["first_rows"], found["first_rows_served"], goal=60
    )


def export(context: Context) -> Row:
    """An export compared with the same calls made by httpx, whose bytes are written as they arrive.

    The constant cost of a file, such as its receipt, dominates in a short one: the goal is for a long one.
    """
    found = _reading(context)
    row = ratio_row("events.export_ratio", found["export"], found["bare_export"], goal=1.3)
    return replace(row, goal=None) if context.is_quick else row


def search(context: Context) -> Row:
    """A search for an expression compared with the same calls made by httpx and the expression applied to
    each record.
    """
    found = _reading(context)
    return ratio_row("events.search_ratio", found["search"], found["bare_search"], goal=1.5)


def _memory(context: Context) -> float:
    """The maximum of private memory above that of the window without rows, while pages are loaded and
    evicted, searched and exported.
    """
    return max(_session(context)["memory"], _reading(context)["memory"])


def _history_seconds(context: Context) -> float:
    """From the command to the painted history of an object with fifty versions, all of them compared."""
    return _history(context)["seconds"] * 50 / _history(context)["versions"]


def _history(context: Context) -> dict[str, float]:
    """Reads the history of an object with about fifty versions in a separate process."""
    chosen = (
        "SELECT max(id) FROM _event WHERE objecttype IS NOT NULL AND type = 'OBJECT_UPDATE' "
        "GROUP BY objecttype, object_id ORDER BY abs(max(object_version) - 50) LIMIT 1"
    )
    number = stage(context).bare.execute(chosen).fetchone()[0]
    return _child(context, "history", str(number), "3")


def _session(context: Context) -> dict[str, float]:
    """Runs one session of the browser in a separate process."""
    return _child(context, "session", str(context.repeats))


def _reading(context: Context) -> dict[str, float]:
    """Runs exports and searches in a separate process."""
    given = ("20000", "2", "0") if context.is_quick else ("100000", "5", "1")
    return _child(context, "export_and_search", *given)


@lru_cache(maxsize=3)
def _child(context: Context, module: str, *given: str) -> dict[str, float]:
    places = stage(context).base, str(context.folder)
    command = [sys.executable, "-m", f"tests.performance.events.{module}", *places, *given]
    return msgspec.json.decode(finished(command, context.folder), type=dict[str, float])


MEASUREMENTS = (
    Measured("events.first_rows_over_server_ms", first_rows),
    # From a jump to rows that are not loaded to their painting, 95th percentile.
    figure("events.jump_placeholder_ms", "ms", 16, lambda context: _session(context)["jump_p95"]),
    # The slowest of a hundred frames while scrolling by three rows and jumping to anywhere.
    figure("events.scroll_p99_ms", "ms", 16.7, lambda context: _session(context)["scroll_p99"]),
    # Selecting all rows and painting the selection.
    figure("events.select_all_ms", "ms", 20, lambda context: _session(context)["select_all"]),
    # While a user scrolls, jumps, sorts, filters, reads records and exports.
    figure("events.longest_stall_ms", "ms", 50, lambda context: _session(context)["longest_stall"]),
    figure("events.memory_over_idle_mb", "MB", 150, _memory),
    Measured("events.export_ratio", export),
    figure("events.export_memory_mb", "MB", 30, lambda context: _reading(context)["export_memory"]),
    Measured("events.search_ratio", search),
    figure("events.history_50_versions_s", "s", 1, _history_seconds, 2),
    figure("events.history_stall_ms", "ms", 50, lambda context: _history(context)["stall"]),
)
