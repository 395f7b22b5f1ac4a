"""How smoothly the event browser runs over a long result of the reference server, as its own process."""

from __future__ import annotations

import sys
from functools import lru_cache

import msgspec

from tests.performance.processes import finished, server
from tests.performance.rows import Context, Measured, Row


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


@lru_cache(maxsize=1)
def _session(context: Context) -> dict[str, float]:
    """One sitting in a process of its own; the server's file is the one that the list's measurement made."""
    file = context.folder / f"events-{context.events}.sqlite"
    arguments = ("--database", str(file), "--demo", "--demo-events", str(context.events))
    with server(context.folder, *arguments) as base:
        given = (base, str(context.folder), str(context.repeats))
        command = [sys.executable, "-m", "tests.performance.events_session", *given]
        return msgspec.json.decode(finished(command, context.folder), type=dict[str, float])


MEASUREMENTS = (
    Measured("events.scroll_p99_ms", scroll),
    Measured("events.select_all_ms", select_all),
    Measured("events.longest_stall_ms", longest_stall),
)
