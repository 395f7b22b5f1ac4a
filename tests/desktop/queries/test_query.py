"""Tests of queries, their changes and their history."""

from datetime import UTC, datetime, timedelta

import pytest

from cdb_desktop.client import EventFilter, Sort
from cdb_desktop.queries.history import QueryHistory
from cdb_desktop.queries.query import Query, QueryPart, sorted_by, with_values, without, without_filters
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan, span_around
from cdb_desktop.vocabulary.times import midnight

NOW = datetime(2026, 5, 6, 7, 8, 9, 123, tzinfo=UTC)
FULL = Query(
    types=("SEARCH",),
    base_types=("user",),
    users=(7,),
    groups=(2,),
    user_types=("email",),
    pollable=False,
    span=TimeSpan(first=NOW),
    sort=(Sort("type"),),
)


def test_a_query_is_converted_to_parameters() -> None:
    """Every part has its parameter (§4.3)."""
    assert FULL.at(NOW).filter == EventFilter(
        pollable=False,
        type=("SEARCH",),
        base_type=("user",),
        user_id=(7,),
        group_id=(2,),
        user_type=("email",),
        date_from=NOW,
    )
    assert FULL.at(NOW).sort == (Sort("type"),)


@pytest.mark.parametrize("part", list(QueryPart))
def test_a_part_can_be_removed(part: QueryPart) -> None:
    """Users, groups and user types are one part, because they are combined by OR (§4.3 rule 1)."""
    assert list(FULL.parts) == list(QueryPart)
    assert set(without(FULL, part).parts) == set(QueryPart) - {part}


def test_clearing_keeps_the_sort_order() -> None:
    """The sort order is not a filter."""
    assert without_filters(FULL) == Query(sort=(Sort("type"),))


def test_a_column_title_sorts_and_reverses() -> None:
    """Numbers and times start with the newest, strings with A; the service's default order has no sort."""
    by_type = sorted_by(Query(), "type")
    assert by_type.sort == (Sort("type"),)
    assert sorted_by(by_type, "type").sort == (Sort("type", descending=True),)
    assert sorted_by(Query(), "timestamp").sort == (Sort("timestamp", descending=True),)
    assert sorted_by(Query(), "_id").sort == (Sort("_id"),)
    assert sorted_by(by_type, "_id").sort == ()
    also = sorted_by(by_type, "timestamp", also=True)
    assert also.sort == (Sort("type"), Sort("timestamp", descending=True))
    assert sorted_by(also, "type", also=True).sort[0] == Sort("type", descending=True)


def test_columns_can_be_added_to_the_order() -> None:
    """Ids are unique, so an added column precedes the id."""
    assert sorted_by(Query(), "type", also=True).sort == (Sort("type"),)
    by_id = Query(sort=(Sort("schema"), Sort("_id")))
    assert sorted_by(by_id, "type", also=True).sort == (Sort("schema"), Sort("type"), Sort("_id"))


def test_presets_are_relative_to_now() -> None:
    """The last quarter of an hour changes with time."""
    assert TimeSpan(TimePreset.QUARTER_HOUR).bounds(NOW) == (datetime(2026, 5, 6, 6, 53, 9, tzinfo=UTC), None)
    first, last = TimeSpan(TimePreset.TODAY).bounds(NOW)
    assert first == midnight(NOW)
    assert last is None
    assert first.astimezone().hour == 0
    whole = NOW.replace(microsecond=0)
    assert TimeSpan(TimePreset.DAY).bounds(NOW) == (whole - timedelta(days=1), None)
    first, last = TimeSpan(TimePreset.YESTERDAY).bounds(NOW)
    assert last == midnight(NOW) - timedelta(seconds=1)
    assert first == midnight(midnight(NOW) - timedelta(hours=12))
    typed = TimeSpan(first_ago=7200, last=NOW)
    assert typed.bounds(NOW + timedelta(hours=1)) == (whole - timedelta(hours=1), NOW)
    assert span_around(NOW, 5).bounds(NOW) == (NOW - timedelta(minutes=5), NOW + timedelta(minutes=5))


def test_around_the_ends_of_time_there_is_only_one_bound() -> None:
    """A record may have any time; searching around it does not fail."""
    for moment in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)):
        span = span_around(moment)
        assert span.first is not None
        assert span.last is not None
        assert span.first <= moment <= span.last
        assert span.first < span.last


def test_choices_replace_previous_ones() -> None:
    """The checked values apply."""
    assert with_values(FULL, QueryPart.TYPE, ("A", "B")).types == ("A", "B")
    assert with_values(FULL, QueryPart.BASE_TYPE, ()).base_types == ()


def test_changes_can_be_undone() -> None:
    """Back and forward work as in a web browser; a new change discards undone ones."""
    history = QueryHistory().then(FULL).then(without_filters(FULL))
    assert history.then(without_filters(FULL)) is history
    assert history.back().present == FULL
    assert history.back().forward() == history
    assert history.back().back().back().present == Query()
    assert history.back().then(Query()).future == ()
