"""Wire times (wire §1) are parsed, and written with seconds and offset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server_stub.foundation.times import lower_bound, to_wire, upper_bound

NOON = 1_552_474_865  # 2019-03-13T11:01:05+00:00


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("2019-03-13T11:01:05Z", NOON, NOON),
        ("2019-03-13 11:01:05", NOON, NOON),
        ("2019-03-13T12:01:05+01:00", NOON, NOON),
        ("2019-03-13T12:01:05 01:00", NOON, NOON),  # a plus sign that was not encoded
        ("2019-03-13T10:01:05-0100", NOON, NOON),
        ("2019-03-13T11:01", NOON - 5, NOON - 5),
        ("2019-03-13T11:01:04.5", NOON, NOON - 1),
        ("2019-03-13", NOON - 39_665, NOON - 39_665 + 86_399),
    ],
)
def test_bounds(text: str, lower: int, upper: int) -> None:
    """Both bounds are inclusive and whole seconds; a bare day as upper bound means its end."""
    assert (lower_bound(text), upper_bound(text)) == (lower, upper)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2019-13-01",
        "2019-02-30",
        "2019-03-13T25:00",
        "13.03.2019",
        "2019-03-13T11",
        "2019-W11",
        "2019-03-13T11:01:05+01:60",
        "1552474865",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """A malformed time is refused in a sentence with the text."""
    with pytest.raises(ValueError, match=r"date or time|date with a time"):
        lower_bound(text)


@given(st.integers(0, 253_402_300_799))
def test_a_written_time_reads_back(second: int) -> None:
    """Written times can be parsed."""
    assert lower_bound(to_wire(second)) == upper_bound(to_wire(second)) == second
