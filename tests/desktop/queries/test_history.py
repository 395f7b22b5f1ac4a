"""Tests of the query history and its file."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cdb_desktop.client import Sort
from cdb_desktop.foundation.files import Report
from cdb_desktop.queries.history import QueryHistory, QueryHistoryFile
from cdb_desktop.queries.query import Query
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan

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
    """The file of the queries."""
    return tmp_path / "queries.json"


def test_every_part_of_a_query_is_restored_with_its_history(path: Path) -> None:
    """A relative interval stays relative."""
    typed = Query(span=TimeSpan(first_ago=7200, last_ago=60))
    history = QueryHistory().then(typed).then(NARROW).then(RELATIVE).then(Query()).back()
    QueryHistoryFile(path).write("root@a", history)
    found = QueryHistoryFile(path).read("root@a")
    assert found == history
    assert found.present.span.preset is TimePreset.QUARTER_HOUR
    assert found.back().present == NARROW
    assert found.forward().present == Query()


def test_each_user_of_each_service_has_separate_queries(path: Path) -> None:
    """User ids differ between services; at the very first start there is no query."""
    file = QueryHistoryFile(path)
    assert file.read("root@a") == QueryHistory()
    file.write("root@a", QueryHistory(NARROW))
    file.write("anna@a", QueryHistory(RELATIVE))
    assert file.read("root@a").present == NARROW
    assert file.read("anna@a").present == RELATIVE
    assert file.read("root@b") == QueryHistory()


def test_windows_do_not_overwrite_each_other(path: Path) -> None:
    """Each window has its current query; the queries of all are offered at the next start."""
    first, second = QueryHistoryFile(path), QueryHistoryFile(path)
    one = other = first.read("root@a")
    queries = [Query(users=(number,)) for number in range(6)]
    for number, query in enumerate(queries):
        if number % 2:
            one = one.then(query)
            first.write("root@a", one)
        else:
            other = other.then(query)
            second.write("root@a", other)
    second.write("anna@b", QueryHistory(NARROW))
    found = QueryHistoryFile(path).read("root@a")
    assert found.present == queries[5]
    assert set(found.recent(15)) == {Query(), *queries[:5]}
    assert found.recent(2) == (queries[3], queries[1])
    assert QueryHistoryFile(path).read("anna@b").present == NARROW


def test_undone_queries_are_not_history(path: Path) -> None:
    """A single window restores its steps unchanged, after any sequence of back and forward."""
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
        '{"home": {"version": 3, "history": {}}}',
        '{"home": {"history": {}}}',
        '{"home": {"version": 1, "history": {"present": {"types": 5}}}}',
        '{"home": {"version": 1, "history": {"present": {"sort": [{"field": "colour"}]}}}}',
        '{"home": {"version": 1, "history": {"past": [{"span": {"first": "2026-01-01T00:00:00"}}]}}}',
    ],
)
def test_invalid_queries_are_set_aside(path: Path, text: str, reports: list[Report]) -> None:
    """They are damaged, of another version, or invalid for a service; the next one replaces them."""
    path.write_text(text)
    file = QueryHistoryFile(path)
    assert file.read("home") == QueryHistory()
    file.write("home", QueryHistory(NARROW))
    assert QueryHistoryFile(path).read("home").present == NARROW
    (report,) = reports
    assert report.kept is not None
    assert report.kept.read_text() == text


def test_a_damaged_record_does_not_affect_others(path: Path) -> None:
    """Others stay unchanged in the file, also those of a later version."""
    later = {"version": 9, "history": {"what": "ever"}}
    path.write_text(json.dumps({"later": later, "broken": 5, "home": 5}))
    file = QueryHistoryFile(path)
    file.write("home", QueryHistory(NARROW))
    assert json.loads(path.read_bytes())["later"] == later
    assert file.read("home").present == NARROW


def test_queries_that_cannot_be_written_stay_in_memory(path: Path, reports: list[Report]) -> None:
    """It is reported once, and they are written when there is space."""
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


def test_the_size_is_limited(path: Path) -> None:
    """The file has the newest twenty services, each with at most fifty queries in each direction."""
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
