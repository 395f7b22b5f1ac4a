"""Tests of the temporary databases of log files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from filelock import FileLock

from cdb_desktop.client import Client, ServiceError
from cdb_desktop.embedded import (
    EmbeddedServer,
    LogFileError,
    LogProgress,
    LogReport,
    fill_log,
    log_server_command,
    open_log_folder,
    remove_unused_folders,
)

_LINE = '{"event":{"_id":%d,"type":"SEARCH","timestamp":"2026-11-22T14:03:00Z"}}\n'


def folders(parent: Path) -> list[str]:
    """The names of the folders of databases."""
    return [path.name for path in parent.glob("log-*")]


def lines(file: Path, count: int) -> Path:
    """A file of so many events."""
    file.write_text("".join(_LINE % number for number in range(1, count + 1)))
    return file


async def test_a_file_is_served_for_reading_and_its_database_removed(tmp_path: Path) -> None:
    """The server's user may read events and nothing else; progress is reported."""
    progress: list[LogProgress] = []
    file = lines(tmp_path / "Gelöscht 1.jsonl", 3000)
    folder = open_log_folder(tmp_path / "opened")
    assert await fill_log(folder, file, progress.append) == LogReport(3000)
    assert [one.fraction for one in progress] == sorted(one.fraction for one in progress)
    assert 0 < progress[0].fraction < 1
    async with EmbeddedServer(folder, log_server_command) as server, Client(await server.url()) as client:
        await client.authenticate(server.login.name, server.login.password)
        assert (await client.list_events(limit=1)).count == 3000
        with pytest.raises(ServiceError, match="no_system_right"):
            await client.delete_events([1])
        assert folders(tmp_path / "opened") == [folder.path.name]
    assert folders(tmp_path / "opened") == []


async def test_files_without_events_and_missing_files_are_refused(tmp_path: Path) -> None:
    """The reason is an entry of the faults, or that of the system."""
    folder = open_log_folder(tmp_path / "opened")
    other = tmp_path / "picture.jsonl"
    other.write_bytes(bytes(range(256)) * 100)
    with pytest.raises(LogFileError) as empty:
        await fill_log(folder, other, lambda _progress: None)
    assert empty.value.fault == "log.empty"
    with pytest.raises(FileNotFoundError):
        await fill_log(folder, tmp_path / "missing.jsonl", lambda _progress: None)
    folder.database.write_bytes(b"occupied")
    with pytest.raises(LogFileError) as failed:
        await fill_log(folder, lines(tmp_path / "events.jsonl", 1), lambda _progress: None)
    assert (failed.value.fault, "There is a file" in failed.value.parameters["reason"]) == (
        "log.failed",
        True,
    )
    folder.close()


async def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    """The child process ends, and nothing is left."""
    folder, begun = open_log_folder(tmp_path / "opened"), asyncio.Event()
    file = lines(tmp_path / "events.jsonl", 100_000)
    reading = asyncio.ensure_future(fill_log(folder, file, lambda _progress: begun.set()))
    await asyncio.wait_for(begun.wait(), 20)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not folder.database.exists()
    folder.close()
    assert folders(tmp_path / "opened") == []


def test_what_a_crash_has_left_is_removed(tmp_path: Path) -> None:
    """Folders of running programs stay; a missing parent is none."""
    remove_unused_folders(tmp_path / "missing")
    used = open_log_folder(tmp_path)
    (tmp_path / "log-crashed").mkdir()
    (tmp_path / "log-crashed" / "log.sqlite").write_bytes(b"large")
    (tmp_path / "log-crashed" / "in-use").touch()
    foreign = FileLock(tmp_path / "log-running" / "in-use", thread_local=False)
    (tmp_path / "log-running").mkdir()
    foreign.acquire()
    remove_unused_folders(tmp_path)
    assert sorted(folders(tmp_path)) == sorted(["log-running", used.path.name])
    foreign.release()
    used.close()
    again = open_log_folder(tmp_path)
    assert folders(tmp_path) == [again.path.name]
    again.close()
