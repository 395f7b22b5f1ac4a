"""Which rows something was counted for, so that the same is not counted twice. Asks nobody."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from cdb_desktop.events.query import Query
from cdb_desktop.events.result import QueryResult


class Counted(msgspec.Struct, frozen=True):
    """What was counted: the same newest event and the same number under the same filters are the same events.

    Their order does not matter, nor at which moment "the last 15 minutes" were asked for.
    """

    query: Query | None = None
    newest: int | None = None
    number: object = None  # the result itself where nobody knows its number

    @classmethod
    def of(cls, query: Query, result: QueryResult) -> Counted:
        """What counting a result of ``query`` would count."""
        newest = result.newest if query.span.last is None else None
        return cls(replace(query, sort=()), newest, result if result.total is None else result.total)
