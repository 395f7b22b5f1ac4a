"""Cost of the server's CSV compared with the driver reading the same file and writing the same CSV."""

import csv
import io
import sqlite3

from tests.performance.processes import milliseconds
from tests.performance.rows import Context, Measured, Row, ratio_row
from tests.performance.server.stage import stage

_PAGE = 1000
_HEADER = (
    "_id,timestamp,type,schema,basetype,objecttype,object_id,object_version,global_object_id,pollable,"
    "user_id,user_generated_displayname,user_type,session,ipv4_address,info"
)
_ROWS = """
    SELECT id, strftime('%Y-%m-%dT%H:%M:%S+00:00', timestamp, 'unixepoch'), type, schema, base_type,
           objecttype, object_id, object_version,
           CASE WHEN schema = 'USER' AND object_id IS NOT NULL THEN object_id || '@' || ? END,
           CASE pollable WHEN 1 THEN 'true' ELSE 'false' END,
           user_id, user_displayname, user_type, session, ipv4_address, info
    FROM _event ORDER BY id LIMIT ? OFFSET ?
"""


def pages(context: Context) -> Row:
    """The whole log in pages of a thousand events, with both programs in turns; their bytes are equal. A
    quick run reads only some pages.
    """
    on = stage(context)
    instance = _instance(on.bare)
    served = floor = 0.0
    for offset in range(0, context.events, _PAGE * (4 if context.is_quick else 1)):
        request = on.wire.request(
            "event/list",
            format="csv",
            csv_max_length=0,
            sort="_id",
            limit=_PAGE,
            offset=offset,
            skip_count="true",
        )
        if offset == 0:
            assert on.wire.answer(request) == _written(on.bare, instance, 0)
        served += milliseconds(lambda request=request: on.wire.answer(request))  # type: ignore[misc]
        floor += milliseconds(lambda offset=offset: _written(on.bare, instance, offset))  # type: ignore[misc]
    return ratio_row("server.csv_pages", served, floor, goal=1.5)


def _instance(bare: sqlite3.Connection) -> str:
    head: str
    (head,) = bare.execute("SELECT head FROM _event WHERE schema = 'USER' LIMIT 1").fetchone()
    return head.partition('"global_object_id":"')[2].partition('"')[0].partition("@")[2]


def _written(bare: sqlite3.Connection, instance: str, offset: int) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_HEADER.split(","))
    writer.writerows(bare.execute(_ROWS, (instance, _PAGE, offset)))
    return text.getvalue().encode()


MEASUREMENTS = (Measured("server.csv_pages", pages),)
