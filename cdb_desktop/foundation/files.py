"""The program's own files, and those that it writes for the user: written whole, set aside when damaged.

This is the only module that renames files. A damaged file never prevents the start: the code that reads
it calls `set_aside`, and the window, which listens with `on_report`, shows the user where the file is now.
"""

import errno
import logging
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec
from filelock import AsyncFileLock, BaseAsyncFileLock, BaseFileLock, FileLock

# What decoding a file of ours raises when its bytes are not what was written.
DAMAGE = (msgspec.MsgspecError, ValueError, RecursionError, OverflowError)

Trouble = Literal["damaged", "unwritten", "written"]

T = TypeVar("T")

_UMASK = "CDB_DESKTOP_UMASK"  # the user's
_PATIENCE = 2.0  # seconds that another window may take to write its change
_PAUSES = (0.01, 0.03, 0.1, 0.3) if os.name == "nt" else ()  # seconds between attempts to replace a file
_LONGEST = 40  # characters of a name that a temporary file takes over: names have 255 bytes at most
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Report:
    """What happened to a file of the program.

    damaged: ``kept`` is where it is now, None if it could not be renamed. unwritten: the last attempt to
    write it failed. written: it is written again after it could not be.
    """

    trouble: Trouble
    path: Path
    kept: Path | None = None
    reason: str = ""


Listener = Callable[[Report], None]
_waiting: list[Report] = []
_listeners: list[Listener] = []
_failing: set[Path] = set()  # files whose last attempt to be written failed


def keep_files_private() -> None:
    """Makes new files readable by the user only, except those that `write_whole` writes for others, too."""
    # In the environment, since the program starts itself again.
    os.environ.setdefault(_UMASK, f"{os.umask(0o077):o}")


def write_whole(
    path: Path,
    content: bytes,
    *,
    private: bool = True,
    synced: bool = True,
    before_replacing: Callable[[], None] | None = None,
) -> None:
    """Replaces a file so that no crash and no full disk leaves half of it. Raises OSError.

    ``private``: only the user may read it, and its folder is made. Otherwise it has the mode of the file
    that it replaces, or the one that the user's umask gives a new file. Without ``synced`` a power failure
    may lose it, but still never leaves half of it. If ``before_replacing`` raises an exception, the file
    stays as it was. A device or a pipe is never replaced: FileExistsError.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FileExistsError(errno.EEXIST, "This is a device or a pipe, not a file", str(path))
    if private:
        path.parent.mkdir(parents=True, exist_ok=True)
    new = _temporary(path, 0o600 if private else 0o666)
    try:
        new.write_bytes(content)
        if not private:
            new.chmod(stat.S_IMODE(new.stat().st_mode) | 0o666 & ~int(os.environ.get(_UMASK, "777"), 8))
            with suppress(FileNotFoundError):
                shutil.copymode(path, new)
        if before_replacing is not None:
            before_replacing()
        replace_file(new, path, synced=synced)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    report_written(path)


def replace_file(new: Path, path: Path, *, synced: bool = True) -> None:
    """Renames a complete file to ``path``, and replaces an existing file. Raises OSError.

    ``synced``: the disk has its content before, and its name after that.
    """
    if synced:
        with new.open("r+b") as file:
            os.fsync(file.fileno())
    for pause in _PAUSES:
        # Windows refuses while another program has one of the files open, such as a virus scanner.
        with suppress(PermissionError):
            new.replace(path)
            break
        time.sleep(pause)
    else:
        new.replace(path)
    if synced:
        sync_folder(path.parent)


def replace_with_empty(path: Path) -> None:
    """Puts an empty file of the same mode in place of one, which stays for those who have it open.

    Raises OSError.
    """
    new = _temporary(path, 0o600)
    try:
        shutil.copymode(path, new)
        replace_file(new, path, synced=False)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def or_earlier(path: Path) -> Path:
    """A file of the program, or before it exists, the one of version 0.1 that it continues.

    That version cannot read what this one stores, would set it aside as damaged or lose parts of it. So
    ``views-2.json`` continues ``views.json``, which stays as it is for those who go back.
    """
    earlier = path.with_name(path.name.replace("-2.", "."))
    return earlier if earlier.exists() and not path.exists() else path


def rename_file(path: Path, name: str) -> Path:
    """Renames a file in its folder and returns its new path. Raises OSError."""
    return path.rename(path.with_name(name))


def can_be_renamed(path: Path) -> bool:
    """Whether a file can get another name: on Windows not while another program has it open."""
    if os.name != "nt":
        return True
    try:
        # Fails as every other name would.
        path.rename(path)
    except PermissionError:
        return False
    return True


def remove_temporary(path: Path) -> None:
    """Removes what a killed `write_whole` has left beside ``path``. Nobody may be writing it."""
    prefix = _prefix(path)
    with suppress(OSError):
        for file in path.parent.iterdir():
            if file.name.startswith(prefix) and file.suffix == ".new":
                file.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Returns when the disk has the names in a folder, where the system offers that."""
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def set_aside(path: Path, reason: BaseException | str) -> Path | None:
    """Renames a damaged file and reports it. Returns the new path, None if it could not be renamed."""
    stamp = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    names = (f"{path.name}.damaged-{stamp}{f'-{number}' if number else ''}" for number in range(10_000))
    kept = next(name for name in names if not path.with_name(name).exists())
    try:
        found = rename_file(path, kept)
    except FileNotFoundError:
        return None  # another window has just done so, and reports it
    except OSError as error:
        _log.warning("%s is damaged and cannot be renamed: %s", path, error)
        report(Report("damaged", path, reason=str(reason)))
        return None
    report(Report("damaged", path, found, str(reason)))
    return found


