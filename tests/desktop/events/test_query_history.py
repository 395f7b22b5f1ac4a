"""Tests of the query history and its file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cdb_desktop.client import Sort
from cdb_desktop.events.query import Query, TimePreset, TimeSpan
from cdb_desktop.events.query_history import QueryHistory, QueryHistoryFile
from cdb_desktop.foundation.files import Report

NARROW = Query(
    types=("SEARCH",),
    base_types=("user",),
    users=(7,),
    groups=(3,),
    user_types=("easydb",),
    pollable=False,
    span=TimeSpan(first=datetime(2026, 3, 1, 12, tzinfo=UTC)),
    sort=(Sort("type"), Sort("_id", descending=True)),
)
RELATIVE = Query(span=TimeSpan(TimePreset.QUARTER_HOUR))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the queries are kept."""
    return tmp_path / "queries.json"


def test_every_part_of_a_query_comes_back_with_what_was_asked_around_it(path: Path) -> None:
    """A span that ends now is still one: it is no pair of moments."""
    typed = Query(span=TimeSpan(first_ago=7200, last_ago=60))
    history = QueryHistory().then(typed).then(NARROW).then(RELATIVE).then(Query()).back()
    QueryHistoryFile(path).write("root@a", history)
    found = QueryHistoryFile(path).read("root@a")
    assert found == history
    assert found.present.span.preset is TimePreset.QUARTER_HOUR
    assert found.back().present == NARROW
    assert found.forward().present == Query()


def test_each_user_of_each_service_has_queries_of_their_own(path: Path) -> None:
    """Numbers of users mean others elsewhere; the very first time nothing is asked for."""
    file = QueryHistoryFile(path)
    assert file.read("root@a") == QueryHistory()
    file.write("root@a", QueryHistory(NARROW))
    file.write("anna@a", QueryHistory(RELATIVE))
    assert file.read("root@a").present == NARROW
    assert file.read("anna@a").present == RELATIVE
    assert file.read("root@b") == QueryHistory()


def test_windows_do_not_overwrite_each_other(path: Path) -> None:
    """Each has its own query in force; what any of them has asked is offered again at the next start."""
    first, second = QueryHistoryFile(path), QueryHistoryFile(path)
    one = other = first.read("root@a")
    asked = [Query(users=(number,)) for number in range(6)]
    for number, query in enumerate(asked):
        if number % 2:
            one = one.then(query)
            first.write("root@a", one)
        else:
            other = other.then(query)
            second.write("root@a", other)
    second.write("anna@b", QueryHistory(NARROW))
    found = QueryHistoryFile(path).read("root@a")
    assert found.present == asked[5]
    assert set(found.recent(15)) == {Query(), *asked[:5]}
    assert found.recent(2) == (asked[3], asked[1])
    assert QueryHistoryFile(path).read("anna@b").present == NARROW


def test_what_is_taken_back_is_not_asked_before(path: Path) -> None:
    """A window alone finds its own steps as they were, whatever way it went through them."""
    file, history = QueryHistoryFile(path), QueryHistory()
    for step in (NARROW, RELATIVE, None, None, NARROW):
        history = history.back() if step is None else history.then(step)
        file.write("root@a", history)
        assert file.read("root@a") == history


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
def test_what_cannot_be_asked_is_set_aside(path: Path, text: str, reports: list[Report]) -> None:
    """Damaged, of another version, or such as a service would only refuse; the next one replaces it."""
    path.write_text(text)
    file = QueryHistoryFile(path)
    assert file.read("home") == QueryHistory()
    file.write("home", QueryHistory(NARROW))
    assert QueryHistoryFile(path).read("home").present == NARROW
    (report,) = reports
    assert report.kept is not None
    assert report.kept.read_text() == text


def test_a_damaged_record_leaves_those_of_others_alone(path: Path) -> None:
    """And they stay as they were written, also those of a later program."""
    later = {"version": 9, "history": {"what": "ever"}}
    path.write_text(json.dumps({"later": later, "broken": 5, "home": 5}))
    file = QueryHistoryFile(path)
    file.write("home", QueryHistory(NARROW))
    assert json.loads(path.read_bytes())["later"] == later
    assert file.read("home").present == NARROW


def test_what_cannot_be_written_stays_for_this_run(path: Path, reports: list[Report]) -> None:
    """And is reported once; the next time that there is room it is written."""
    path.parent.joinpath("queries.json.lock").mkdir()
    file = QueryHistoryFile(path)
    file.write("home", QueryHistory(NARROW))
    file.write("home", QueryHistory(RELATIVE))
    assert file.read("home").present == RELATIVE
    assert [one.trouble for one in reports] == ["unwritten"]
    path.parent.joinpath("queries.json.lock").rmdir()
    file.write("home", QueryHistory(NARROW))
    assert [one.trouble for one in reports] == ["unwritten", "written"]
    assert QueryHistoryFile(path).read("home").present == NARROW


def test_it_does_not_grow_for_ever(path: Path) -> None:
    """The newest twenty services, each with fifty queries each way."""
    history = QueryHistory()
    for number in range(130):
        history = history.then(Query(users=(number,)))
    for _step in range(60):
        history = history.back()
    file = QueryHistoryFile(path)
    for number in range(25):
        file.write(f"home {number}", history)
    assert len(json.loads(path.read_bytes())) == 20
    found = file.read("home 24")
    assert found.present == history.present
    assert (len(found.past), len(found.future)) == (40, 50)
    assert found.forward().present == history.forward().present
    assert found.back().present == history.back().present
    assert file.read("home 0") == QueryHistory()
