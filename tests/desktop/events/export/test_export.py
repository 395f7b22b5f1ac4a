"""Tests of an export while the log changes."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from cdb_desktop.client import EventFilter
from cdb_desktop.events.export.checkpoint import Checkpoint
from cdb_desktop.events.export.export import Export, ExportProgress, FetchPage, FinishedFile
from cdb_desktop.events.export.formats import export_format
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.result import PAGE_SIZE, IncompleteResultError


class Log:
    """A service's list by ascending id, from which rows may be deleted between two calls."""

    def __init__(self, rows: int) -> None:
        self.ids = list(range(1, rows + 1))
        self.deletions: dict[int, range] = {}
        self.offsets: list[int] = []

    async def fetch(self, offset: int) -> bytes:
        deleted = self.deletions.get(len(self.offsets), range(0))
        self.ids = [one for one in self.ids if one not in deleted]
        self.offsets.append(offset)
        rows = self.ids[offset : offset + PAGE_SIZE]
        return b"_id,type\r\n" + b"".join(b"%d,SEARCH\r\n" % one for one in rows)


def plain_export(fetch: FetchPage, target: Path, **options: Any) -> Export:
    """An export of plain CSV."""
    return Export(fetch, target, export_format(ExportOptions(), EventFilter(), target), **options)


def ids(path: Path) -> list[int]:
    """The ids in a file, after checking its header."""
    header, *rows = path.read_text().splitlines()
    assert header == "_id,type"
    return [int(row.partition(",")[0]) for row in rows]


async def test_pages_become_one_file(tmp_path: Path) -> None:
    """The header is written once, every row once, and the progress ends at the total."""
    log, progress = Log(2_500), list[ExportProgress]()
    export = plain_export(log.fetch, tmp_path / "events.csv", total=2_500)
    done = await export.run(progress.append)
    assert ids(export.target) == log.ids
    assert [one.rows for one in progress] == [1_000, 1_999, 2_500]
    assert (done.fraction, done.size) == (1.0, export.target.stat().st_size)
    assert log.offsets == [0, 999, 1_998]
    assert not export.part.exists()


@pytest.mark.parametrize("deleted", [range(1, 400), range(990, 1_010), range(500, 2_400), range(1, 2_501)])
async def test_concurrent_deletions_skip_nothing(tmp_path: Path, deleted: range) -> None:
    """Rows that moved up are read: the file has the remaining rows, once and in order."""
    log = Log(2_500)
    log.deletions = {1: deleted}
    export = plain_export(log.fetch, tmp_path / "events.csv")
    await export.run(lambda _progress: None)
    written = ids(export.target)
    assert set(log.ids) <= set(written)
    assert written == sorted(set(written))


async def test_events_added_in_the_last_second_are_left_out(tmp_path: Path) -> None:
    """The file has the displayed events, also if they end at the end of a page."""
    for last in (1_000, 1_999, 2_300):
        log = Log(2_500)
        export = plain_export(log.fetch, tmp_path / "events.csv", up_to=last)
        await export.run(lambda _progress: None)
        assert ids(export.target) == log.ids[:last]


async def test_an_empty_result_is_written_as_a_header(tmp_path: Path) -> None:
    """The file shows that nothing was found."""
    export = plain_export(Log(0).fetch, tmp_path / "events.csv")
    await export.run(lambda _progress: None)
    assert ids(export.target) == []


async def test_a_failure_leaves_the_existing_file_unchanged(tmp_path: Path) -> None:
    """The part file is never renamed when incomplete, and stays until it is discarded."""
    target = tmp_path / "events.csv"
    target.write_text("before")
    log = Log(2_500)

    async def fetch(offset: int) -> bytes:
        if offset:
            raise OSError(errno.ENOSPC, "no space")
        return await log.fetch(offset)

    export = plain_export(fetch, target)
    with pytest.raises(OSError, match="no space"):
        await export.run(lambda _progress: None)
    assert target.read_text() == "before"
    assert export.is_part_kept
    assert ids(export.part) == log.ids[:PAGE_SIZE]
    export.discard()
    assert not export.part.exists()


def test_the_remaining_time_is_estimated_when_possible() -> None:
    """There is no estimate in the first second, nor without a count."""
    assert ExportProgress(500, 1, 0.5, 1_000).seconds_left is None
    assert ExportProgress(500, 1, 2.0).fraction is None
    assert ExportProgress(500, 1, 2.0, 1_000).seconds_left == pytest.approx(2.0)


@pytest.mark.parametrize("is_made", [False, True])
async def test_a_file_is_synced_before_it_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_made: bool
) -> None:
    """The whole file is synced, also if it is created from the rows at the end."""
    synced, renamed = dict[int, int](), list[bool]()
    sync, replace = os.fsync, Path.replace

    def note(descriptor: int) -> None:
        sync(descriptor)
        synced[os.fstat(descriptor).st_ino] = os.fstat(descriptor).st_size

    def rename(file: Path, target: Path) -> Path:
        stat = file.stat()
        if target.name == "events.csv":
            renamed.append(synced.get(stat.st_ino) == stat.st_size)
        return replace(file, target)

    async def make(part: Path, _checkpoint: Checkpoint, _report: Callable[[int], None]) -> FinishedFile:
        created = part.with_name("created")
        _copy(part, created)
        return FinishedFile(created)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(Path, "replace", rename)
    target = tmp_path / "events.csv"
    shape = export_format(ExportOptions(), EventFilter(), target)
    export = Export(Log(1_500).fetch, target, structs.replace(shape, finish=make) if is_made else shape)
    await export.run(lambda _progress: None)
    assert renamed == [True]


def _copy(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes())


async def test_a_short_page_does_not_end_the_export(tmp_path: Path) -> None:
    """This holds with and without a total, and if deletions leave fewer rows than were counted."""
    for total in (2_500, None):
        log = Log(2_500)
        export = plain_export(_cut(log, 500), tmp_path / "events.csv", total=total, count=_unknown_count)
        await export.run(lambda _progress: None)
        assert ids(export.target) == log.ids
    log = Log(2_500)
    log.deletions = {1: range(2_000, 2_501)}

    async def count() -> int:
        return len(log.ids)

    export = plain_export(log.fetch, tmp_path / "events.csv", total=2_500, count=count)
    await export.run(lambda _progress: None)
    assert ids(export.target) == log.ids


async def test_missing_rows_are_an_error(tmp_path: Path) -> None:
    """The file is not renamed, and another attempt continues where this one stopped."""
    log = Log(2_500)

    async def fetch(offset: int) -> bytes:
        page = (await log.fetch(offset)).splitlines(keepends=True)
        return b"".join(page[:501] if offset == 0 else page[:2])

    async def count() -> int:
        return 2_500

    export = plain_export(fetch, tmp_path / "events.csv", total=2_500, count=count)
    with pytest.raises(IncompleteResultError) as caught:
        await export.run(lambda _progress: None)
    assert (caught.value.rows, caught.value.total) == (500, 2_500)
    assert not export.target.exists()
    again = plain_export(log.fetch, export.target, total=2_500, checkpoint=export.checkpoint, count=count)
    await again.run(lambda _progress: None)
    assert ids(export.target) == log.ids


async def _unknown_count() -> None:
    return None


def _cut(log: Log, rows: int) -> FetchPage:
    async def fetch(offset: int) -> bytes:
        page = (await log.fetch(offset)).splitlines(keepends=True)
        return b"".join(page[: rows + 1])

    return fetch
