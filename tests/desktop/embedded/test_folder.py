"""Tests of the folders of the demo data and of logs in files."""

import asyncio
import fcntl
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

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
from cdb_desktop.embedded.folder import open_demo_folder
from cdb_desktop.foundation.files import Report


def test_the_first_program_uses_the_folder_itself(tmp_path: Path) -> None:
    """The folder is created if it is missing, and contains database and log."""
    with open_demo_folder(tmp_path / "new" / "demo") as folder:
        assert (folder.path, folder.is_copy) == (tmp_path / "new" / "demo", False)
        assert folder.database.parent == folder.log.parent == folder.path


def test_a_second_program_gets_a_copy_that_is_deleted_with_it(tmp_path: Path) -> None:
    """Two servers never work on one database."""
    with FileLock(tmp_path / "in-use"):
        with open_demo_folder(tmp_path) as copy:
            assert copy.is_copy
            assert copy.path != tmp_path
            assert list(copy.path.iterdir()) == []
        assert not copy.path.exists()


def test_the_folder_is_free_again_after_its_end(tmp_path: Path) -> None:
    """The next start uses the same data."""
    with open_demo_folder(tmp_path):
        pass
    with open_demo_folder(tmp_path) as folder:
        assert not folder.is_copy


def test_a_damaged_database_is_set_aside(tmp_path: Path, reports: list[Report]) -> None:
    """It is renamed with the files that belong to it; a valid or missing database is left alone."""
    with open_demo_folder(tmp_path) as folder:
        assert not folder.set_damaged_database_aside()
        with closing(sqlite3.connect(folder.database)) as connection, connection:
            connection.execute("CREATE TABLE event (id INTEGER PRIMARY KEY, info TEXT)")
            connection.executemany("INSERT INTO event (info) VALUES (?)", [("x" * 500,)] * 200)
        assert not folder.set_damaged_database_aside()
        whole = folder.database.read_bytes()
        damages = (whole[: len(whole) // 2], b"\0" * 100 + whole[100:], Random(1).randbytes(5_000))
        for number, damaged in enumerate(damages, 1):
            folder.database.write_bytes(damaged)
            assert folder.set_damaged_database_aside()
            assert not folder.database.exists()
            assert len(reports) == number
            assert reports[-1].kept is not None
            assert reports[-1].kept.read_bytes() == damaged


_HOLDER = """
import sys, pathlib
from cdb_desktop.embedded.folder import open_demo_folder
held = open_demo_folder(pathlib.Path(sys.argv[1]))
print("refused" if held.is_copy else "held", flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_killed_process_is_released(tmp_path: Path) -> None:
    """The operating system releases the lock when the process ends."""
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with open_demo_folder(tmp_path) as second:
            assert second.is_copy
        holder.kill()
    with open_demo_folder(tmp_path) as free:
        assert not free.is_copy


def test_the_lock_excludes_version_0_1(tmp_path: Path) -> None:
    """It locks the same file in the same way."""
    with (tmp_path / "in-use").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open_demo_folder(tmp_path) as folder:
            assert folder.is_copy


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
