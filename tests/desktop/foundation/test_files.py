"""Tests of atomic file writes, and of damaged files that are set aside."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.foundation.files import (
    RecordFile,
    Report,
    keep_files_private,
    remove_temporary,
    replace_file,
    set_aside,
    write_whole,
)

_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links are others there")


@pytest.fixture
def umask(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The mode bits that the user clears for new files; the program clears more of its own."""
    monkeypatch.setenv("CDB_DESKTOP_UMASK", "")
    monkeypatch.delenv("CDB_DESKTOP_UMASK")
    before = os.umask(0o027)
    keep_files_private()
    yield 0o027
    os.umask(before)


@_POSIX
def test_a_file_of_the_program_is_private(tmp_path: Path) -> None:
    """The previous mode does not matter; the folder is created."""
    file = tmp_path / "new" / "views.json"
    write_whole(file, b"1")
    file.chmod(0o644)
    write_whole(file, b"2")
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"2", 0o600)
    assert list(file.parent.iterdir()) == [file]


@_POSIX
def test_a_document_of_the_user_keeps_its_mode(tmp_path: Path, umask: int) -> None:
    """A new document has the mode that the umask of the user gives, not the program's own one."""
    file = tmp_path / "model.json"
    write_whole(file, b"1", private=False)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask
    (tmp_path / "log.json").touch()
    assert stat.S_IMODE((tmp_path / "log.json").stat().st_mode) == 0o600
    (tmp_path / "log.json").unlink()
    file.chmod(0o640)
    write_whole(file, b"2", private=False)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"2", 0o640)
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "no" / "where.json", b"1", private=False)
    assert list(tmp_path.iterdir()) == [file]


@_POSIX
def test_a_symlink_stays_one(tmp_path: Path) -> None:
    """Its target is written."""
    file, link = tmp_path / "there" / "real.json", tmp_path / "link.json"
    write_whole(file, b"1")
    link.symlink_to(file)
    write_whole(link, b"2")
    assert link.is_symlink()
    assert file.read_bytes() == b"2"


def test_a_name_may_have_the_maximum_length(tmp_path: Path) -> None:
    """The temporary file has a shorter name, by which it is found again after a kill."""
    file = tmp_path / ("ä" * 120 + ".json")
    write_whole(file, b"1")
    left = tmp_path / f".{file.name[:40]}.01234567.new"
    left.touch()
    remove_temporary(file)
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_failure_leaves_the_previous_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """No temporary file is left."""
    file = tmp_path / "a.json"
    write_whole(file, b"before")

    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(file, b"after")
    assert [(one, one.read_bytes()) for one in tmp_path.iterdir()] == [(file, b"before")]


@_POSIX
def test_content_is_synced_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a power failure may leave an empty file."""
    steps: list[object] = []
    sync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def replaced(path: Path, target: Path) -> Path:
        steps.append("name")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_whole(tmp_path / "a", b"1")
    replace_file(tmp_path / "a", tmp_path / "b")
    assert steps == ["file", "name", "folder"] * 2
    write_whole(tmp_path / "a", b"1", synced=False)
    assert steps[6:] == ["name"]


def test_damaged_files_of_one_moment_have_different_names(tmp_path: Path, reports: list[Report]) -> None:
    """None replaces another, and each is reported."""
    file = tmp_path / "a.json"
    for number in range(5):
        file.write_bytes(b"%d" % number)
        assert set_aside(file, "test") is not None
    assert [one.kept.read_bytes() for one in reports if one.kept] == [b"%d" % number for number in range(5)]
    assert set_aside(file, "gone") is None
    assert len(reports) == 5


def test_old_records_are_dropped(tmp_path: Path) -> None:
    """The one that was not changed for the longest time goes first."""
    file = RecordFile[int](tmp_path / "a.json", msgspec.json.decode, msgspec.json.encode, most=2)
    for key in "abac":
        file.change(key, lambda _before: 1)
    assert [file.read(key) for key in "abc"] == [1, None, 1]
