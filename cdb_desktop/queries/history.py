"""The queries of a session, for Undo and Redo, and their file, which all windows of the user share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from cdb_desktop.foundation.files import RecordFile
from cdb_desktop.queries.query import VERSIONS, Query, format_version, is_valid_query

_MAX_STEPS = 100  # queries before the present one in memory
_MAX_STORED_STEPS = 50  # queries in either direction in the file
_MAX_PROFILES = 20  # services and users; those used longest ago are dropped


class QueryHistory(msgspec.Struct, frozen=True):
    """The present query, those before it and those that were undone, the nearest last.

    Field names are part of the file format.
    """

    present: Query = Query()
    past: tuple[Query, ...] = ()
    future: tuple[Query, ...] = ()

    def then(self, query: Query) -> QueryHistory:
        """The history with ``query`` as the present one; the same query again changes nothing."""
        if query == self.present:
            return self
        return QueryHistory(query, (*self.past, self.present)[-_MAX_STEPS:])

    def recent(self, most: int) -> tuple[Query, ...]:
        """At most ``most`` different queries other than the present one, the latest first."""
        before = dict.fromkeys(reversed((*self.past, *reversed(self.future))))
        return tuple(query for query in before if query != self.present)[:most]

    def back(self) -> QueryHistory:
        """The history after Undo; unchanged if there is nothing to undo."""
        if not self.past:
            return self
        return QueryHistory(self.past[-1], self.past[:-1], (*self.future, self.present))

    def forward(self) -> QueryHistory:
        """The history after Redo; unchanged if there is nothing to redo."""
        if not self.future:
            return self
        return QueryHistory(self.future[-1], (*self.past, self.present), self.future[:-1])

    def back_to(self, query: Query) -> QueryHistory | None:
        """The history after as many Undo as make ``query`` the present one; None if it is not in the past."""
        if query not in self.past:
            return None
        history = self
        while history.present != query:
            history = history.back()
        return history


class QueryHistoryFile:
    """The query history of each profile (service and user) in one file."""

    def __init__(self, path: Path, earlier: Callable[[], str] = str) -> None:
        """``earlier`` returns what an earlier version of the program stored elsewhere."""
        self._records = RecordFile(path, decode_history, encode_history, most=_MAX_PROFILES, earlier=earlier)

    def read(self, profile: str) -> QueryHistory:
        """The history of ``profile``, or empty."""
        return self._records.read(profile) or QueryHistory()

    def write(self, profile: str, history: QueryHistory) -> None:
        """Stores ``history``; queries that other windows have stored meanwhile go before it."""
        self._records.change(profile, partial(merge_histories, history))


class _Stored(msgspec.Struct, frozen=True):
    version: int
    history: msgspec.Raw


def decode_history(record: bytes) -> QueryHistory:
    """The history in a record of the file.

    Raises one of `DAMAGE`, also for another version and for a query that no service accepts.
    """
    stored = msgspec.json.decode(record, type=_Stored)
    if stored.version not in VERSIONS:
        raise ValueError(f"version {stored.version}")
    history = msgspec.json.decode(stored.history, type=QueryHistory)
    if not all(map(is_valid_query, (history.present, *history.past, *history.future))):
        raise ValueError("an order or a time that cannot be asked for")
    return history


def encode_history(history: QueryHistory) -> bytes:
    """The record of the file that holds ``history``, without its oldest queries."""
    short = QueryHistory(
        history.present, history.past[-_MAX_STORED_STEPS:], history.future[-_MAX_STORED_STEPS:]
    )
    version = format_version(short.present, *short.past, *short.future)
    return msgspec.json.encode(_Stored(version, msgspec.Raw(msgspec.json.encode(short))))


def merge_histories(history: QueryHistory, stored: QueryHistory | None) -> QueryHistory:
    """The history of this window, preceded by the queries that other windows have stored."""
    if stored is None:
        return history
    own = {history.present, *history.past, *history.future}
    others = [query for query in dict.fromkeys((*stored.past, stored.present)) if query not in own]
    # The newest queries of both are kept.
    others = others[-_MAX_STORED_STEPS // 2 :]
    own_past = history.past[-(_MAX_STORED_STEPS - len(others)) :]
    return QueryHistory(history.present, (*others, *own_past), history.future)
