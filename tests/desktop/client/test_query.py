"""Tests of filters, sort orders and CSV options as query parameters."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from cdb_desktop.client import CsvOptions, EventFilter
from cdb_desktop.client.query import csv_query, filter_query


@pytest.mark.parametrize(
    ("chosen", "query"),
    [
        (EventFilter(), ()),
        (EventFilter(pollable=False), (("pollable", "false"),)),
        (EventFilter(type=("SEARCH", "DETAIL_VIEW")), (("type", "SEARCH,DETAIL_VIEW"),)),
        (EventFilter(base_type=("user",)), (("base_type", "user"),)),
        (
            EventFilter(user_id=(1, 22), group_id=(3,), user_type=("system",)),
            (("user_id", "1,22"), ("group_id", "3"), ("user_type", "system")),
        ),
        (EventFilter(date_to=date(2024, 2, 29)), (("date_to", "2024-02-29"),)),
        (
            EventFilter(date_from=datetime(2024, 2, 29, 7, 8, 9, tzinfo=UTC)),
            (("date_from", "2024-02-29T07:08:09+00:00"),),
        ),
        (
            EventFilter(date_from=datetime(2024, 1, 1, 0, 0, 0, 5, tzinfo=timezone(timedelta(hours=-3)))),
            (("date_from", "2024-01-01T00:00:00.000005-03:00"),),
        ),
    ],
)
def test_filter(chosen: EventFilter, query: tuple[tuple[str, str], ...]) -> None:
    """Each filter is one parameter in the contract's spelling, and unset ones are absent (§4.3)."""
    assert query == filter_query(chosen)


@pytest.mark.parametrize("value", ["", "SEARCH,INSERT"])
def test_values_that_cannot_be_joined_are_refused(value: str) -> None:
    """A value that would be sent as another selection is refused."""
    with pytest.raises(ValueError, match="type cannot hold"):
        filter_query(EventFilter(type=(value,)))


def test_bare_string_is_refused() -> None:
    """A string in place of a tuple of strings would select its letters."""
    with pytest.raises(TypeError, match="type takes a tuple"):
        EventFilter(type="SEARCH")  # type: ignore[arg-type]


def test_empty_filter_is_detected() -> None:
    """A filter has a property for selecting everything."""
    assert EventFilter().is_empty
    assert EventFilter(ids=(), object_id=(), objecttype=()).is_empty
    assert not EventFilter(pollable=False).is_empty


def test_csv_options() -> None:
    """Each option that differs is one parameter, including an empty joiner."""
    chosen = CsvOptions(
        delimiter="\t",
        quote="'",
        escape="\\",
        use_bom=True,
        explode=True,
        explode_array_concat="",
        max_length=0,
    )
    assert dict(csv_query(chosen)) == {
        "csv_delimiter": "\t",
        "csv_quote": "'",
        "csv_escape": "\\",
        "csv_use_bom": "true",
        "csv_explode": "true",
        "csv_explode_array_concat": "",
        "csv_max_length": "0",
    }
