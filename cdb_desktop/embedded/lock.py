"""A lock on a file that the operating system lifts when the process ends, however it ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def locked(path: Path) -> IO[bytes] | None:
    """The locked file, to be kept open for as long as it matters; None if somebody else holds it."""
    file = path.open("ab")
    try:
        _take(file)
    except OSError:
        file.close()
        return None
    return file
