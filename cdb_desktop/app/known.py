"""The remembered connections in a file, newest first, without their passwords. Knows no window."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from cdb_desktop.ui.connection.entry import Entry

_MOST = 50
_log = logging.getLogger(__name__)


class Known:
    """A file that cannot be read is empty; what cannot be written is remembered for this run."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.entries = self._read()

    def keep(self, entry: Entry) -> None:
        """Puts an entry first, in place of the one with its address and log-in."""
        others = [one for one in self._read(self.entries) if one.key != entry.key]
        self._write((entry, *others))

    def forget(self, entry: Entry) -> None:
        """Takes an entry out."""
        self._write(tuple(one for one in self._read(self.entries) if one.key != entry.key))

    def _read(self, otherwise: tuple[Entry, ...] = ()) -> tuple[Entry, ...]:
        # Read again before each change: another window may have written meanwhile.
        try:
            found = msgspec.json.decode(self._file.read_bytes(), type=tuple[Entry, ...])
        except FileNotFoundError:
            return otherwise
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            _log.warning("the remembered connections cannot be read: %s", error)
            return otherwise
        return tuple(sorted(found, key=lambda one: one.used, reverse=True))

    def _write(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries[:_MOST]
        part = self._file.with_suffix(".part")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(msgspec.json.format(msgspec.json.encode(self.entries)))
            part.replace(self._file)
        except OSError as error:
            _log.warning("the connections cannot be remembered: %s", error)
