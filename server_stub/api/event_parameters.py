"""The parameters of the event calls (§4.2, §4.3, §4.5) their defaults and limits (§8); knows no handler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server_stub.api.parameters import (
    Parameter,
    at_least,
    character,
    one_of,
    texts,
    truth,
    whole,
    wholes,
)
from server_stub.errors import ApiError
from server_stub.events import CsvOptions, EventFilter, Listing, SortField
from server_stub.events.query import NEWEST_FIRST, SORT_FIELDS
from server_stub.times import lower_bound, upper_bound

MOST_EVENTS = 1000  # §8: the internal maximum of poll, list and delete
POLL_DEFAULT = 25  # §8
CSV_LENGTH_DEFAULT = 100  # §8


def sort_fields(text: str) -> tuple[SortField, ...]:
    """`field[.ASC|.DESC]`, comma-separated, ascending by default (§4.3)."""
    return tuple(_sort_field(part) for part in texts(text))


def _sort_field(text: str) -> SortField:
    name, _, direction = text.partition(".")
    if name not in SORT_FIELDS:
        raise ValueError(f"cannot sort by {name!r}, only by {', '.join(SORT_FIELDS)}")
    if "." in text and direction.upper() not in {"ASC", "DESC"}:
        raise ValueError(f"{direction!r} is neither ASC nor DESC")
    return SortField(name, descending=direction.upper() == "DESC")


POLL = (Parameter("limit", at_least(0), POLL_DEFAULT, "Most events returned; 0 means 1000."),)

PAGE = (
    Parameter("limit", at_least(1), MOST_EVENTS, "Most events taken, never more than 1000."),
    Parameter("offset", at_least(0), 0, "Entries skipped in the result set."),
)

FILTER = (
    Parameter("pollable", truth, None, "Filter on pollable."),
    Parameter("type", texts, None, "Filter on type."),
    Parameter("base_type", texts, None, "Filter on base_type."),
    Parameter("user_id", wholes, None, "Users with any of these ids."),
    Parameter("group_id", wholes, None, "All users in any of these groups."),
    Parameter("user_type", texts, None, "All users with any of these types."),
    Parameter("date_from", lower_bound, None, "Earliest creation time."),
    Parameter("date_to", upper_bound, None, "Latest creation time."),
)

CSV = (
    Parameter("csv_delimiter", character, ",", "Between the cells."),
    Parameter("csv_quote", character, '"', "Around cells that need it."),
    Parameter("csv_escape", character, '"', "Before a quote inside a cell."),
    Parameter("csv_use_bom", truth, False, "Adds a UTF-8 byte order mark."),
    Parameter("csv_explode", truth, False, "One column per key of the info."),
    Parameter("csv_explode_array_concat", str, None, "Joins the values of an array."),
    Parameter("csv_max_length", at_least(0), CSV_LENGTH_DEFAULT, "Trims longer cells; 0 trims none."),
)

LIST = (
    *PAGE,
    *FILTER,
    Parameter("sort", sort_fields, NEWEST_FIRST, "Fields, each with .ASC or .DESC."),
    Parameter("format", one_of("json", "json_full", "csv"), "json", "Form of the answer."),
    *CSV,
    Parameter("skip_count", truth, False, "Leaves out the total count."),
)

DELETE = (*PAGE, *FILTER)


def filter_of(query: Mapping[str, Any]) -> EventFilter:
    """The filter in parsed parameters."""
    return EventFilter(**{parameter.name: query[parameter.name] for parameter in FILTER})


def listing_of(query: Mapping[str, Any]) -> Listing:
    """The page in parsed parameters; a limit above the maximum means the maximum (wire §3)."""
    return Listing(filter_of(query), query["sort"], min(query["limit"], MOST_EVENTS), query["offset"])


def csv_options_of(query: Mapping[str, Any], given: tuple[tuple[str, str], ...]) -> CsvOptions:
    """The CSV options; ApiError for one given without what it goes with (§4.3)."""
    names = {name for name, _ in given if name.startswith("csv_")}
    if names and query["format"] != "csv":
        raise ApiError("attribute_not_accepted", f"{min(names)} goes only with format=csv.")
    if "csv_explode_array_concat" in names and not query["csv_explode"]:
        raise ApiError("attribute_not_accepted", "csv_explode_array_concat goes only with csv_explode=true.")
    values = {parameter.name.removeprefix("csv_"): query[parameter.name] for parameter in CSV}
    options = CsvOptions(**values)
    if options.delimiter in {options.quote, options.escape}:
        raise ApiError("invalid_value", "csv_delimiter must differ from csv_quote and csv_escape.")
    return options


def event_id(text: str) -> int:
    """An event id in a path; ApiError when it is none."""
    try:
        return whole(text)
    except ValueError as error:
        raise ApiError("invalid_value", f"An event id is expected: {error}.") from error
