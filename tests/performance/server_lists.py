"""How much the server's lists cost over the bare driver asking the same of the same file."""

from __future__ import annotations

import sqlite3

from tests.performance.processes import Wire, medians, server
from tests.performance.rows import Context, Measured, Row, ratio_row

_SHORT = """
    SELECT id, timestamp, type, schema, base_type, objecttype, object_id, object_version,
           user_id, user_displayname, session
    FROM _event ORDER BY id DESC LIMIT 1000
"""


def list_short(context: Context) -> Row:
    """1000 short records without the count."""
    file = context.folder / f"events-{context.events}.sqlite"
    with server(
        context.folder, "--database", str(file), "--demo", "--demo-events", str(context.events)
    ) as base:
        wire = Wire(base, "root", "admin")
        bare = sqlite3.connect(file)
        bare.execute(f"PRAGMA mmap_size={1 << 30}")
        served, floor = medians(
            context.repeats * 20,
            lambda: wire.call("GET", "event/list", limit=1000, skip_count="true"),
            lambda: bare.execute(_SHORT).fetchall(),
        )
        bare.close()
    return ratio_row("server.list_short", served, floor, goal=2.5)


MEASUREMENTS = (Measured("server.list_short", list_short),)
