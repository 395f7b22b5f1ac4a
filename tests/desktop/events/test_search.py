"""Tests of searching pages of events and of writing hits to a file."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import CsvOptions, Event
from cdb_desktop.client.redaction import MASK
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.search import (
    HIT_COLUMNS,
    MAX_HITS,
    SearchProgress,
    search_pages,
    with_other_records,
    write_hits,
)
from cdb_desktop.vocabulary.pattern import Hit, Pattern


async def pages(count: int, size: int) -> AsyncIterator[Sequence[Event]]:
    """Events, every tenth of which is a search."""
    for first in range(0, count, size):
        yield [Event(id=n, type="SEARCH" if n % 10 == 0 else "API_CALL") for n in range(first, first + size)]


async def test_hits_are_reported_page_by_page() -> None:
    """They have the order of the events, and the progress is reported."""
    reports: list[tuple[list[int], SearchProgress]] = []
    done = await search_pages(
        pages(2_000, 500),
        Pattern("search"),
        lambda hits, progress: reports.append(([hit.event.id for hit in hits], progress)),
        total=2_000,
    )
    assert [ids for ids, _progress in reports] == [list(range(n, n + 500, 10)) for n in range(0, 2_000, 500)]
    assert [progress.fraction for _ids, progress in reports] == [0.25, 0.5, 0.75, 1.0]
    assert (done.searched, done.hits) == (2_000, 200)


async def test_the_number_of_listed_hits_is_limited() -> None:
    """All hits are counted."""
    listed: list[Hit] = []
    done = await search_pages(pages(12_000, 1_000), Pattern("1"), lambda hits, _p: listed.extend(hits))
    every = await search_pages(pages(12_000, 1_000), Pattern("e"), lambda hits, _p: listed.extend(hits))
    assert done.hits < MAX_HITS
    assert len(listed) == done.hits + min(every.hits, MAX_HITS)


def hit(number: int) -> Hit:
    """A hit in an event with its own secret."""
    event = Event(
        id=number,
        type="OBJECT_UPDATE",
        timestamp=datetime(2026, 1, 2, tzinfo=UTC),
        objecttype="work",
        object_id=77,
        user={"_id": 5, "_generated_displayname": "Anna, Weber"},
        session_token="secret-token",
        info=msgspec.Raw(b'{"password":"hunter2","exception":"denied"}'),
    )
    return Hit(event, "info.exception", "denied", 0, 6)


async def slices(*sizes: int) -> AsyncIterator[Sequence[Hit]]:
    """Slices of so many hits each."""
    for size in sizes:
        yield [hit(number + 1) for number in range(size)]


async def test_csv_has_the_event_and_the_match(tmp_path: Path) -> None:
    """It has the chosen dialect and byte order mark, and no secret."""
    target, progress = tmp_path / "hits.csv", list[int]()
    options = ExportOptions("csv", CsvOptions(delimiter=";", use_bom=True))
    assert await write_hits(target, options, slices(2, 1), progress.append) == 3
    assert progress == [2, 3]
    raw = target.read_text(encoding="utf-8")
    assert raw.startswith("\ufeff")
    assert "hunter2" not in raw
    assert "secret-token" not in raw
    rows = list(csv.DictReader(raw.removeprefix("\ufeff").splitlines(), delimiter=";"))
    assert tuple(rows[0]) == HIT_COLUMNS
    assert (rows[0]["_id"], rows[0]["objecttype"], rows[0]["object_version"]) == ("1", "work", "")
    assert rows[0]["user._generated_displayname"] == "Anna, Weber"
    assert (rows[0]["found_in"], rows[0]["found_text"]) == ("info.exception", "denied")
    assert msgspec.json.decode(rows[0]["info"]) == {"password": MASK, "exception": "denied"}


async def test_json_lines_have_the_records(tmp_path: Path) -> None:
    """Each record has the service's form, with masked secrets."""
    target = tmp_path / "hits.jsonl"
    await write_hits(target, ExportOptions("jsonl"), slices(2), lambda _done: None)
    lines = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
    assert [line["event"]["_id"] for line in lines] == [1, 2]
    assert lines[0]["_session"]["token"] == MASK


async def test_a_failure_leaves_the_existing_file(tmp_path: Path) -> None:
    """Neither the file nor a part file is changed or left."""
    target = tmp_path / "hits.csv"
    target.write_text("before")

    async def failing() -> AsyncIterator[Sequence[Hit]]:
        yield [hit(1)]
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError):
        await write_hits(target, ExportOptions(), failing(), lambda _done: None)
    assert target.read_text() == "before"
    assert not (tmp_path / "hits.csv.part").exists()


def test_short_records_are_replaced_by_full_ones() -> None:
    """Records that no longer exist stay unchanged."""
    short = [hit(1), hit(2)]
    whole = msgspec.structs.replace(short[0].event, ipv4_address="10.0.0.1")
    assert [one.event.ipv4_address for one in with_other_records(short, [whole])] == ["10.0.0.1", None]
