"""Tests of the folder of the demo data and its lock."""

from __future__ import annotations

import fcntl
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from cdb_desktop.embedded.folder import open_demo_folder
from cdb_desktop.foundation.files import Report


def test_the_first_program_uses_the_folder_itself(tmp_path: Path) -> None:
    """The folder is created if it is missing, and contains database and log."""
    with open_demo_folder(tmp_path / "new" / "demo") as folder:
        assert (folder.path, folder.is_copy) == (tmp_path / "new" / "demo", False)
        assert folder.database.parent == folder.log.parent == folder.path


def test_a_second_program_gets_a_copy_that_is_deleted_with_it(tmp_path: Path) -> None:
    """Two servers never work on one database."""
    with open_demo_folder(tmp_path):
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
