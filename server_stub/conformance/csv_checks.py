"""Listing events as CSV (§4.3): columns, dialects, exploded info and trimmed cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import msgspec

from server_stub.conformance.check import Basis
from server_stub.conformance.client import DeviationError, get
from server_stub.conformance.context import Context, Json, user_of
from server_stub.conformance.expectations import EVENT_GET, NotTriedError, expect, shown, succeed
from server_stub.conformance.table import group_of

_DECISION = Basis.DECISION
_OBSERVED = Basis.OBSERVED
_ROWS = 50
csv.field_size_limit(2**31 - 1)  # cells may have as many characters as the whole answer
# wire §3, in this order.
_COLUMNS = [
    *("_id", "timestamp", "type", "schema", "basetype", "objecttype", "object_id", "object_version"),
    *("global_object_id", "pollable", "user_id", "user_generated_displayname", "user_type", "session"),
    *("ipv4_address", "info"),
]

CSV = group_of("Listing events: CSV", EVENT_GET)


@dataclass(frozen=True)
class _CsvPage:
    """A parsed CSV answer."""

    header: list[str]
    rows: list[Mapping[str, str]]


def _csv_page(context: Context, dialect: Mapping[str, Any] | None = None, /, **params: str) -> _CsvPage:
    given = {"limit": str(_ROWS), "date_to": context.until} | params
    reply = succeed(context.call(get("event/list", format="csv", **given)))
    expect(reply.media_type == "text/csv", f"{reply.request}: the type is {reply.media_type!r}.")
    text = reply.text.removeprefix("\ufeff")
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True, **(dialect or {})))
    except csv.Error as error:
        raise DeviationError(f"{reply.request}: the answer is not CSV: {error}.") from None
    expect(lines and lines[0], f"{reply.request}: the answer has no header.")
    header, *rows = lines
    widths = {len(row) for row in rows} - {len(header)}
    expect(not widths, f"{reply.request}: there are lines of {widths} cells, {len(header)} columns.")
    return _CsvPage(header, [dict(zip(header, row, strict=True)) for row in rows])


@CSV.check("§4.3", "the columns", _DECISION)
def _columns(context: Context) -> None:
    found = _csv_page(context).header
    expect(found == _COLUMNS, f"The columns are {shown(found)}.")


_PAGES: tuple[dict[str, str], ...] = (
    {},
    {"limit": "3", "offset": "2"},
    {"sort": "_id.ASC", "limit": "20"},
    {"type": "USER_LOGIN", "pollable": "true"},
)


@CSV.check(
    "§4.3", "CSV has the events of JSON: {0}", cases=[(urlencode(params), params) for params in _PAGES]
)
def _same_as_json(context: Context, _: str, params: dict[str, str]) -> None:
    found = [row.get("_id") for row in _csv_page(context, **params).rows]
    listed = context.list_events(skip_count="true", **({"limit": str(_ROWS)} | params)).ids
    expect(found == list(map(str, listed)), f"CSV has the events {found[:5]}, JSON {listed[:5]}.")


def _cell(record: Json, name: str) -> str:
    """The cell of a full record."""
    event, user = record["event"], user_of(record)
    names = {"user_id": "_id", "user_generated_displayname": "_generated_displayname"}
    value = user.get(names[name]) if name in names else event.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@CSV.check("§4.3", "the column {0} has the values of the records", cases=[(name,) for name in _COLUMNS[:12]])
def _cells(context: Context, name: str) -> None:
    for row, record in zip(_csv_page(context, csv_max_length="0").rows, context.sample, strict=False):
        found, expected = row.get(name), _cell(record, name)
        expect(found == expected, f"{name} is {shown(found)}, the record has {shown(expected)}.")


@CSV.check("§4.3", "info is JSON with the values of the record", _DECISION)
def _info_is_json(context: Context) -> None:
    for row, record in zip(_csv_page(context, csv_max_length="0").rows, context.sample, strict=False):
        try:
            found = msgspec.json.decode(row.get("info", ""))
        except (msgspec.DecodeError, RecursionError):
            raise DeviationError(f"info is {shown(row.get('info'))}, expected JSON.") from None
        expect(
            found == record["event"].get("info"), f"info is {shown(found)}, the record is {shown(record)}."
        )


_DIALECTS: tuple[dict[str, str], ...] = (
    {"csv_delimiter": ";"},
    {"csv_delimiter": "\t"},
    {"csv_delimiter": "|"},
    {"csv_quote": "'"},
    {"csv_quote": "'", "csv_escape": "'"},
    {"csv_escape": "\\"},
    {"csv_delimiter": "|", "csv_quote": "'", "csv_escape": "'"},
    {"csv_delimiter": ";", "csv_quote": "'", "csv_escape": "\\"},
)


@CSV.check(
    "§4.3", "cells are unchanged with {0}", cases=[(urlencode(params), params) for params in _DIALECTS]
)
def _dialect(context: Context, options: str, params: dict[str, str]) -> None:
    plain = _csv_page(context, csv_max_length="0")
    mark, escape = params.get("csv_quote", '"'), params.get("csv_escape", '"')
    dialect: dict[str, Any] = {"delimiter": params.get("csv_delimiter", ","), "quotechar": mark}
    if escape != mark:
        dialect |= {"escapechar": escape, "doublequote": False}
    found = _csv_page(context, dialect, csv_max_length="0", **params)
    expect(found == plain, f"{options}: the rows begin with {shown(found.rows[:1])}.")


@CSV.check("§4.3", "csv_explode has one column for each key, named info., sorted")
def _exploded_columns(context: Context) -> None:
    header = _csv_page(context, csv_explode="true").header
    added = header[len(_COLUMNS) - 1 :]
    expect(header[: len(_COLUMNS) - 1] == _COLUMNS[:-1], f"The columns are {shown(header)}.")
    expect(all(name.startswith("info.") for name in added), f"The added columns are {shown(added)}.")
    expect(added == sorted(added), f"The columns of the info are {shown(added)}.")


_TEXTS: Mapping[type, Callable[[Any], str]] = {
    str: str,
    int: str,
    list: lambda value: " / ".join(map(str, value)),
}


@CSV.check(
    "§4.3",
    "exploded values of the type {0.__name__} are those of the records",
    _OBSERVED,
    [(each,) for each in _TEXTS],
)
def _exploded_values(context: Context, kind: type) -> None:
    rows = _csv_page(context, csv_explode="true", csv_max_length="0", csv_explode_array_concat=" / ").rows
    tried = False
    for row, record in zip(rows, context.sample, strict=False):
        for key, value in record["event"]["info"].items():
            # A column with a dot may be that of another key.
            if type(value) is not kind or "." in key or not key:
                continue
            if isinstance(value, list) and {type(each) for each in value} - {str, int}:
                continue
            tried = True
            found, expected = row.get(f"info.{key}"), _TEXTS[kind](value)
            expect(found == expected, f"info.{key} is {shown(found)}, the record has {shown(value)}.")
    if not tried:
        raise NotTriedError(f"No info of the first events has a value that is a {kind.__name__}.")


@CSV.check("§4.3", "an info without a key has an empty cell", _DECISION)
def _missing_keys_are_empty(context: Context) -> None:
    rows = _csv_page(context, csv_explode="true", csv_max_length="0").rows
    for row, record in zip(rows, context.sample, strict=False):
        present = {str(key).split(".")[0] for key in record["event"]["info"]}
        for name, cell in row.items():
            if name.startswith("info.") and name.split(".")[1] not in present:
                expect(cell == "", f"{name} is {shown(cell)} for an info without that key.")


@CSV.check(
    "§4.3", "csv_max_length={0} trims to {0} characters", _OBSERVED, [("1",), ("12",), ("100",), ("250",)]
)
def _length(context: Context, given: str) -> None:
    whole = _csv_page(context, csv_max_length="0").rows
    found = _csv_page(context, csv_max_length=given).rows
    for one, other in zip(found, whole, strict=True):
        expected = {name: cell[: int(given)] for name, cell in other.items()}
        expect(one == expected, f"A row is {shown(one)}, expected {shown(expected)}.")
