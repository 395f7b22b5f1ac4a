"""The queries of one sitting, so that the last change can be taken back. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from cdb_desktop.client.lenient_json import BROKEN
from cdb_desktop.events.query import Query, is_valid_query
from cdb_desktop.foundation.files import RecordFile

_KEPT = 100


class QueryHistory(msgspec.Struct, frozen=True):
    """The query in force, those before it and those that were taken back, nearest last."""

    present: Query = Query()
    past: tuple[Query, ...] = ()
    future: tuple[Query, ...] = ()

    def then(self, query: Query) -> QueryHistory:
        """``query`` is asked now; the same again changes nothing."""
        if query == self.present:
            return self
        return QueryHistory(query, (*self.past, self.present)[-_KEPT:])

    def recent(self, most: int) -> tuple[Query, ...]:
        """The queries before this one, the last first, none twice."""
        before = dict.fromkeys(reversed((*self.past, *reversed(self.future))))
        return tuple(query for query in before if query != self.present)[:most]

    def back(self) -> QueryHistory:
        """The query before, if there is one."""
        if not self.past:
            return self
        return QueryHistory(self.past[-1], self.past[:-1], (*self.future, self.present))

    def forward(self) -> QueryHistory:
        """The query that was taken back last, if there is one."""
        if not self.future:
            return self
        return QueryHistory(self.future[-1], (*self.past, self.present), self.future[:-1])

    def given_up(self, answered: Query) -> QueryHistory | None:
        """Back at ``answered``, with what was asked since to go forward to; None if it was not before."""
        if answered not in self.past:
            return None
        history = self
        while history.present != answered:
            history = history.back()
        return history


VERSION = 1
_HOMES = 20  # services and users; those of longest ago are forgotten
_STEPS = 50  # queries each way


class QueryHistoryError(ValueError):
    """A record holds nothing that this program can ask: it is damaged, or of another version."""


class _Kept(msgspec.Struct, frozen=True):
    version: int
    history: msgspec.Raw


class QueryHistoryFile:
    """The query in force, those before it and those taken back, of each user of each service."""

    def __init__(self, path: Path, earlier: Callable[[], str] = str) -> None:
        """``earlier`` gives what an earlier version of the program has kept elsewhere."""
        self._records = RecordFile(path, decode_history, encode_history, most=_HOMES, earlier=earlier)

    def read(self, home: str) -> QueryHistory:
        """What was asked the last time at ``home``, which is nothing at first."""
        return self._records.read(home) or QueryHistory()

    def write(self, home: str, history: QueryHistory) -> None:
        """Keeps a history, and what other windows have asked at ``home`` before its queries."""
        self._records.change(home, partial(merge_histories, history))


def decode_history(record: bytes) -> QueryHistory:
    """The history in a record. Raises UnreadableError."""
    try:
        kept = msgspec.json.decode(record, type=_Kept)
        if kept.version != VERSION:
            reason = f"version {kept.version}"
            raise QueryHistoryError(reason)
        history = msgspec.json.decode(kept.history, type=QueryHistory)
    except BROKEN as error:
        raise QueryHistoryError(str(error)) from error
    if not all(map(is_valid_query, (history.present, *history.past, *history.future))):
        reason = "an order or a time that cannot be asked for"
        raise QueryHistoryError(reason)
    return history


def encode_history(history: QueryHistory) -> bytes:
    """A record that holds a history, without what was asked too long ago."""
    short = QueryHistory(history.present, history.past[-_STEPS:], history.future[-_STEPS:])
    return msgspec.json.encode(_Kept(VERSION, msgspec.Raw(msgspec.json.encode(short))))


def merge_histories(history: QueryHistory, kept: QueryHistory | None) -> QueryHistory:
    """The history of this window, after those queries in the file that were asked in others."""
    if kept is None:
        return history
    own = {history.present, *history.past, *history.future}
    others = [query for query in dict.fromkeys((*kept.past, kept.present)) if query not in own]
    # Both have their newest ones among those that are kept.
    others = others[-_STEPS // 2 :]
    return QueryHistory(history.present, (*others, *history.past[-(_STEPS - len(others)) :]), history.future)
