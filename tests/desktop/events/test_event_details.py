"""Tests of the values of one event and of the comparison of two."""

import csv
import io
from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.event_details import PathStep, RecordLine, compare_events, event_details
from cdb_desktop.events.ticket import CopyFormat, rows_as_text, rows_as_tsv
from cdb_desktop.vocabulary.pattern import Pattern, PatternKind

EVENT = Event(
    id=7,
    type="API_CALL",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    pollable=False,
    info=msgspec.Raw(b'{"url": "/api?token=hush&x=1", "password": "hush", "list": [1, {"a": null}]}'),
    user_id=3,
    user_displayname="Anna",
    session_token="hush",
    unknown={"plugin": {"secret": "hush", "n": 1}},
)


def test_a_record_has_every_value_without_secrets() -> None:
    """It has the shape of wire §3, including unknown keys."""
    shown = event_details(EVENT, is_whole=True)
    record = msgspec.json.decode(shown.json)
    assert "hush" not in shown.json
    assert record["user"] == {"_id": 3, "_generated_displayname": "Anna"}
    assert record["_session"] == {"token": MASK}
    assert record["event"]["plugin"] == {"secret": MASK, "n": 1}
    assert shown.info == {"url": f"/api?token={MASK}&x=1", "password": MASK, "list": [1, {"a": None}]}
    assert dict(shown.fields)["_id"] == "7"
    assert dict(shown.fields)["session.token"] == MASK
    assert "info" not in dict(shown.fields)


def test_fields_are_in_groups_with_names() -> None:
    """Each field is in one group; unknown ones keep the name of the wire."""
    groups = event_details(EVENT, is_whole=True).groups
    assert [(group.title, [(field.path, field.name) for field in group.fields]) for group in groups] == [
        ("What", [("type", "Type")]),
        ("Who", [("user._generated_displayname", "User"), ("user._id", "User id")]),
        ("When and where", [("timestamp", "Time"), ("session.token", "Session token")]),
        ("Record", [("_id", "Id"), ("pollable", "Pollable"), ("plugin", "plugin")]),
    ]
    assert groups[1].fields[0].text == "Anna"


def test_missing_values_are_left_out() -> None:
    """A short record has the values that it contains."""
    shown = event_details(Event(id=1, type="SEARCH"), is_whole=False)
    assert msgspec.json.decode(shown.json) == {"event": {"_id": 1, "type": "SEARCH"}}


def test_rows_for_a_spreadsheet() -> None:
    """A line end or tab in a cell does not break the row."""
    assert rows_as_tsv([["1", "a\tb\r\nc"], ["2", ""]]) == "1\ta b c\n2\t"


INFO = (
    b'{"search": [{"string": "a"}, {"string": "Anna *Weber* \\"x\\""}], "n": 1.50, "a b": true, "no": null,'
    b' "x=y": 1, "t.t": "dot", "batch": "import 7\\nnext", "path": "C:\\\\new \\\\"}'
)
SEARCH_EVENT = Event(
    id=7,
    type="SEARCH",
    timestamp=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    user_id=3,
    info=msgspec.Raw(INFO),
)


def line(value: object, *names: str | int) -> RecordLine:
    """A line with such a path; numbers are indexes in lists."""
    steps = tuple(PathStep(str(name), in_list=isinstance(name, int)) for name in names)
    return RecordLine(steps, value, str(value))


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
def test_a_search_for_a_value_finds_the_event(one: RecordLine) -> None:
    """This holds for any value; the index in a list does not matter."""
    assert Pattern(one.search, PatternKind.KEY).find(SEARCH_EVENT) is not None
    other = line(f"{one.text}!", *(step.name for step in one.steps))
    assert Pattern(other.search, PatternKind.KEY).find(SEARCH_EVENT) is None


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
def test_values_that_cannot_be_searched_are_not_offered(one: RecordLine) -> None:
    """These are keys that cannot be typed, objects, null, secrets and the id of the event itself."""
    assert one.search == ""


def test_a_line_has_a_column_if_there_is_one() -> None:
    """Fields have their columns, values of info the columns of their paths."""
    lines = [line("x", "type"), line("x", "user._generated_displayname"), line("x", "session.created")]
    lines += [line("x", "info", "search", 0, "string"), line("x", "info", "a.b"), line("x", "_id")]
    assert [one.column for one in lines] == ["type", "user", "", "info.search.0.string", "", "id"]


def test_a_line_as_json_has_its_path() -> None:
    """The copied text shows where the value was."""
    assert line("Anna", "info", "search", 0, "string").json == '{"info.search.0.string":"Anna"}'


TITLES, ROWS = ["Id", "Type"], [["1", 'a|b "c"'], ["2", "x\ny, z"]]


def test_differences_have_symbols() -> None:
    """Lines are changed, only on the left or only on the right; equal lines have no symbol."""
    left = Event(id=1, type="SEARCH", info=msgspec.Raw(b'{"a": [1, 2], "gone": true}'))
    right = Event(id=2, type="SEARCH", info=msgspec.Raw(b'{"a": [1, 3], "fresh": "x"}'))
    lines = {line.path: (line.sign, line.left, line.right) for line in compare_events(left, right)}
    assert lines["_id"] == ("~", "1", "2")
    assert lines["type"] == ("", "SEARCH", "SEARCH")
    assert lines["info.a.1"] == ("~", "2", "3")
    assert lines["info.gone"] == ("−", "true", None)
    assert lines["info.fresh"] == ("+", None, "x")


def test_rows_are_copied_in_several_formats() -> None:
    """CSV can be read back, Markdown is a table with titles, TSV has one line a row."""
    again = list(csv.reader(io.StringIO(rows_as_text(CopyFormat.CSV, TITLES, ROWS), newline="")))
    assert again == [TITLES, *ROWS]
    assert rows_as_text(CopyFormat.MARKDOWN, TITLES, ROWS).splitlines() == [
        "| Id | Type |",
        "| --- | --- |",
        '| 1 | a\\|b "c" |',
        "| 2 | x y, z |",
    ]
    assert rows_as_text(CopyFormat.TSV, TITLES, ROWS) == '1\ta|b "c"\n2\tx y, z'
