"""What one user asked of one service, as a record in a file that all windows of the user share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.history import History
from cdb_desktop.events.query import can_be_asked
from cdb_desktop.foundation.files import RecordFile

VERSION = 1
_HOMES = 20  # services and users; those of longest ago are forgotten
_STEPS = 50  # queries each way


class UnreadableError(ValueError):
    """A record holds nothing that this program can ask: it is damaged, or of another version."""


class _Kept(msgspec.Struct, frozen=True):
    version: int
    history: msgspec.Raw


class QueryFile:
    """The query in force, those before it and those taken back, of each user of each service."""

    def __init__(self, path: Path, earlier: Callable[[], str] = str) -> None:
        """``earlier`` gives what an earlier version of the program has kept elsewhere."""
        self._records = RecordFile(path, decoded, encoded, most=_HOMES, earlier=earlier)

    def read(self, home: str) -> History:
        """What was asked the last time at ``home``, which is nothing at first."""
        return self._records.read(home) or History()

    def write(self, home: str, history: History) -> None:
        """Keeps a history, and what other windows have asked at ``home`` before its queries."""
        self._records.change(home, partial(merged, history))


def decoded(record: bytes) -> History:
    """The history in a record. Raises UnreadableError."""
    try:
        kept = msgspec.json.decode(record, type=_Kept)
        if kept.version != VERSION:
            reason = f"version {kept.version}"
            raise UnreadableError(reason)
        history = msgspec.json.decode(kept.history, type=History)
    except BROKEN as error:
        raise UnreadableError(str(error)) from error
    if not all(map(can_be_asked, (history.present, *history.past, *history.future))):
        reason = "an order or a time that cannot be asked for"
        raise UnreadableError(reason)
    return history


def encoded(history: History) -> bytes:
    """A record that holds a history, without what was asked too long ago."""
    short = History(history.present, history.past[-_STEPS:], history.future[-_STEPS:])
    return msgspec.json.encode(_Kept(VERSION, msgspec.Raw(msgspec.json.encode(short))))


def merged(history: History, kept: History | None) -> History:
    """The history of this window, after those queries in the file that were asked in others."""
    if kept is None:
        return history
    own = {history.present, *history.past, *history.future}
    others = [query for query in dict.fromkeys((*kept.past, kept.present)) if query not in own]
    # Both have their newest ones among those that are kept.
    others = others[-_STEPS // 2 :]
    return History(history.present, (*others, *history.past[-(_STEPS - len(others)) :]), history.future)
