"""What has come since a result was made: what to ask for it, and how to count the answer. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, EventFilter, Record
from cdb_desktop.events.pages import Result

MOST = 100  # events that are counted; beyond it the exact number tells nobody more


class Newer(msgspec.Struct, frozen=True):
    """The number of newer events; where it is not exact there are even more."""

    number: int
    is_exact: bool = True


def newer_filter(result: Result, asked: EventFilter) -> EventFilter | None:
    """What only newer events and those of the same moment pass; None where there can be none that count.

    ``asked`` is the query's filter as it would be asked at present. Rows end at a moment (§4.3), which is
    why those of before are left out by date and those of that very moment by id.
    """
    if result.newest is None:
        return None if result.rows else asked
    since = result.listing.filter.date_to
    if since is None or (asked.date_from is not None and asked.date_from > since):
        return asked
    return replace(asked, date_from=since)


def count_newer(result: Result, newest_first: Sequence[Record]) -> Newer:
    """Counts the answer, of which at most MOST records were asked for; what cannot be read does not count."""
    known = result.newest or 0
    number = sum(1 for one in newest_first if isinstance(one, Event) and one.id > known)
    if number == MOST:
        return Newer(number - 1, is_exact=False)
    has_older = any(isinstance(one, Event) and one.id <= known for one in newest_first)
    return Newer(number, is_exact=has_older or len(newest_first) < MOST)
