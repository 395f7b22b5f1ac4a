"""Writes long work down while it is under way, so that a start after a crash can tell it. Knows no service.

A note holds what was asked, never a token or a password.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from cdb_desktop.client import EventFilter
from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.export_wish import Wish
from cdb_desktop.events.query import Query
from cdb_desktop.foundation.files import set_aside, write_whole


class KeptFilter(EventFilter, frozen=True, kw_only=True):
    """A filter as it is read back: its dates are moments, as those of every query are."""

    date_from: datetime | None = None
    date_to: datetime | None = None

    @classmethod
    def of(cls, asked: EventFilter) -> KeptFilter:
        """What ``asked`` is kept as."""
        return cls(**msgspec.structs.asdict(asked))

    @property
    def asked(self) -> EventFilter:
        """What is asked of a service."""
        return EventFilter(**msgspec.structs.asdict(self))


class ExportNote(msgspec.Struct, frozen=True, tag="export"):
    """An export at ``home``; ``asked`` is its filter before it was frozen, ``chosen`` after that.

    Events that were chosen one by one are named by their ``ids``. ``query`` is what was entered, None in the
    notes of earlier programs.
    """

    home: str
    target: str
    wish: Wish
    asked: KeptFilter
    chosen: KeptFilter
    total: int | None = None
    newest: int | None = None
    ids: tuple[int, ...] = ()
    query: Query | None = None


class DeletionNote(msgspec.Struct, frozen=True, tag="deletion"):
    """A deletion at ``home`` of which ``gone`` of ``count`` events are gone; ``backup`` is empty for none.

    It was asked for by ``query``, which was ``chosen`` and ``newest`` then, or one by one: then ``ids`` are
    those that are left. While ``is_reading`` nothing has been deleted, and there is no whole backup.
    """

    home: str
    backup: str
    count: int
    gone: int = 0
    is_reading: bool = False
    query: Query | None = None
    chosen: KeptFilter = KeptFilter()
    newest: int | None = None
    ids: tuple[int, ...] = ()


Note = ExportNote | DeletionNote


class Notes:
    """The notes in one folder, each under a name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, note: Note) -> None:
        """Writes it in place of the one before; there is never half a note. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._file(name), msgspec.json.encode(note))

    def remove(self, name: str) -> None:
        """The work is done, or nobody wants to hear of it any more."""
        with suppress(OSError):
            self._file(name).unlink(missing_ok=True)

    def of(self, home: str) -> Iterator[tuple[str, Note]]:
        """The names and notes of one home, oldest first; damaged files are set aside."""
        for file in sorted(self.folder.glob("*.json"), key=_age):
            try:
                note = msgspec.json.decode(file.read_bytes(), type=Note)
            except BROKEN as error:
                set_aside(file, error)
                continue
            except OSError:
                continue
            if note.home == home:
                yield file.stem, note

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def _age(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
