"""Tests of recordings of events."""

import errno
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from cdb_desktop.client import Event
from cdb_desktop.live.recording import FileChangedError, FileInUseError, Recording, create_exclusive


def test_each_event_is_a_line_in_the_file_at_once(tmp_path: Path) -> None:
    """With marks between them."""
    file = tmp_path / "feed.jsonl"
    recording = Recording(file)
    recording.write([Event(id=1, type="SEARCH"), Event(id=2)])
    recording.mark(datetime(2026, 1, 2, tzinfo=UTC))
    recording.write([Event(id=3, user={"_id": 7})])
    recording.mark(datetime(2026, 1, 2, tzinfo=UTC), "restarted")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("event", {}).get("_id") for line in lines] == [1, 2, None, 3, None]
    assert lines[2] == {"mark": "2026-01-02T00:00:00Z"}
    assert lines[4] == {"mark": "2026-01-02T00:00:00Z", "name": "restarted"}
    assert (recording.events, recording.lines) == (3, 5)
    recording.close()


def test_the_file_has_no_secrets(tmp_path: Path) -> None:
    """Neither the session nor an address in the info."""
    recording = Recording(tmp_path / "feed.jsonl")
    info = msgspec.Raw(b'{"url": "https://x/api/v1/event?token=abc-123"}')
    recording.write([Event(id=1, session_token="ac554a02", info=info)])
    recording.close()
    text = recording.path.read_text()
    assert "abc-123" not in text
    assert "ac554a02" not in text


def test_a_file_that_cannot_be_created_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        Recording(tmp_path / "nowhere" / "feed.jsonl")


def _delete(file: Path) -> None:
    file.unlink()


def _rename(file: Path) -> None:
    file.rename(file.with_name("elsewhere.jsonl"))


def _replace(file: Path) -> None:
    other = file.with_name("other.jsonl")
    other.write_text("other\n")
    other.replace(file)


def _truncate(file: Path) -> None:
    with file.open("wb"):
        pass


def _extend(file: Path) -> None:
    with file.open("ab") as other:
        other.write(b"torn")


def _take_the_folder(file: Path) -> None:
    shutil.rmtree(file.parent)


@pytest.mark.parametrize(
    ("deed", "loss"),
    [
        (_delete, "gone"),
        (_rename, "gone"),
        (_take_the_folder, "gone"),
        (_replace, "replaced"),
        (_truncate, "changed"),
        (_extend, "changed"),
    ],
)
def test_a_changed_file_is_noticed(tmp_path: Path, deed: Callable[[Path], None], loss: str) -> None:
    """On request, and before anything is written; it is known what is missing."""
    (tmp_path / "folder").mkdir()
    file = tmp_path / "folder" / "feed.jsonl"
    recording = Recording(file)
    recording.write([Event(id=1), Event(id=2)])
    recording.check()
    deed(file)
    with pytest.raises(FileChangedError) as caught:
        recording.check()
    with pytest.raises(FileChangedError):
        recording.write([Event(id=3)])
    assert caught.value.change == loss
    assert (recording.events, recording.last, recording.missing) == (2, 2, 3)
    recording.close()


_ROOM = 4000
_FILL = f"""
import json, resource, sys
from pathlib import Path
from cdb_desktop.client import Event
from cdb_desktop.live.recording import Recording
recording = Recording(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, ({_ROOM}, {_ROOM}))
try:
    for start in range(1, 500, 7):
        recording.write([Event(id=start + place, type="SEARCH") for place in range(7)])
except OSError as error:
    recording.close()
    print(json.dumps([error.errno, recording.events, recording.lines, recording.last, recording.missing]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no bounds of files")
def test_a_full_disk_leaves_complete_lines(tmp_path: Path) -> None:
    """The part of a line that fits is removed, and the first missing event is known."""
    file = tmp_path / "feed.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", _FILL, str(file)], capture_output=True, text=True, check=True
    )
    number, events, lines, last, missing = json.loads(done.stdout)
    assert number == errno.EFBIG
    read = [json.loads(line)["event"]["_id"] for line in file.read_text().splitlines()]
    assert read == list(range(1, events + 1))
    assert (lines, last, missing) == (events, events, events + 1)
    assert _ROOM - 60 < file.stat().st_size < _ROOM


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
