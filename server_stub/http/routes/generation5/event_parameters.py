"""The parameters of the event calls (§4.2, §4.3, §4.5), their defaults and limits (§8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server_stub.events import CsvOptions, EventFilter, EventQuery
from server_stub.events.query import SORT_FIELDS
from server_stub.foundation.errors import ApiError
from server_stub.http.parameters import (
    CHARACTER,
    FLAG,
    TEXT,
    WHOLE_NUMBER,
    WORD,
    Parameter,
    at_least,
    listed,
    one_of,
)
from server_stub.http.routes.shared import EVENT_FILTER, sort_parameter

MAX_EVENTS = 1000  # §8: the internal maximum of poll, list and delete
POLL_DEFAULT = 25  # §8
CSV_LENGTH_DEFAULT = 100  # §8
# Databases neither store longer texts nor accept greater lengths.
_LONGEST_TEXT = 2**31 - 1


EVENT_ID = Parameter("id", WHOLE_NUMBER, meaning="The event's id.")
LAST_MAX_ID = Parameter(
    "last_max_id",
    WHOLE_NUMBER,
    meaning="The last id seen; at least session.current_max_event_id, its default.",
)

POLL = (
    Parameter("limit", at_least(0, maximum=MAX_EVENTS), POLL_DEFAULT, "Most events returned; 0 means 1000."),
)

PAGE = (
    Parameter("limit", at_least(1, maximum=MAX_EVENTS), MAX_EVENTS, "Most events taken."),
    Parameter("offset", at_least(0), 0, "Entries skipped in the result set."),
)

FILTER = (*EVENT_FILTER, Parameter("base_type", listed(WORD), None, "Filter on base_type."))

CSV = (
    Parameter("csv_delimiter", CHARACTER, ",", "Between the cells."),
    Parameter("csv_quote", CHARACTER, '"', "Around cells that need it."),
    Parameter("csv_escape", CHARACTER, '"', "Before a quote inside a cell."),
    Parameter("csv_use_bom", FLAG, False, "Adds a UTF-8 byte order mark."),
    Parameter("csv_explode", FLAG, False, "One column per key of the info."),
    Parameter("csv_explode_array_concat", TEXT, None, "Joins the values of an array."),
    Parameter(
        "csv_max_length",
        at_least(0, maximum=_LONGEST_TEXT),
        CSV_LENGTH_DEFAULT,
        "Trims longer cells; 0 trims none.",
    ),
    Parameter(
        "guard",
        FLAG,
        False,
        "Addition of this server: an apostrophe before each cell that a spreadsheet would run as a formula.",
    ),
)
_CSV_NAMES = frozenset(parameter.name for parameter in CSV)

LIST = (
    *PAGE,
    *FILTER,
    sort_parameter(SORT_FIELDS),
    Parameter("format", one_of("json", "json_full", "csv"), "json", "Form of the answer."),
    *CSV,
    Parameter("skip_count", FLAG, False, "Leaves out the total count."),
)

DELETE = (*PAGE, *FILTER)


def filter_of(query: Mapping[str, Any]) -> EventFilter:
    """Returns the filter of a call."""
    return EventFilter(**{parameter.name: query[parameter.name] for parameter in FILTER})


def event_query_of(query: Mapping[str, Any]) -> EventQuery:
    """Returns filter, order and page of a call."""
    return EventQuery(filter_of(query), query["sort"], query["limit"], query["offset"])


def csv_options_of(query: Mapping[str, Any], given: tuple[tuple[str, str], ...]) -> CsvOptions:
    """Returns the CSV options. Raises ApiError for one without what it goes with (§4.3)."""
    names = {name for name, _ in given if name in _CSV_NAMES}
    if names and query["format"] != "csv":
        raise ApiError("attribute_not_accepted", f"{min(names)} goes only with format=csv.")
    if "csv_explode_array_concat" in names and not query["csv_explode"]:
        raise ApiError("attribute_not_accepted", "csv_explode_array_concat goes only with csv_explode=true.")
    values = {parameter.name.removeprefix("csv_"): query[parameter.name] for parameter in CSV}
    options = CsvOptions(**values)
    if options.delimiter in {options.quote, options.escape}:
        raise ApiError("invalid_value", "csv_delimiter must differ from csv_quote and csv_escape.")
    return options
