"""Cost of the server's lists and polls compared with the driver fetching the same data from the same file."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from tests.performance.processes import medians, milliseconds
from tests.performance.rows import Context, Measured, Row, over_row, ratio_row
from tests.performance.server.stage import Stage, stage
from tests.performance.server.thin_wire import ThinWire

_MANY = 1_000_000
_SHORT = """
    id, timestamp, type, schema, base_type, objecttype, object_id, object_version,
    user_id, user_displayname, session
"""
_FULL = """
    SELECT e.id, timestamp, type, schema, base_type, objecttype, object_id, object_version, e.user_id,
           user_displayname, session, pollable, info, ipv4_address, s.record
    FROM _event e LEFT JOIN _session s ON s.reference = e.session ORDER BY e.id DESC LIMIT 1000
"""
# A poll without new events is the most frequent call.
_NEW = "SELECT id, head, tail FROM _event WHERE id > ? AND pollable = 1 ORDER BY id LIMIT 25"


def _bare_short(rest: str) -> str:
    return f"SELECT {_SHORT} FROM _event {rest}"  # noqa: S608


def list_short(context: Context) -> Row:
    """1000 short records without the count."""
    on = stage(context)
    bare = _query(on, _bare_short("ORDER BY id DESC LIMIT 1000"))
    served = _list(on, skip_count="true")
    served_ms, floor_ms = medians(context.repeats * 20, served, bare)
    return ratio_row("server.list_short", served_ms, floor_ms, 1.8)


def list_full(context: Context) -> Row:
    """1000 full records with the times of their sessions, without the count."""
    on = stage(context)
    served = _list(on, skip_count="true", format="json_full")
    served_ms, floor_ms = medians(context.repeats * 20, served, _query(on, _FULL))
    return ratio_row("server.list_full", served_ms, floor_ms, 2.0)


def filter_sort_count(context: Context) -> Row:
    """Two types, half the time, the three busiest users, sorted by time, with the count."""
    on = stage(context)
    first, last = _one(on, "SELECT min(timestamp), max(timestamp) FROM _event")
    since, until = first + (last - first) // 4, last - (last - first) // 4
    busiest = "SELECT user_id FROM _event WHERE user_id > 0 GROUP BY 1 ORDER BY count(*) DESC LIMIT 3"
    users = ",".join(str(user) for (user,) in on.bare.execute(busiest))
    chosen = f"""
        FROM _event WHERE type IN ('SEARCH', 'OBJECT_UPDATE') AND timestamp >= {since}
        AND timestamp <= {until} AND user_id IN ({users})
    """
    page = _query(on, f"SELECT {_SHORT} {chosen} ORDER BY timestamp, id LIMIT 1000")
    count = _query(on, f"SELECT count(*) {chosen}")
    times = {"date_from": _wire_time(since), "date_to": _wire_time(until)}
    served = _list(on, type="SEARCH,OBJECT_UPDATE", user_id=users, sort="timestamp", **times)
    served_ms, floor_ms = medians(context.repeats * 8, served, lambda: (page(), count()))
    return ratio_row("server.filter_sort_count", served_ms, floor_ms, 1.5)


def deep_offset(context: Context) -> Row:
    """1000 short records after an offset of nine tenths of the log."""
    on, offset = stage(context), context.events * 9 // 10
    bare = _query(on, _bare_short(f"ORDER BY id DESC LIMIT 1000 OFFSET {offset}"))
    served = _list(on, skip_count="true", offset=offset)
    served_ms, floor_ms = medians(context.repeats * 4, served, bare)
    return over_row("server.deep_offset_over_ms", served_ms, floor_ms, 2)


def count_type(context: Context) -> Row:
    """The count of a frequent type and its newest events; in a tenth of the log, counting takes no longer
    than a call, so that the goal is for the whole log.
    """
    on = stage(context)
    newest = _query(on, _bare_short("WHERE type = 'SEARCH' ORDER BY id DESC LIMIT 1"))
    count = _query(on, "SELECT count(*) FROM _event WHERE type = 'SEARCH'")
    served = _list(on, type="SEARCH", limit=1)
    served_ms, floor_ms = medians(context.repeats * 5, served, lambda: (newest(), count()))
    row = ratio_row("server.count_type", served_ms, floor_ms, 1.3)
    return row if context.events >= _MANY else replace(row, goal=None)


def sort_pairs(context: Context) -> Row:
    """The longest list sorted by two fields, at any offset; the goal is for three million events."""
    return Row("server.sort_s", round(longest_sort(stage(context).wire, context.events), 2), "s", goal=2)


# Fields of few and of many values, with and without nulls, and a pair of directions that no index has.
_SORTS = (
    "schema,object_id",
    "schema.DESC,timestamp",
    "type,object_version.DESC",
    "object_version,user_generated_displayname",
    "user_generated_displayname.DESC,object_id",
    "base_type,type.DESC",
    "timestamp.DESC,type",
    "object_id,_id.DESC",
)


def longest_sort(wire: ThinWire, events: int) -> float:
    """The seconds of the slowest of several pages at several offsets."""
    pages = [
        {"limit": 1000, "skip_count": "true", "sort": sort, "offset": offset}
        for sort in _SORTS
        for offset in (0, events // 2, events * 9 // 10)
    ]
    requests = [wire.request("event/list", **page) for page in pages]
    return max(milliseconds(partial(wire.answer, request)) for request in requests) / 1000


def _list(on: Stage, **parameters: object) -> Callable[[], object]:
    request = on.wire.request("event/list", **{"limit": 1000, **parameters})
    return lambda: on.wire.answer(request)


def _query(on: Stage, statement: str) -> Callable[[], object]:
    return lambda: on.bare.execute(statement).fetchall()


def _one(on: Stage, statement: str) -> tuple[int, ...]:
    found: tuple[int, ...] = on.bare.execute(statement).fetchone()
    return found


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


def _wire_time(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()


MEASUREMENTS = (
    Measured("server.list_short", list_short),
    Measured("server.list_full", list_full),
    Measured("server.filter_sort_count", filter_sort_count),
    Measured("server.deep_offset_over_ms", deep_offset),
    Measured("server.count_type", count_type),
    Measured("server.sort_s", sort_pairs, is_quick=False),
    Measured("server.poll_over_ms", poll_over),
)
