"""Cost of a poll without new events, the most frequent kind."""

from __future__ import annotations

from tests.performance.processes import medians
from tests.performance.rows import Context, Measured, Row, over_row
from tests.performance.server_stage import stage

_NEW = "SELECT id, head, tail FROM _event WHERE id > ? AND pollable = 1 ORDER BY id LIMIT 25"


def poll_over(context: Context) -> Row:
    """A poll from the end of the log compared with its query."""
    on = stage(context)
    (last,) = on.bare.execute("SELECT max(id) FROM _event").fetchone()
    request = on.wire.request(f"event/poll/{last}")
    assert on.wire.answer(request) == b"[]"
    served, floor = medians(
        context.repeats * 100,
        lambda: on.wire.answer(request),
        lambda: on.bare.execute(_NEW, (last,)).fetchall(),
    )
    return over_row("server.poll_over_ms", served, floor, goal=0.4)


MEASUREMENTS = (Measured("server.poll_over_ms", poll_over),)
