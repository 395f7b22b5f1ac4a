"""Tests of single lines of a record."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.line import Line, Step
from cdb_desktop.vocabulary.pattern import Pattern, PatternKind

INFO = (
    b'{"search": [{"string": "a"}, {"string": "Anna *Weber* \\"x\\""}], "n": 1.50, "a b": true, "no": null,'
    b' "x=y": 1, "t.t": "dot", "batch": "import 7\\nnext", "path": "C:\\\\new \\\\"}'
)
EVENT = Event(
    id=7,
    type="SEARCH",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    user_id=3,
    info=msgspec.Raw(INFO),
)


def line(value: object, *names: str | int) -> Line:
    """A line at such a path; numbers are places in lists."""
    steps = tuple(Step(str(name), in_list=isinstance(name, int)) for name in names)
    return Line(steps, value, str(value))


@pytest.mark.parametrize(
    "one",
    [
        line('Anna *Weber* "x"', "info", "search", 1, "string"),
        line(1.5, "info", "n"),
        line(True, "info", "a b"),
        line(None, "info", "no"),
        line("dot", "info", "t.t"),
        line("import 7\nnext", "info", "batch"),
        line(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "timestamp"),
        line(3, "user._id"),
    ],
)
def test_what_is_searched_for_finds_the_event(one: Line) -> None:
    """Whatever the value is made of; the place in a list does not matter."""
    assert Pattern(one.search, PatternKind.KEY).find(EVENT) is not None
    other = line(f"{one.text}!", *(step.name for step in one.steps))
    assert Pattern(other.search, PatternKind.KEY).find(EVENT) is None


@pytest.mark.parametrize(
    "one",
    [
        line(1, "info", "x=y"),
        line({"a": 1}, "info", "a"),
        line([1], "info", "a"),
        line("", "info", "a"),
        line(MASK, "session.token"),
        line(7, "_id"),
        line("C:\\new \\", "info", "path"),
    ],
)
def test_what_cannot_be_searched_for_is_not_offered(one: Line) -> None:
    """Keys that cannot be typed, blocks, nothing, secrets, and the number of the event itself."""
    assert one.search == ""


def test_a_line_is_a_column_where_there_is_one() -> None:
    """Fields by their names; of info whatever has a path."""
    lines = [line("x", "type"), line("x", "user._generated_displayname"), line("x", "session.created")]
    lines += [line("x", "info", "search", 0, "string"), line("x", "info", "a.b"), line("x", "_id")]
    assert [one.column for one in lines] == ["type", "user", "", "info.search.0.string", "", "id"]


def test_a_line_as_json_has_its_path() -> None:
    """So that whoever gets it knows where it was."""
    assert line("Anna", "info", "search", 0, "string").json == '{"info.search.0.string":"Anna"}'
