"""Tests of the export of records as lines of JSON, also of those that have no id."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from cdb_desktop.client import Event, EventFilter, Record, Unreadable
from cdb_desktop.events.export import Export
from cdb_desktop.events.export_wish import Wish, kept_of, shape_of
from cdb_desktop.events.pages import PAGE
from cdb_desktop.vocabulary.event_json import json_line

WISH = Wish("jsonl", receipt=False)
ODD = {row: Unreadable("no _id", b'{"row": %d}' % row) for row in (0, 998, 999, 1000, 1998, 2000, 2999)}


class Log:
    """A list by ascending id with records that have none; it fails at one of the calls."""

    def __init__(self, fails_at: int = -1) -> None:
        self.records: list[Record] = [ODD.get(row) or Event(id=row) for row in range(3_000)]
        self.fails_at, self.calls = fails_at, 0

    async def fetch(self, offset: int) -> Sequence[Record]:
        self.calls += 1
        if self.calls - 1 == self.fails_at:
            raise ConnectionError
        return self.records[offset : offset + PAGE]


def _export(log: Log, target: Path, up_to: int | None = None) -> Export:
    shape, kept = shape_of(WISH, EventFilter(), target), kept_of(WISH, EventFilter(), target)
    return Export(log.fetch, target, up_to=up_to, shape=shape, kept=kept)


@pytest.mark.parametrize("fails_at", [-1, 1, 2, 3])
async def test_every_record_is_written_once(tmp_path: Path, fails_at: int) -> None:
    """Where a page ends with records that have no id, and where it goes on there after a break."""
    log, target = Log(fails_at), tmp_path / "events.jsonl"
    if fails_at >= 0:
        with pytest.raises(ConnectionError):
            await _export(log, target).run(lambda _progress: None)
    export = _export(log, target)
    assert export.resumed == {-1: 0, 1: 1_000, 2: 1_999, 3: 2_998}[fails_at]
    await export.run(lambda _progress: None)
    assert target.read_bytes() == b"".join(map(json_line, log.records))
    kept = export.kept
    assert (kept.rows, kept.unreadable, kept.first, kept.last) == (3_000, len(ODD), 1, 2_998)


async def test_what_is_newer_is_left_out(tmp_path: Path) -> None:
    """The file ends before the first event that is."""
    log = Log()
    export = _export(log, tmp_path / "events.jsonl", up_to=2_500)
    await export.run(lambda _progress: None)
    assert export.target.read_bytes() == b"".join(map(json_line, log.records[:2_501]))
