"""Small files of the program's own: written whole, private to the user, and set aside when they are damaged.

A damaged file never keeps anything from starting. Whoever finds one calls `set_aside`; the window listens
with `on_report` and tells the user where the file is now.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

# What decoding a file of ours raises when its bytes are not what was written.
DAMAGE = (msgspec.MsgspecError, ValueError, RecursionError, OverflowError)

Trouble = Literal["damaged", "unwritten"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Report:
    """A file of the program that was damaged or could not be written.

    ``kept`` is where a damaged one is now, None if it could not be kept.
    """

    trouble: Trouble
    path: Path
    kept: Path | None = None
    reason: str = ""


Listener = Callable[[Report], None]
_waiting: list[Report] = []
_listeners: list[Listener] = []


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file so that no crash and no full disk leaves half of it. Raises OSError.

    Only the user may read the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def set_aside(path: Path, reason: BaseException | str) -> Path | None:
    """Renames a damaged file and reports it; gives the new path, None if it could not be renamed."""
    stamp = f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
    names = [f"{path.name}.damaged-{stamp}{suffix}" for suffix in ("", *(f"-{n}" for n in range(1, 100)))]
    kept = next(one for name in names if not (one := path.with_name(name)).exists())
    try:
        path.rename(kept)
    except OSError as error:
        _log.warning("%s is damaged and cannot be renamed: %s", path, error)
        report(Report("damaged", path, reason=str(reason)))
        return None
    report(Report("damaged", path, kept, str(reason)))
    return kept


def report_unwritten(path: Path, error: BaseException | str) -> None:
    """Reports that a file could not be written."""
    report(Report("unwritten", path, reason=str(error)))


def report(found: Report) -> None:
    """Tells the listener, or the next one if there is none yet."""
    _log.warning("%s: %s, kept as %s: %s", found.trouble, found.path, found.kept, found.reason)
    if not _listeners:
        _waiting.append(found)
    for listener in tuple(_listeners):
        listener(found)


def on_report(listener: Listener) -> Callable[[], None]:
    """Calls ``listener`` with every report, those before included; gives what ends it."""
    _listeners.append(listener)
    before, _waiting[:] = tuple(_waiting), []
    for found in before:
        listener(found)

    def end() -> None:
        if listener in _listeners:
            _listeners.remove(listener)

    return end
