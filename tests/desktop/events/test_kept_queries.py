"""Tests of queries that are kept from one start to the next."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from cdb_desktop.client import Sort
from cdb_desktop.events.history import History
from cdb_desktop.events.kept_queries import UnreadableError, history_of, with_history
from cdb_desktop.events.query import Query
from cdb_desktop.events.span import Preset, Span

NARROW = Query(
    types=("SEARCH",),
    base_types=("user",),
    users=(7,),
    groups=(3,),
    user_types=("easydb",),
    pollable=False,
    span=Span(first=datetime(2026, 3, 1, 12, tzinfo=UTC)),
    sort=(Sort("type"), Sort("_id", descending=True)),
)
RELATIVE = Query(span=Span(Preset.QUARTER_HOUR))


def test_every_part_of_a_query_comes_back_with_what_was_asked_around_it() -> None:
    """A span that ends now is still one: it is no pair of moments."""
    typed = Query(span=Span(first_ago=7200, last_ago=60))
    history = History().then(typed).then(NARROW).then(RELATIVE).then(Query()).back()
    found = history_of(with_history("", "root@a", history), "root@a")
    assert found == history
    assert found.present.span.preset is Preset.QUARTER_HOUR
    assert found.back().present == NARROW
    assert found.forward().present == Query()


def test_each_user_of_each_service_has_queries_of_their_own() -> None:
    """Numbers of users mean others elsewhere; the very first time nothing is asked for."""
    text = with_history("", "root@a", History(NARROW))
    text = with_history(text, "anna@a", History(RELATIVE))
    assert history_of(text, "root@a").present == NARROW
    assert history_of(text, "anna@a").present == RELATIVE
    assert history_of(text, "root@b") == History()
    assert history_of("", "root@a") == History()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"home": 5}',
        '{"home": {"version": 2, "history": {}}}',
        '{"home": {"history": {}}}',
        '{"home": {"version": 1, "history": {"present": {"types": 5}}}}',
        '{"home": {"version": 1, "history": {"present": {"sort": [{"field": "colour"}]}}}}',
        '{"home": {"version": 1, "history": {"past": [{"span": {"first": "2026-01-01T00:00:00"}}]}}}',
    ],
)
def test_what_cannot_be_asked_is_refused(text: str) -> None:
    """Damaged, of another version, or such as a service would only refuse; the next one replaces it."""
    with pytest.raises(UnreadableError):
        history_of(text, "home")
    assert history_of(with_history(text, "home", History(NARROW)), "home").present == NARROW


def test_a_damaged_record_leaves_those_of_others_alone() -> None:
    """And they stay as they were written, also those of a later program."""
    later = {"version": 9, "history": {"what": "ever"}}
    text = with_history(json.dumps({"later": later, "broken": 5}), "home", History(NARROW))
    assert json.loads(text)["later"] == later
    assert history_of(text, "home").present == NARROW


def test_it_does_not_grow_for_ever() -> None:
    """The newest twenty services, each with fifty queries each way."""
    history = History()
    for number in range(130):
        history = history.then(Query(users=(number,)))
    for _step in range(60):
        history = history.back()
    text = ""
    for number in range(25):
        text = with_history(text, f"home {number}", history)
    assert len(json.loads(text)) == 20
    found = history_of(text, "home 24")
    assert found.present == history.present
    assert (len(found.past), len(found.future)) == (40, 50)
    assert found.forward().present == history.forward().present
    assert found.back().present == history.back().present
    assert history_of(text, "home 0") == History()
