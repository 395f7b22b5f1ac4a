"""A page of events as CSV (§4.3, wire §3): columns, exploded info, trimming, cells that are no formulas."""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Select, Text, case, cast, func, select

from server_stub.database import Reader
from server_stub.database.tables import event
from server_stub.events.query import (
    CsvOptions,
    EventFilter,
    EventQuery,
    SortField,
    page_restriction,
    paged,
    with_ids,
)
from server_stub.events.record import (
    NAMED,
    OBJECT_NAME,
    POLLABLE,
    TIMESTAMP,
    TYPES_OF_GENERATION_6,
    RecordForm,
    global_id,
)

# In the order of wire §3, without global_object_id, which needs the instance, and with `info` at the end.
_BEFORE = {
    "_id": event.c.id,
    "timestamp": TIMESTAMP,
    "type": event.c.type,
    "schema": event.c.schema,
    "basetype": event.c.base_type,
    "objecttype": event.c.objecttype,
    "object_id": event.c.object_id,
    "object_version": event.c.object_version,
}
_AFTER = {
    "pollable": POLLABLE,
    "user_id": event.c.user_id,
    "user_generated_displayname": event.c.user_displayname,
    "user_type": event.c.user_type,
    "session": event.c.session,
    "ipv4_address": event.c.ipv4_address,
}
_BATCH = 20
# Each key of an info is a column of every row: events made for it would ask for billions of cells.
MAX_COLUMNS = 2000
# A spreadsheet takes a cell for a formula that begins with one of these signs, as they are on a keyboard or
# in full width, or after a blank that it skips. A number with its sign is no formula.
_FORMULA_SIGNS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def _columns(instance: str, form: RecordForm) -> dict[str, ColumnElement[Any]]:
    """What the cells are, by their names; `instance` completes global object ids."""
    if form is not RecordForm.WHOLE:
        return {**_BEFORE, "global_object_id": global_id(instance), **_AFTER}
    after = {name: cell for name, cell in _AFTER.items() if name not in ("session", "ipv4_address")}
    kind = case(dict(TYPES_OF_GENERATION_6), value=event.c.type, else_=event.c.type)
    renamed = {"type": kind, "global_object_id": case((NAMED, OBJECT_NAME))}
    return {**_BEFORE, **renamed, **after, "remote_addr": event.c.ipv4_address}


class TooManyColumnsError(Exception):
    """The infos of the listed events have more than MAX_COLUMNS different keys."""


def csv_chunks(
    reader: Reader,
    instance: str,
    query: EventQuery,
    options: CsvOptions,
    form: RecordForm = RecordForm.FULL,
) -> Iterator[bytes]:
    """The listed events as CSV with a header line, in pieces that are made while they are taken.

    With `explode` the events are read twice, within the reader's one view of the data: the header names the
    keys of all infos. Raises TooManyColumnsError before the first piece.
    """
    event_filter, values = page_restriction(reader, query)
    trims_info = not options.explode
    page = _page(event_filter, query.sort, (instance, form), options.max_length, trims_info)
    columns = _columns(instance, form)
    batches = reader.batches(page, values, _BATCH)
    if not options.explode:
        return _encoded((*columns, "info"), batches, options)
    found: set[str] = set()
    for batch in batches:
        for row in batch:
            found.update(_leaves(msgspec.json.decode(row[-1]), "", options))
            if len(found) > MAX_COLUMNS:
                raise TooManyColumnsError
    keys = sorted(found)
    again = reader.batches(page, values, _BATCH)
    return _encoded(
        [*columns, *(f"info.{key}" for key in keys)], _with_info_columns(again, keys, options), options
    )


@lru_cache(maxsize=64)
def _page(
    event_filter: EventFilter | None,
    sort: tuple[SortField, ...],
    columns: tuple[str, RecordForm],
    length: int,
    trims_info: bool,
) -> Select[*tuple[Any, ...]]:
    """The texts of the cells of a page; the database formats them, which is much slower in Python."""
    cells = [*_columns(*columns).values(), event.c.info]
    if length:  # §8: 0 means no trimming
        shown = [func.substr(cast(cell, Text), 1, length) for cell in cells]
        cells = [*shown[:-1], shown[-1] if trims_info else event.c.info]
    return (
        with_ids(select(*cells), sort) if event_filter is None else paged(select(*cells), event_filter, sort)
    )


def _with_info_columns(
    batches: Iterator[list[Any]], keys: Sequence[str], options: CsvOptions
) -> Iterator[list[Sequence[object]]]:
    """The rows with a cell for each key of the info instead of the info (wire §3)."""
    longest = options.max_length or None
    for batch in batches:
        flat = [_leaves(msgspec.json.decode(row[-1]), "", options) for row in batch]
        yield [
            [*row[:-1], *(leaves.get(key, "")[:longest] for key in keys)]
            for row, leaves in zip(batch, flat, strict=True)
        ]


def _leaves(value: dict[str, Any], prefix: str, options: CsvOptions) -> dict[str, str]:
    """One key a column, nested keys dotted (wire §3).

    A key may hold a dot itself. An object that needs a column of another key is not exploded but written
    as JSON to the column of its own key, so that no value is lost: of {"a.b": 1, "a": {"b": 2}} it is `a`.
    """
    found: dict[str, str] = {}
    opened: list[str] = []
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            opened.append(key)
        else:
            found[prefix + key] = _cell_text(inner, options)
    # Longest first, so that the column of an object that is not exploded is still free.
    for key in sorted(opened, key=len, reverse=True):
        leaves = _leaves(value[key], f"{prefix}{key}.", options)
        found |= (
            leaves if found.keys().isdisjoint(leaves) else {prefix + key: _cell_text(value[key], options)}
        )
    return found


def _cell_text(value: object, options: CsvOptions) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and options.explode_array_concat is not None:
        return options.explode_array_concat.join(_cell_text(item, options) for item in value)
    return msgspec.json.encode(value).decode()


def _encoded(header: Sequence[str], batches: Iterator[list[Any]], options: CsvOptions) -> Iterator[bytes]:
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
    written = _guarded(batches) if options.guard else batches
    if options.use_bom:
        yield codecs.BOM_UTF8
    for batch in written:
        writer.writerows(batch)
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode()


def _guarded(batches: Iterator[list[Any]]) -> Iterator[list[list[object]]]:
    """The rows with an apostrophe before each cell that a spreadsheet would run as a formula."""
    for batch in batches:
        yield [[f"'{cell}" if _is_formula(cell) else cell for cell in row] for row in batch]


def _is_formula(cell: object) -> bool:
    # The database returns numbers for cells that are not trimmed.
    return isinstance(cell, str) and cell[:1] in _FORMULA_SIGNS and not _NUMBER.fullmatch(cell)
