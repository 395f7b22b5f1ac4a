"""The remembered connections in a file, newest first, without their passwords."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from cdb_desktop.files import DAMAGE, lock_of, report_unwritten, set_aside, write_whole
from cdb_desktop.ui.connection.entry import Entry

_MOST = 50


class Known:
    """The entries of a file that all windows of the user share.

    A damaged file is set aside. What cannot be written is reported, and remembered for this run.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.entries = self._read(())

    def keep(self, entry: Entry) -> None:
        """Puts an entry first, in place of the one with its address and log-in."""
        self._change(lambda before: (entry, *(one for one in before if one.key != entry.key)))

    def forget(self, entry: Entry) -> None:
        """Takes an entry out."""
        self._change(lambda before: tuple(one for one in before if one.key != entry.key))

    def _change(self, change: Callable[[tuple[Entry, ...]], tuple[Entry, ...]]) -> None:
        """Changes what the file holds now: another window may have changed it since."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with lock_of(self._file):
                self.entries = change(self._read(self.entries))[:_MOST]
                write_whole(self._file, msgspec.json.format(msgspec.json.encode(self.entries)))
        except OSError as error:
            self.entries = change(self.entries)[:_MOST]
            report_unwritten(self._file, error)

    def _read(self, otherwise: tuple[Entry, ...]) -> tuple[Entry, ...]:
        try:
            found = msgspec.json.decode(self._file.read_bytes(), type=tuple[Entry, ...])
            for entry in found:
                _ = entry.title  # raises ValueError for an address that is none
        except OSError:
            return otherwise
        except DAMAGE as error:
            set_aside(self._file, error)
            return otherwise
        return tuple(sorted(found, key=lambda one: one.used, reverse=True))
