"""Opens a file anew for one writer alone, in this program or another; what it held is never cut. No Qt."""

from __future__ import annotations

import errno
import os
import sys
from io import FileIO
from pathlib import Path

from cdb_desktop.foundation.files import replace_with_empty

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 2**31 - 2  # others may read what is locked nowhere near here

    def _take(file: FileIO) -> None:
        file.seek(_BEYOND)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class HeldError(OSError):
    """Somebody writes to the file already."""


def opened_alone(path: Path) -> FileIO:
    """An empty file to append to, held until it is closed. Raises OSError, HeldError.

    What ``path`` held is replaced by a new file: whoever has the old one open goes on with it.
    """
    path = path.resolve()
    file = _held(path)
    if not os.fstat(file.fileno()).st_size:
        return file
    try:
        if sys.platform == "win32":
            file.close()  # there nobody can replace a file that is open, and nobody else can either
        replace_with_empty(path)
    finally:
        file.close()
    return _held(path)


def _held(path: Path) -> FileIO:
    while True:
        file = FileIO(path, "ab")
        try:
            _hold(file)
            # Somebody may have replaced it between opening and holding.
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()


def _hold(file: FileIO) -> None:
    try:
        _take(file)
    except OSError as error:
        if error.errno in _HELD:
            raise HeldError(*error.args) from error
        # A place that knows no locks is better written to than not.
