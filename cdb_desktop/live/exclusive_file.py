"""Creates a file that only one writer may have open, in this program or another."""

from __future__ import annotations

import errno
import os
import sys
from io import FileIO
from pathlib import Path

from cdb_desktop.foundation.files import replace_with_empty

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 2**31 - 2  # far behind the content, which others may read

    def _lock(file: FileIO) -> None:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_LOCKED = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class FileInUseError(OSError):
    """The file has a writer already."""


def create_exclusive(path: Path) -> FileIO:
    """An empty file to append to, locked until it is closed. Raises OSError, FileInUseError.

    An existing file is replaced by a new one rather than truncated: programs that have it open keep it.
    """
    path = path.resolve()
    file = _open_locked(path)
    if not os.fstat(file.fileno()).st_size:
        return file
    try:
        if sys.platform == "win32":
            file.close()  # an open file cannot be replaced on Windows
        replace_with_empty(path)
    finally:
        file.close()
    return _open_locked(path)


def _open_locked(path: Path) -> FileIO:
    while True:
        file = FileIO(path, "ab")
        try:
            _try_lock(file)
            # Another program may have replaced it between opening and locking.
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()


def _try_lock(file: FileIO) -> None:
    try:
        _lock(file)
    except OSError as error:
        if error.errno in _LOCKED:
            raise FileInUseError(*error.args) from error
        # File systems without locks are written to all the same.
