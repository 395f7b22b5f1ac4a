"""Tests of files with one writer, with real processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cdb_desktop.live.recording import FileInUseError, create_exclusive

_OTHER = """
import sys
from pathlib import Path
from cdb_desktop.live.recording import create_exclusive
file = create_exclusive(Path(sys.argv[1]))
print("open", flush=True)
for line in sys.stdin:
    file.write(line.encode())
    print("written", flush=True)
"""


@contextmanager
def _another_program(path: Path) -> Iterator[subprocess.Popen[str]]:
    other = subprocess.Popen(
        [sys.executable, "-c", _OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        try:
            yield other
        finally:
            other.kill()


def _write(other: subprocess.Popen[str], line: str) -> None:
    assert other.stdin is not None
    assert other.stdout is not None
    other.stdin.write(f"{line}\n")
    other.stdin.flush()
    assert other.stdout.readline() == "written\n"


def test_a_file_that_another_program_writes_is_refused_and_unchanged(tmp_path: Path) -> None:
    """It is available when that program has ended."""
    path = tmp_path / "feed.jsonl"
    with _another_program(path) as other:
        _write(other, "1")
        with pytest.raises(FileInUseError):
            create_exclusive(path)
        _write(other, "2")
        assert path.read_bytes() == b"1\n2\n"
    create_exclusive(path).close()
    assert path.read_bytes() == b""


@pytest.mark.parametrize("way", ["itself", "symlink", "hard link"])
def test_a_file_is_refused_under_every_name(tmp_path: Path, way: str) -> None:
    """In the same program too, empty or not."""
    path = named = tmp_path / "feed.jsonl"
    with create_exclusive(path) as file:
        if way != "itself":
            named = tmp_path / "other.jsonl"
            named.symlink_to(path) if way == "symlink" else named.hardlink_to(path)
        with pytest.raises(FileInUseError):
            create_exclusive(named)
        file.write(b"1\n")
        with pytest.raises(FileInUseError):
            create_exclusive(named)
        assert path.read_bytes() == b"1\n"


def test_an_existing_file_is_replaced_and_not_truncated(tmp_path: Path) -> None:
    """A program that has the old file open keeps it; the new one has its permissions."""
    path = tmp_path / "feed.jsonl"
    path.write_bytes(b"old\n")
    path.chmod(0o640)
    with path.open("ab") as old, create_exclusive(path) as new:
        new.write(b"1\n")
        old.write(b"older\n")
        old.flush()
        new.write(b"2\n")
        assert path.read_bytes() == b"1\n2\n"
        assert old.tell() == len(b"old\nolder\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_symlink_stays_one(tmp_path: Path) -> None:
    """Its target is replaced."""
    path, link = tmp_path / "feed.jsonl", tmp_path / "link.jsonl"
    path.write_bytes(b"old\n")
    link.symlink_to(path)
    create_exclusive(link).close()
    assert link.is_symlink()
    assert path.read_bytes() == b""


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        create_exclusive(tmp_path)
