"""Tests of deletions: the backup, the deleted ids, and failures."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.events.deletion import Deletion, DeletionProgress, DeletionStage
from cdb_desktop.events.part_file import PartFile


def lines(file: Path) -> list[bytes]:
    """The lines of a file."""
    return file.read_bytes().splitlines()


def inside(folder: Path) -> list[Path]:
    """The files of a folder."""
    return list(folder.iterdir())


class Service:
    """A log whose events are deleted by id."""

    def __init__(self, count: int) -> None:
        self.events = [
            Event(id=one, type="SEARCH", info=msgspec.Raw(b'{"n":%d}' % one)) for one in range(count)
        ]
        self.calls: list[Sequence[int]] = []
        self.fails_at = -1

    async def pages(self) -> AsyncIterator[Sequence[Event]]:
        for first in range(0, len(self.events), 700):
            yield self.events[first : first + 700]

    async def delete(self, ids: Sequence[int]) -> int:
        if len(self.calls) == self.fails_at:
            raise ConnectionError
        self.calls.append(ids)
        return len(ids) - 1


async def test_the_backup_is_complete_before_anything_is_deleted(tmp_path: Path) -> None:
    """Every record is a line; then exactly these ids are deleted, at most 1000 a call."""
    service, progress = Service(2_500), list[DeletionProgress]()
    target = tmp_path / "gone.jsonl"

    async def delete(ids: Sequence[int]) -> int:
        assert len(lines(target)) == 2_500
        return await service.delete(ids)

    done = await Deletion(delete, PartFile(target), 2_500).run(service.pages(), progress.append)
    records = [msgspec.json.decode(line) for line in target.read_bytes().splitlines()]
    assert records == [{"event": {"_id": n, "type": "SEARCH", "info": {"n": n}}} for n in range(2_500)]
    assert [list(ids) for ids in service.calls] == [
        list(range(first, min(first + 1_000, 2_500))) for first in (0, 1_000, 2_000)
    ]
    assert done == DeletionProgress(DeletionStage.DONE, 2_500, 2_500, 2_500, 2_497)
    assert [one.fraction for one in progress if one.stage is DeletionStage.DELETING] == [0.0, 0.4, 0.8, 1.0]
    assert inside(tmp_path) == [target]


async def test_without_its_backup_nothing_is_deleted(tmp_path: Path) -> None:
    """The folder is missing, or reading fails."""
    service = Service(10)
    with pytest.raises(FileNotFoundError):
        await Deletion(service.delete, PartFile(tmp_path / "no" / "gone")).run(
            service.pages(), lambda _t: None
        )

    async def broken() -> AsyncIterator[Sequence[Event]]:
        yield service.events
        raise ConnectionError

    target = tmp_path / "gone.jsonl"
    _put(target)
    with pytest.raises(ConnectionError):
        await Deletion(service.delete, PartFile(target)).run(broken(), lambda _t: None)
    assert service.calls == []
    assert lines(target) == [b"before"]
    assert inside(tmp_path) == [target]


def _put(file: Path) -> None:
    file.write_text("before")


async def test_a_failure_leaves_the_backup_and_the_count(tmp_path: Path) -> None:
    """The number of deleted events is known, and all events are in the backup."""
    service = Service(2_500)
    service.fails_at = 1
    deletion = Deletion(service.delete, PartFile(tmp_path / "gone.jsonl"))
    with pytest.raises(ConnectionError):
        await deletion.run(service.pages(), lambda _tally: None)
    assert (deletion.progress.requested, deletion.progress.deleted) == (1_000, 999)
    assert deletion.progress.unanswered == 1_000
    assert len((tmp_path / "gone.jsonl").read_bytes().splitlines()) == 2_500


async def test_the_backup_is_optional() -> None:
    """The dialog requests one by default."""
    service = Service(3)
    done = await Deletion(service.delete, None).run(service.pages(), lambda _tally: None)
    assert (done.requested, [list(ids) for ids in service.calls]) == (3, [[0, 1, 2]])


def test_the_progress_depends_on_the_stage() -> None:
    """Reading is measured by the count, deleting by the events that were read."""
    assert DeletionProgress(DeletionStage.READING, 10, read=5).fraction == 0.5
    assert DeletionProgress(DeletionStage.READING, None, read=5).fraction is None
    assert DeletionProgress(DeletionStage.DELETING, 10, read=8, requested=2).fraction == 0.25


async def test_records_without_an_id_are_in_the_backup_and_not_deleted(tmp_path: Path) -> None:
    """They are counted separately."""
    service = Service(3)

    async def pages() -> AsyncIterator[Sequence[Record]]:
        yield [*service.events[:2], Unreadable("no_id", b'{"a": 1}'), service.events[2]]

    deletion = Deletion(service.delete, PartFile(tmp_path / "gone.jsonl"), 4)
    done = await deletion.run(pages(), lambda _tally: None)
    assert (done.read, done.unreadable, done.requested) == (3, 1, 3)
    assert service.calls == [[0, 1, 2]]
    assert lines(tmp_path / "gone.jsonl")[2] == b'{"a":1}'


class _Disk:
    """Records the synced files, by inode."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: dict[int, int] = {}
        self._sync = os.fsync
        monkeypatch.setattr(os, "fsync", self._note)

    def _note(self, descriptor: int) -> None:
        self._sync(descriptor)
        stat = os.fstat(descriptor)
        self.synced[stat.st_ino] = stat.st_size

    def has(self, file: Path) -> bool:
        """Whether the whole file would survive a power failure."""
        stat = file.stat()
        return self.synced.get(stat.st_ino) == stat.st_size


async def test_the_backup_is_synced_before_anything_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its content is synced, and its name where the system can do so."""
    service, disk, target = Service(1_500), _Disk(monkeypatch), tmp_path / "gone.jsonl"

    async def delete(ids: Sequence[int]) -> int:
        assert disk.has(target)
        assert os.name == "nt" or disk.has(tmp_path)
        return await service.delete(ids)

    await Deletion(delete, PartFile(target)).run(service.pages(), lambda _tally: None)
    assert service.calls


async def test_a_cancelled_deletion_leaves_no_partial_backup(tmp_path: Path) -> None:
    """If it is cancelled while reading, nothing is deleted, and an existing file is unchanged."""
    target = tmp_path / "gone.jsonl"
    for steps in range(12):
        service = Service(2_500)
        _put(target)
        work = asyncio.ensure_future(
            Deletion(service.delete, PartFile(target)).run(_read_slowly(service), lambda _tally: None)
        )
        for _step in range(steps):
            await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert service.calls == []
        assert lines(target) == [b"before"]
        assert inside(tmp_path) == [target]


async def _read_slowly(service: Service) -> AsyncIterator[Sequence[Event]]:
    async for page in service.pages():
        yield page
        await asyncio.sleep(0.005)
    await asyncio.sleep(60)
