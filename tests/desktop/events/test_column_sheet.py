"""Tests of CSV in the columns that are on screen, made of records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import CsvOptions, Event, EventFilter, Record, Unreadable
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.column_sheet import ColumnSheet, needs_whole
from cdb_desktop.events.export import Export
from cdb_desktop.events.export_wish import Wish, kept_of, shape_of
from cdb_desktop.events.pages import PAGE
from cdb_desktop.events.preview import preview_of_records

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
    """The cells of the event, as they are read back."""
    wish = Wish("csv", options, guard, columns=tuple(names))
    (row,) = preview_of_records(wish, [EVENT]).rows
    return list(row)


def test_a_cell_holds_what_the_screen_shows_as_data() -> None:
    """Numbers without separators, times with their offset, object and user as the screen makes them."""
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


def test_the_options_hold_as_for_the_services_own() -> None:
    """Joined arrays, trimmed values, no formulas; secrets are masked whatever is chosen."""
    names = ("info.q.words", "info.password", "info.text", "type")
    options = CsvOptions(delimiter=";", quote="'", explode_array_concat="/", max_length=4, use_bom=True)
    assert cells(names, options, guard=True) == ["a/b", MASK[:4], "'=1+1"[:5], "SEAR"]
    header = ColumnSheet([], names, options).header
    assert header == b"\xef\xbb\xbfinfo.q.words;info.password;info.text;type\r\n"


@pytest.mark.parametrize(
    ("name", "whole"), [("object", False), ("user_id", False), ("pollable", True), ("info.q", True)]
)
def test_short_records_do_for_what_they_hold(name: str, whole: bool) -> None:
    """They come many times as fast."""
    assert needs_whole(("id", name)) is whole


async def test_it_goes_on_after_a_failure_and_drops_no_odd_record(tmp_path: Path) -> None:
    """The same rows as without it; a record without an id is told as far as it is understood."""
    records: list[Record] = [Event(id=number, type="SEARCH") for number in range(1, 2_500)]
    records.insert(1_200, ODD)
    wish, target = Wish(columns=("id", "type", "info.text")), tmp_path / "events.csv"
    calls: list[int] = []

    async def fetch(offset: int) -> Sequence[Record]:
        calls.append(offset)
        if len(calls) == 2:
            raise ConnectionError
        return records[offset : offset + PAGE]

    def export() -> Export:
        kept = kept_of(wish, EventFilter(), target)
        return Export(fetch, target, shape=shape_of(wish, EventFilter(), target), kept=kept)

    with pytest.raises(ConnectionError):
        await export().run(lambda _progress: None)
    done = export()
    await done.run(lambda _progress: None)
    header, *lines = target.read_text("utf-8").splitlines()
    assert header == "_id,type,info.text"
    assert lines == [f"{one.id},SEARCH," if isinstance(one, Event) else "seven,SEARCH,x" for one in records]
    assert (done.resumed > 0, done.kept.unreadable) == (True, 1)
