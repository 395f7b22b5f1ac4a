"""The whole history of the demo house as rows and releases, part by part; knows no store and no process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from random import Random
from typing import Any

import msgspec

from server_stub.database.tables import session
from server_stub.demo.history import Calendar, Release, chronicle, tell
from server_stub.demo.objects import PURGED_IMAGES, opening_stock
from server_stub.events import event_row

# Rows in a part, which are also those in a transaction.
_BATCH = 5_000


class Commission(msgspec.Struct, frozen=True):
    """What the history is to be like; the same commission makes the same narrative, in any process."""

    now: int
    events: int
    seed: int


class Events(msgspec.Struct, frozen=True):
    """Rows of the log by ascending time, as `event_row` makes them."""

    rows: list[tuple[Any, ...]]


class Sessions(msgspec.Struct, frozen=True):
    """Rows of sessions in the order in which they lie."""

    rows: list[tuple[object, ...]]


class Ending(msgspec.Struct, frozen=True):
    """The last part: the version that each object has reached, by objecttype and id."""

    versions: Mapping[str, Mapping[int, int]]


Part = Events | Release | Sessions | Ending


def narrative(commission: Commission) -> Iterator[Part]:
    """The parts in the order in which they are to be written."""
    calendar, seed, events = Calendar(commission.now), commission.seed, commission.events
    stories = tell(calendar, Random(f"{seed} stories"), PURGED_IMAGES, events)
    stock = opening_stock()
    sessions: list[dict[str, object]] = []
    for chapter in chronicle(calendar, stories, stock, Random(f"{seed} days"), events):
        for first in range(0, len(chapter.drafts), _BATCH):
            drafts = chapter.drafts[first : first + _BATCH]
            yield Events([event_row(draft) for draft in drafts])
        if chapter.release is not None:
            yield chapter.release
        sessions += chapter.sessions
    yield from _sessions(sessions)
    yield Ending(stock.versions)


def _sessions(found: list[dict[str, object]]) -> Iterator[Sessions]:
    # In the order in which they lie: day by day each would change a page of its own.
    found.sort(key=itemgetter("reference"))
    names = session.columns.keys()
    for first in range(0, len(found), _BATCH):
        yield Sessions([tuple(map(row.get, names)) for row in found[first : first + _BATCH]])
