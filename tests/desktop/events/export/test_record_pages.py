"""Tests of pages created from records: visible columns, the service's columns, JSON lines."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Client, CsvOptions, Event, EventFilter, Record, Sort, Unreadable
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export.checkpoint import load_checkpoint
from cdb_desktop.events.export.export import Export
from cdb_desktop.events.export.formats import export_format, preview_records
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.record_pages import ColumnPage, event_csv_page
from cdb_desktop.events.result import PAGE_SIZE
from cdb_desktop.vocabulary.event_json import json_line

INFO = msgspec.Raw(b'{"q":{"words":["a","b"]},"password":"secret","text":"=1+1"}')
EVENT = Event(
    id=7,
    type="SEARCH",
    timestamp=datetime(2026, 11, 22, 8, 0, tzinfo=UTC),
    objecttype="work",
    object_id=12,
    object_version=3,
    user_id=5,
    pollable=True,
    info=INFO,
)
ODD = Unreadable("no_id", b'{"event":{"_id":"seven","type":"SEARCH","info":{"text":"x"}}}')


def cells(names: Sequence[str], options: CsvOptions, *, guard: bool = False) -> list[str]:
    """The cells of the event, read from the CSV."""
    export_options = ExportOptions("csv", options, guard, columns=tuple(names))
    (row,) = preview_records(export_options, [EVENT]).rows
    return list(row)


def test_a_cell_has_the_displayed_value_as_data() -> None:
    """Numbers have no separators, times have an offset, object and user are as displayed."""
    names = (
        "object",
        "id",
        "time",
        "user",
        "pollable",
        "schema",
        "info.q.words.1",
        "info.q.words",
        "info.no",
    )
    shown = ["work 12 v3", "7", "2026-11-22T08:00:00+00:00", "#5", "true", "", "b", '["a","b"]', ""]
    assert cells(names, CsvOptions(max_length=0)) == shown


def test_the_options_apply_as_for_the_services_csv() -> None:
    """Arrays are joined, values trimmed, formulas escaped, and secrets always masked."""
    names = ("info.q.words", "info.password", "info.text", "type")
    options = CsvOptions(delimiter=";", quote="'", explode_array_concat="/", max_length=4, use_bom=True)
    assert cells(names, options, guard=True) == ["a/b", MASK[:4], "'=1+1"[:5], "SEAR"]
    header = ColumnPage([], names, options).header
    assert header == b"\xef\xbb\xbfinfo.q.words;info.password;info.text;type\r\n"


@pytest.mark.parametrize(
    ("name", "whole"), [("object", False), ("user_id", False), ("pollable", True), ("info.q", True)]
)
def test_short_records_are_used_if_they_are_sufficient(name: str, whole: bool) -> None:
    """They are transferred many times as fast."""
    assert ExportOptions(columns=("id", name)).uses_whole_records(are_listed=False) is whole


async def test_it_is_resumed_after_a_failure_with_all_unreadable_records(tmp_path: Path) -> None:
    """The rows are the same; a record without an id has the values that can be read."""
    records: list[Record] = [Event(id=number, type="SEARCH") for number in range(1, 2_500)]
    records.insert(1_200, ODD)
    export_options, target = ExportOptions(columns=("id", "type", "info.text")), tmp_path / "events.csv"
    calls: list[int] = []

    async def fetch(offset: int) -> Sequence[Record]:
        calls.append(offset)
        if len(calls) == 2:
            raise ConnectionError
        return records[offset : offset + PAGE_SIZE]

    def export() -> Export:
        checkpoint = load_checkpoint(export_options, EventFilter(), target)
        return Export(
            fetch,
            target,
            export_format(export_options, EventFilter(), target),
            checkpoint=checkpoint,
        )

    with pytest.raises(ConnectionError):
        await export().run(lambda _progress: None)
    done = export()
    await done.run(lambda _progress: None)
    header, *lines = target.read_text("utf-8").splitlines()
    assert header == "_id,type,info.text"
    assert lines == [f"{one.id},SEARCH," if isinstance(one, Event) else "seven,SEARCH,x" for one in records]
    assert (done.resumed > 0, done.checkpoint.unreadable) == (True, 1)


USER_TYPE = "user_type"  # in no record


@pytest.mark.parametrize(
    "options",
    [
        CsvOptions(max_length=0),
        CsvOptions(max_length=0, explode=True),
        CsvOptions(max_length=0, explode=True, explode_array_concat="|"),
        CsvOptions(max_length=12, delimiter=";", use_bom=True),
        CsvOptions(max_length=0, quote="'", escape="\\"),
    ],
)
async def test_rows_equal_those_of_the_service(reference_server: str, options: CsvOptions) -> None:
    """Every cell is equal, except for tokens."""
    async with Client(reference_server) as client:
        await client.authenticate("root", "admin")
        chosen, by_id = EventFilter(), (Sort("_id"),)
        events = (await client.list_events(chosen, sort=by_id, limit=300, full=True)).events
        expected = _rows(await client.list_csv(chosen, options, sort=by_id, limit=300), options)
    found = _rows(event_csv_page(events, options), options)
    assert len(found) == len(expected) == 300
    for row, expected_row in zip(found, expected, strict=True):
        assert expected_row.pop(USER_TYPE) is not None
        if expected_row["session"]:
            expected_row["session"] = MASK[: options.max_length or None]
        assert row == expected_row
    more = _rows(event_csv_page([Event(id=1, group_id=2)], options, like_service=False), options)[0]
    assert (more["group_id"], more["system_object_id"]) == ("2", "")


def _rows(page: bytes, options: CsvOptions) -> list[dict[str, str]]:
    assert page.startswith(b"\xef\xbb\xbf") is options.use_bom
    same = options.escape == options.quote
    lines = io.StringIO(page.decode("utf-8-sig"), newline="")
    return list(
        csv.DictReader(
            lines,
            delimiter=options.delimiter,
            quotechar=options.quote,
            doublequote=same,
            escapechar=None if same else options.escape,
        )
    )


EXPORT_OPTIONS = ExportOptions("jsonl", receipt=False)
ODD_ROWS = {row: Unreadable("no_id", b'{"row": %d}' % row) for row in (0, 998, 999, 1000, 1998, 2000, 2999)}


class Log:
    """A list by ascending id with records that have no id; one of the calls fails."""

    def __init__(self, fails_at: int = -1) -> None:
        self.records: list[Record] = [ODD_ROWS.get(row) or Event(id=row) for row in range(3_000)]
        self.fails_at, self.calls = fails_at, 0

    async def fetch(self, offset: int) -> Sequence[Record]:
        self.calls += 1
        if self.calls - 1 == self.fails_at:
            raise ConnectionError
        return self.records[offset : offset + PAGE_SIZE]


def _export(log: Log, target: Path, up_to: int | None = None) -> Export:
    json_lines, checkpoint = (
        export_format(EXPORT_OPTIONS, EventFilter(), target),
        load_checkpoint(EXPORT_OPTIONS, EventFilter(), target),
    )
    return Export(log.fetch, target, json_lines, up_to=up_to, checkpoint=checkpoint)


@pytest.mark.parametrize("fails_at", [-1, 1, 2, 3])
async def test_every_record_is_written_once(tmp_path: Path, fails_at: int) -> None:
    """This holds if a page ends with records without an id, and if it is resumed there."""
    log, target = Log(fails_at), tmp_path / "events.jsonl"
    if fails_at >= 0:
        with pytest.raises(ConnectionError):
            await _export(log, target).run(lambda _progress: None)
    export = _export(log, target)
    assert export.resumed == {-1: 0, 1: 1_000, 2: 1_999, 3: 2_998}[fails_at]
    await export.run(lambda _progress: None)
    assert target.read_bytes() == b"".join(map(json_line, log.records))
    checkpoint = export.checkpoint
    assert (checkpoint.rows, checkpoint.unreadable, checkpoint.first, checkpoint.last) == (
        3_000,
        len(ODD_ROWS),
        1,
        2_998,
    )


async def test_newer_events_are_left_out(tmp_path: Path) -> None:
    """The file ends before the first newer event."""
    log = Log()
    export = _export(log, tmp_path / "events.jsonl", up_to=2_500)
    await export.run(lambda _progress: None)
    assert export.target.read_bytes() == b"".join(map(json_line, log.records[:2_501]))
