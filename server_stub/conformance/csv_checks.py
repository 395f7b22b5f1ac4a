"""Listing events as CSV (§4.3): columns, dialects, exploded info and trimmed cells."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import msgspec

from server_stub.conformance.check import Basis, Group, ServiceCheck, refused
from server_stub.conformance.client import DeviationError, Request, get
from server_stub.conformance.context import Context, Json, user_of
from server_stub.conformance.expectations import (
    EVENT_GET,
    INVALID,
    NOT_ACCEPTED,
    NotTriedError,
    expect,
    shown,
    succeed,
)

_DECISION = Basis.DECISION
_OBSERVED = Basis.OBSERVED
_ROWS = 50
_DEFAULT_LENGTH = 100
_BOM = "\ufeff"
# wire §3, in this order.
_COLUMNS = [
    *("_id", "timestamp", "type", "schema", "basetype", "objecttype", "object_id", "object_version"),
    *("global_object_id", "pollable", "user_id", "user_generated_displayname", "user_type", "session"),
    *("ipv4_address", "info"),
]
_Row = Mapping[str, str]


@dataclass(frozen=True)
class _CsvPage:
    """A parsed CSV answer."""

    text: str
    header: list[str]
    rows: list[_Row]


def _csv_page(context: Context, dialect: Mapping[str, Any] | None = None, /, **params: str) -> _CsvPage:
    given = {"limit": str(_ROWS), "date_to": context.until} | params
    reply = succeed(context.call(get("event/list", format="csv", **given)))
    expect(reply.media_type == "text/csv", f"{reply.request}: the type is {reply.media_type!r}.")
    text = reply.text
    # Cells may have as many characters as the whole answer.
    csv.field_size_limit(max(len(text), 1))
    try:
        lines = list(
            csv.reader(io.StringIO(text.removeprefix(_BOM), newline=""), strict=True, **(dialect or {}))
        )
    except csv.Error as error:
        raise DeviationError(f"{reply.request}: the answer is not CSV: {error}.") from None
    expect(lines and lines[0], f"{reply.request}: the answer has no header.")
    header, *rows = lines
    for number, row in enumerate(rows, 2):
        expect(
            len(row) == len(header), f"{reply.request}: line {number} has {len(row)} of {len(header)} cells."
        )
    return _CsvPage(text, header, [dict(zip(header, row, strict=True)) for row in rows])


def _check(
    section: str, title: str, run: Callable[[Context], None], basis: Basis = Basis.INTERFACE
) -> ServiceCheck:
    return ServiceCheck(section, title, run, right=EVENT_GET, basis=basis)


def _charset(context: Context) -> None:
    reply = succeed(context.call(get("event/list", format="csv", limit="1")))
    found = reply.headers.get("content-type", "").replace(" ", "").lower()
    expect(found == "text/csv;charset=utf-8", f"Content-Type is {found!r}.")


def _columns(context: Context) -> None:
    found = _csv_page(context).header
    expect(found == _COLUMNS, f"The columns are {shown(found)}.")


def _ids(context: Context, **params: str) -> list[str]:
    rows = _csv_page(context, **params).rows
    expect(not rows or "_id" in rows[0], "There is no column _id.")
    return [row["_id"] for row in rows]


def _same_as_json(**params: str) -> Callable[[Context], None]:
    def run(context: Context) -> None:
        found = _ids(context, **params)
        listed = context.list_events(skip_count="true", **({"limit": str(_ROWS)} | params)).ids
        expect(found == list(map(str, listed)), f"CSV has the events {found[:5]}, JSON {listed[:5]}.")

    return run


def _cell(record: Json, name: str) -> str | None:
    """The cell of a full record; None where the record does not tell it."""
    event, user = record["event"], user_of(record)
    if name == "user_id":
        value = user.get("_id")
    elif name == "user_generated_displayname":
        value = user.get("_generated_displayname")
    elif name in ("user_type", "session", "ipv4_address", "info"):
        return None
    else:
        value = event.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _cells_of(name: str) -> ServiceCheck:
    def run(context: Context) -> None:
        rows = _csv_page(context, csv_max_length="0").rows
        for row, record in zip(rows, context.sample, strict=False):
            expect(name in row, f"There is no column {name}.")
            expected = _cell(record, name)
            expect(row[name] == expected, f"{name} is {shown(row[name])}, the record has {shown(expected)}.")

    basis = Basis.INTERFACE if name in ("_id", "type", "timestamp") else _DECISION
    return _check("§4.3", f"the column {name} has the values of the records", run, basis)


def _info_is_json(context: Context) -> None:
    rows = _csv_page(context, csv_max_length="0").rows
    for row, record in zip(rows, context.sample, strict=False):
        try:
            found = msgspec.json.decode(row.get("info", ""))
        except (msgspec.DecodeError, RecursionError):
            raise DeviationError(f"info is {shown(row.get('info'))}, expected JSON.") from None
        expect(
            found == record["event"].get("info"), f"info is {shown(found)}, the record is {shown(record)}."
        )


# Parameters and how Python's parser reads the dialect.
_DIALECTS: tuple[tuple[dict[str, str], dict[str, Any]], ...] = (
    ({"csv_delimiter": ";"}, {"delimiter": ";"}),
    ({"csv_delimiter": "\t"}, {"delimiter": "\t"}),
    ({"csv_delimiter": "|"}, {"delimiter": "|"}),
    ({"csv_quote": "'"}, {"quotechar": "'", "escapechar": '"', "doublequote": False}),
    ({"csv_quote": "'", "csv_escape": "'"}, {"quotechar": "'"}),
    ({"csv_escape": "\\"}, {"escapechar": "\\", "doublequote": False}),
    ({"csv_delimiter": "|", "csv_quote": "'", "csv_escape": "'"}, {"delimiter": "|", "quotechar": "'"}),
    (
        {"csv_delimiter": ";", "csv_quote": "'", "csv_escape": "\\"},
        {"delimiter": ";", "quotechar": "'", "escapechar": "\\", "doublequote": False},
    ),
)


def _dialect(params: dict[str, str], dialect: dict[str, Any]) -> ServiceCheck:
    def run(context: Context) -> None:
        plain = _csv_page(context, csv_max_length="0")
        found = _csv_page(context, dialect, csv_max_length="0", **params)
        expect(found.header == plain.header, f"{params}: the header is {shown(found.header)}.")
        for one, other in zip(found.rows, plain.rows, strict=True):
            expect(one == other, f"{params}: a row is {shown(one)}, by default {shown(other)}.")

    title = " ".join(f"{name}={quote(text, safe='')}" for name, text in params.items())
    return _check("§4.3", f"cells are unchanged with {title}", run)


def _bom(context: Context) -> None:
    plain, marked = _csv_page(context), _csv_page(context, csv_use_bom="true")
    expect(not plain.text.startswith(_BOM), "There is a byte order mark by default.")
    expect(marked.text == _BOM + plain.text, "csv_use_bom=true does not add just a byte order mark.")


def _default_option(name: str, value: str) -> ServiceCheck:
    def run(context: Context) -> None:
        default = _csv_page(context).text
        expect(default == _csv_page(context, **{name: value}).text, f"{name}={value} is not the default.")

    return _check("§8" if name == "csv_max_length" else "§4.3", f"the default of {name} is {value}", run)


def _exploded_columns(context: Context) -> None:
    header = _csv_page(context, csv_explode="true").header
    added = [name for name in header if name not in _COLUMNS]
    expect("info" not in header, "csv_explode=true leaves a column info.")
    expect(all(name.startswith("info.") for name in added), f"The added columns are {shown(added)}.")


def _exploded_order(context: Context) -> None:
    added = [name for name in _csv_page(context, csv_explode="true").header if name.startswith("info.")]
    expect(added == sorted(added), f"The columns of the info are {shown(added)}.")


def _plain_keys(record: Json, kind: type | tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """The keys of an info whose column cannot be that of another key."""
    info = record["event"].get("info")
    if isinstance(info, dict):
        for key, value in info.items():
            if (
                isinstance(key, str)
                and key
                and "." not in key
                and type(value) in (kind if isinstance(kind, tuple) else (kind,))
            ):
                yield key, value


def _exploded_values(kind: type, text: Callable[[Any], str], **params: str) -> Callable[[Context], None]:
    def run(context: Context) -> None:
        tried = False
        rows = _csv_page(context, csv_explode="true", csv_max_length="0", **params).rows
        for row, record in zip(rows, context.sample, strict=False):
            for key, value in _plain_keys(record, kind):
                if kind is list and not all(type(each) in (str, int) for each in value):
                    continue
                tried = True
                expect(f"info.{key}" in row, f"There is no column info.{key}.")
                found = row[f"info.{key}"]
                expect(found == text(value), f"info.{key} is {shown(found)}, the record has {shown(value)}.")
        if not tried:
            raise NotTriedError(f"No info of the first events has a value that is a {kind.__name__}.")

    return run


def _missing_keys_are_empty(context: Context) -> None:
    rows = _csv_page(context, csv_explode="true", csv_max_length="0").rows
    for row, record in zip(rows, context.sample, strict=False):
        info = record["event"].get("info") or {}
        for name, cell in row.items():
            first = name.removeprefix("info.").split(".")[0]
            if name.startswith("info.") and not any(str(key).split(".")[0] == first for key in info):
                expect(cell == "", f"{name} is {shown(cell)} for an info without that key.")


def _length(given: str, most: int) -> ServiceCheck:
    def run(context: Context) -> None:
        whole = _csv_page(context, csv_max_length="0").rows
        found = _csv_page(context, **({"csv_max_length": given} if given else {})).rows
        for one, other in zip(found, whole, strict=True):
            for name, cell in other.items():
                expected = cell[:most] if most else cell
                expect(
                    one.get(name) == expected,
                    f"{name} is {shown(one.get(name))}, expected {shown(expected)}.",
                )

    section = "§4.3" if given else "§8"
    return _check(section, f"csv_max_length={given or 'default'} trims to {most} characters", run, _OBSERVED)


_OPTIONS = {
    "csv_delimiter": ";",
    "csv_quote": "'",
    "csv_escape": "'",
    "csv_use_bom": "true",
    "csv_explode": "true",
    "csv_explode_array_concat": ",",
    "csv_max_length": "10",
}
_REFUSED = (
    *((name, text) for name in ("csv_delimiter", "csv_quote", "csv_escape") for text in ("", "ab")),
    ("csv_use_bom", "perhaps"),
    ("csv_explode", "perhaps"),
    ("csv_max_length", "-1"),
    ("csv_max_length", "long"),
    ("csv_max_length", ""),
)


def _refusals() -> Iterator[ServiceCheck]:
    for name, text in _OPTIONS.items():
        for form in ("json", "json_full"):
            request = get("event/list", limit="1", format=form, **{name: text})
            yield refused("§4.3", request, NOT_ACCEPTED, right=EVENT_GET, basis=_DECISION)
    concat = Request("GET", "event/list", query="format=csv&limit=1&csv_explode_array_concat=,")
    yield refused("§4.3", concat, NOT_ACCEPTED, right=EVENT_GET, basis=_DECISION)
    for name, text in _REFUSED:
        request = get("event/list", format="csv", limit="1", **{name: text})
        yield refused("§4.3", request, INVALID, right=EVENT_GET, basis=_DECISION)


CSV = Group(
    "Listing events: CSV",
    (
        _check("§4.3", "the type is text/csv in UTF-8", _charset, _OBSERVED),
        _check("§4.3", "the columns", _columns, _DECISION),
        _check("§4.3", "CSV has the events of JSON", _same_as_json()),
        _check("§4.3", "limit and offset apply to CSV", _same_as_json(limit="3", offset="2")),
        _check("§4.3", "sort applies to CSV", _same_as_json(sort="_id.ASC", limit="20")),
        _check("§4.3", "filters apply to CSV", _same_as_json(type="USER_LOGIN", pollable="true")),
        *(
            _cells_of(name)
            for name in _COLUMNS
            if name not in ("user_type", "session", "ipv4_address", "info")
        ),
        _check("§4.3", "info is JSON with the values of the record", _info_is_json, _DECISION),
        *(_dialect(params, dialect) for params, dialect in _DIALECTS),
        _check("§4.3", "csv_use_bom adds a byte order mark", _bom),
        *(
            _default_option(name, value)
            for name, value in (
                ("csv_delimiter", ","),
                ("csv_quote", '"'),
                ("csv_escape", '"'),
                ("csv_use_bom", "false"),
                ("csv_explode", "false"),
                ("csv_max_length", str(_DEFAULT_LENGTH)),
            )
        ),
        _check("§4.3", "csv_explode has one column for each key, named info.", _exploded_columns),
        _check("§4.3", "the columns of the info are sorted", _exploded_order, _DECISION),
        _check("§4.3", "exploded texts are unchanged", _exploded_values(str, str), _OBSERVED),
        _check("§4.3", "exploded numbers are numbers", _exploded_values(int, str), _DECISION),
        _check("§4.3", "an info without a key has an empty cell", _missing_keys_are_empty, _DECISION),
        _check(
            "§4.3",
            "csv_explode_array_concat joins lists",
            _exploded_values(list, lambda value: " / ".join(map(str, value)), csv_explode_array_concat=" / "),
        ),
        *(
            _length(given, most)
            for given, most in (("", _DEFAULT_LENGTH), ("1", 1), ("12", 12), ("250", 250))
        ),
        *_refusals(),
    ),
)
