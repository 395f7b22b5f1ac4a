"""How fast the event browser is with a long result of the reference server, as its own process."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import lru_cache

import msgspec

from tests.performance.processes import finished
from tests.performance.rows import Context, Measured, Row, over_row, ratio_row
from tests.performance.server_stage import stage


def first_rows(context: Context) -> Row:
    """From asking for other rows to their being painted, over the server's answer alone."""
    found = _session(context)
    return over_row(
        "events.first_rows_over_server_ms", found["first_rows"], found["first_rows_served"], goal=60
    )


def jump(context: Context) -> Row:
    """Going to rows that are not here yet, until their place is painted; 95 of 100 are done within this."""
    return Row("events.jump_placeholder_ms", round(_session(context)["jump_p95"], 1), "ms", goal=16)


def scroll(context: Context) -> Row:
    """The slowest of a hundred frames while scrolling by three rows and jumping to anywhere."""
    return Row("events.scroll_p99_ms", round(_session(context)["scroll_p99"], 1), "ms", goal=16.7)


def select_all(context: Context) -> Row:
    """Selecting every row and painting that."""
    return Row("events.select_all_ms", round(_session(context)["select_all"], 1), "ms", goal=20)


def longest_stall(context: Context) -> Row:
    """The longest time for which the window did not answer while somebody scrolled, jumped, sorted,
    filtered, looked at records and exported.
    """
    return Row("events.longest_stall_ms", round(_session(context)["longest_stall"], 1), "ms", goal=50)


def memory(context: Context) -> Row:
    """The most that the program had of its own over the window without rows: while pages of whole events
    came and went, and while all were searched and exported.
    """
    most = max(_session(context)["memory"], _reading(context)["memory"])
    return Row("events.memory_over_idle_mb", round(most, 1), "MB", goal=150)


def export(context: Context) -> Row:
    """An export beside the same calls, made by httpx alone, whose bytes are written as they come.

    What is done once for a file, such as its receipt, tells in a short one: the goal is for a long one.
    """
    found = _reading(context)
    row = ratio_row("events.export_ratio", found["export"], found["bare_export"], goal=1.3)
    return replace(row, goal=None) if context.is_quick else row


def export_memory(context: Context) -> Row:
    """What an export takes while it is under way."""
    return Row("events.export_memory_mb", round(_reading(context)["export_memory"], 1), "MB", goal=30)


def search(context: Context) -> Row:
    """A search for an expression beside the same calls, made by httpx alone, and the expression tried on
    each record as it came.
    """
    found = _reading(context)
    return ratio_row("events.search_ratio", found["search"], found["bare_search"], goal=1.5)


def _session(context: Context) -> dict[str, float]:
    """One sitting in a process of its own."""
    return _child(context, "events_session", str(context.repeats))


def _reading(context: Context) -> dict[str, float]:
    """Exports and searches in a process of its own."""
    given = ("20000", "2", "0") if context.is_quick else ("100000", "5", "1")
    return _child(context, "events_reading", *given)


@lru_cache(maxsize=2)
def _child(context: Context, module: str, *given: str) -> dict[str, float]:
    places = stage(context).base, str(context.folder)
    command = [sys.executable, "-m", f"tests.performance.{module}", *places, *given]
    return msgspec.json.decode(finished(command, context.folder), type=dict[str, float])


MEASUREMENTS = (
    Measured("events.first_rows_over_server_ms", first_rows),
    Measured("events.jump_placeholder_ms", jump),
    Measured("events.scroll_p99_ms", scroll),
    Measured("events.select_all_ms", select_all),
    Measured("events.longest_stall_ms", longest_stall),
    Measured("events.memory_over_idle_mb", memory),
    Measured("events.export_ratio", export),
    Measured("events.export_memory_mb", export_memory),
    Measured("events.search_ratio", search),
)
