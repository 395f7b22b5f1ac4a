"""Events as CSV (§4.3, wire §3): columns, exploded info, trimming; knows rows and options, no HTTP."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from server_stub.database.tables import event
from server_stub.events.query import CsvOptions, Listing
from server_stub.events.record import global_object_id
from server_stub.times import to_wire

# The order of wire §3, all but `info`, which stands last.
_COLUMNS = (
    "_id",
    "timestamp",
    "type",
    "schema",
    "basetype",
    "objecttype",
    "object_id",
    "object_version",
    "global_object_id",
    "pollable",
    "user_id",
    "user_generated_displayname",
    "user_type",
    "session",
    "ipv4_address",
)


def event_sheet(connection: Connection, instance: str, listing: Listing, options: CsvOptions) -> bytes:
    """The listed events as CSV with a header line."""
    rows = connection.execute(listing.applied(select(event)), listing.values).all()
    infos = [msgspec.json.decode(row.info) if options.explode else {"": row.info} for row in rows]
    flat = [dict(_leaves(info, "", options)) for info in infos] if options.explode else infos
    keys = sorted({key for leaves in flat for key in leaves}) if options.explode else [""]
    header = [*_COLUMNS, *(f"info.{key}" if key else "info" for key in keys)]
    body = (
        [*_cells(row, instance), *(leaves.get(key, "") for key in keys)]
        for row, leaves in zip(rows, flat, strict=True)
    )
    return _written(header, body, options)


def _cells(row: Row[*tuple[Any, ...]], instance: str) -> list[object]:
    is_object = row.schema == "USER" and row.object_id is not None
    return [
        row.id,
        to_wire(row.timestamp),
        row.type,
        row.schema,
        row.base_type,
        row.objecttype,
        row.object_id,
        row.object_version,
        global_object_id(row.object_id, instance) if is_object else None,
        "true" if row.pollable else "false",
        row.user_id,
        row.user_displayname,
        row.user_type,
        row.session,
        row.ipv4_address,
    ]


def _leaves(value: dict[str, Any], prefix: str, options: CsvOptions) -> Iterable[tuple[str, str]]:
    """One key a column, nested keys dotted (wire §3)."""
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from _leaves(inner, f"{prefix}{key}.", options)
        else:
            yield prefix + key, _cell_text(inner, options)


def _cell_text(value: object, options: CsvOptions) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and options.explode_array_concat is not None:
        return options.explode_array_concat.join(_cell_text(item, options) for item in value)
    return msgspec.json.encode(value).decode()


def _written(header: Sequence[str], rows: Iterable[Sequence[object]], options: CsvOptions) -> bytes:
    text = io.StringIO(newline="")
    doubled = options.escape == options.quote
    writer = csv.writer(
        text,
        delimiter=options.delimiter,
        quotechar=options.quote,
        doublequote=doubled,
        escapechar=None if doubled else options.escape,
        lineterminator="\r\n",
    )
    writer.writerow(header)
    longest = options.max_length or None  # §8: 0 means no trimming
    writer.writerows([None if cell is None else str(cell)[:longest] for cell in row] for row in rows)
    return text.getvalue().encode("utf-8-sig" if options.use_bom else "utf-8")
