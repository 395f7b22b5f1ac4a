"""Tests of the message about filters that the feed supports or not."""

from pytestqt.qtbot import QtBot

from cdb_desktop.queries.query import Query
from cdb_desktop.ui.live.view import FeedNotices
from cdb_desktop.ui.shell.workspace import live_filter_names
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.pattern import Condition
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

WEEK = TimeSpan(next(iter(TimePreset)))


FILTERS: dict[Query, tuple[list[str], list[str]]] = {
    Query(types=("SEARCH",), users=(1,)): (["types", "users"], []),
    Query(span=WEEK): ([], ["time"]),
    Query(base_types=("work",), groups=(2,), pollable=False): (["base types", "pollability"], ["groups"]),
    Query(types=("SEARCH",), conditions=(Condition("denied"),)): (["types", "conditions"], []),
    Query(user_types=("system",)): ([], ["kinds of users"]),
}


def test_each_filter_is_named_as_applied_or_ignored() -> None:
    """No filter is called applied that is not."""
    assert {query: live_filter_names(query) for query in FILTERS} == FILTERS


def test_no_filter_is_called_applied_if_none_is(qtbot: QtBot, appearance: Appearance) -> None:
    """With only a date the feed shows all events."""
    notices = FeedNotices(appearance)
    qtbot.addWidget(notices)
    notices.show_ignored_filters([], ["time"])
    assert notices.title == "No filter could be applied"
    assert notices.text.startswith("The feed shows all events. Not applied: time. ")
    notices.show_ignored_filters(["types"], ["time", "groups"])
    assert notices.title == "Not all filters could be applied"
    assert notices.text.startswith("Applied: types. Not applied: time, groups. ")