def report_unwritten(path: Path, error: BaseException | str) -> None:
    """Reports that a file could not be written: once, until it has been written again."""
    path = Path(os.path.realpath(path))
    if path not in _failing:
        _failing.add(path)
        report(Report("unwritten", path, reason=str(error)))


def report_written(path: Path) -> None:
    """Reports that a file is written again, if its last attempt failed. `write_whole` calls this."""
    path = Path(os.path.realpath(path))
    if path in _failing:
        _failing.discard(path)
        report(Report("written", path))


def report(found: Report) -> None:
    """Notifies the listeners, or the first one to be added."""
    _log.warning("%s: %s, kept as %s: %s", found.trouble, found.path, found.kept, found.reason)
    if not _listeners:
        _waiting.append(found)
    for listener in tuple(_listeners):
        listener(found)


def on_report(listener: Listener) -> Callable[[], None]:
    """Calls ``listener`` with every report, including pending ones. Returns the function that removes it."""
    _listeners.append(listener)
    before, _waiting[:] = tuple(_waiting), []
    for found in before:
        listener(found)

    def end() -> None:
        if listener in _listeners:
            _listeners.remove(listener)

    return end


def lock_of(path: Path, patience: float = _PATIENCE) -> BaseFileLock:
    """What keeps other windows from changing a file meanwhile. Raises filelock.Timeout, an OSError."""
    return FileLock(path.with_name(f"{path.name}.lock"), timeout=patience, mode=0o600)


def async_lock_of(path: Path, patience: float) -> BaseAsyncFileLock:
    """The same for coroutines, which wait for it without blocking."""
    return AsyncFileLock(
        path.with_name(f"{path.name}.lock"), timeout=patience, mode=0o600, run_in_executor=False
    )


def release_lock(lock: BaseFileLock) -> None:
    """Releases a lock that is held, and removes its file."""
    # Removed while locked, so that no other lock is removed; Windows removes it with the release.
    if os.name != "nt":
        Path(lock.lock_file).unlink(missing_ok=True)
    lock.release()


class RecordFile(Generic[T]):
    """A JSON file with one record for each key, which all windows of the user may change at the same time.

    A damaged file is set aside, and continued without the unreadable record. A record that cannot be written
    is reported, and kept in memory for this run.
    """

    def __init__(
        self,
        path: Path,
        decode: Callable[[bytes], T],
        encode: Callable[[T], bytes],
        *,
        most: int,
        earlier: Callable[[], str] = str,
    ) -> None:
        """``decode`` raises one of `DAMAGE`; only the newest ``most`` records are kept.

        ``earlier`` returns the data of an earlier version of the program, until the file exists.
        """
        self._path = path
        self._decode = decode
        self._encode = encode
        self._most = most
        self._earlier = earlier
        self._unwritten: dict[str, T] = {}

    def read(self, key: str) -> T | None:
        """The record of a key, or None."""
        if key in self._unwritten:
            return self._unwritten[key]
        try:
            return self._decoded(self._content(), key)[1]
        except DAMAGE:
            pass
        except OSError as error:
            _log.warning("%s cannot be read: %s", self._path, error)
            return None
        try:
            with self._lock():
                return self._repaired(key)[1]
        except OSError as error:
            report_unwritten(self._path, error)
            return None

    def change(self, key: str, change: Callable[[T | None], T]) -> None:
        """Replaces the record of a key by the result of ``change`` for the current record."""
        try:
            with self._lock():
                others, record = self._repaired(key)
                new = change(record)
                others.pop(key, None)
                newest = list((others | {key: msgspec.Raw(self._encode(new))}).items())[-self._most :]
                write_whole(self._path, msgspec.json.encode(dict(newest)))
                self._unwritten.pop(key, None)
        except OSError as error:
            self._unwritten[key] = change(self._unwritten.get(key))
            report_unwritten(self._path, error)

    def _lock(self) -> BaseFileLock:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return lock_of(self._path)

    def _content(self) -> bytes:
        try:
            return or_earlier(self._path).read_bytes()
        except FileNotFoundError:
            return self._earlier().encode("utf-8", "surrogateescape") or b"{}"

    def _decoded(self, content: bytes, key: str) -> tuple[dict[str, msgspec.Raw], T | None]:
        """All records as they came, and the one of a key; those of other keys may be of a later version."""
        records = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        return records, self._decode(bytes(records[key])) if key in records else None

    def _repaired(self, key: str) -> tuple[dict[str, msgspec.Raw], T | None]:
        """The same of a file that is sound then: a damaged one is set aside. Raises OSError."""
        content = self._content()
        try:
            return self._decoded(content, key)
        except DAMAGE as error:
            reason = error
        if not self._path.exists():
            write_whole(self._path, content)
        if set_aside(self._path, reason) is None:
            raise OSError(str(reason))
        try:
            others = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            others.pop(key, None)
            sound = msgspec.json.encode(others)
        except DAMAGE:
            others, sound = {}, b"{}"
        write_whole(self._path, sound)
        return others, None


def _temporary(path: Path, mode: int) -> Path:
    """A new file beside ``path``."""
    new = path.with_name(f"{_prefix(path)}{secrets.token_hex(4)}.new")
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return new


def _prefix(path: Path) -> str:
    return f".{path.name[:_LONGEST]}."
