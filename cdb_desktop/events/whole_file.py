"""Writes small files so that there is never half of one, and keeps damaged ones aside."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

_DAMAGED = "damaged"


def write_whole(file: Path, content: bytes) -> None:
    """Puts a new file in place of the one before, once it lies on the disk. Raises OSError."""
    half = file.with_name(f"{file.name}.half")
    try:
        with half.open("wb") as writing:
            writing.write(content)
            writing.flush()
            os.fsync(writing.fileno())
        half.replace(file)
    except OSError:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise


def keep_aside(file: Path) -> Path:
    """Renames a damaged file and returns its new path: nothing overwrites it. Raises OSError."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return file.rename(file.with_name(f"{file.name}.{moment}.{_DAMAGED}"))


def settle(file: Path) -> None:
    """Returns when a file that somebody else has written lies on the disk. Raises OSError."""
    with file.open("r+b") as written:
        os.fsync(written.fileno())


def settle_folder(folder: Path) -> None:
    """Returns when the names in a folder lie on the disk, where the system can tell."""
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
