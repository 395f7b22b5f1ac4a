"""The history of the demo: events, sessions and releases of thirty days in the order of time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import count
from operator import itemgetter
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from server_stub.database.tables import session
from server_stub.demo.actions import habits
from server_stub.demo.incidents import Release, Stories, tell
from server_stub.demo.museum_model import objecttypes
from server_stub.demo.objects import PURGED_IMAGES, opening_stock
from server_stub.demo.people import everybody
from server_stub.demo.simulation import Stock, World
from server_stub.demo.working_days import Calendar, DayPlan, by_time, live_day, plan_days
from server_stub.events import EventDraft, event_row

# The system reindexes this much in the night after a release.
_REINDEXED = ("technique", "material", "keyword")


class Chapter(msgspec.Struct, frozen=True):
    """Events by ascending time, their sessions, and the release that follows them."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    release: Release | None = None


def chronicle(
    calendar: Calendar, stories: Stories, stock: Stock, rng: Random, events: int
) -> Iterator[Chapter]:
    """Chapters by ascending time with as many events as wanted, those of the releases included."""
    opening, *later = stories.releases
    told = _Told(stories.drafts)
    lived = max(0, events - len(stories.drafts) - len(stories.releases))
    yield Chapter(told.up_to(opening.second), stories.sessions, opening)
    world, version = World(rng, stock, count(100)), opening.version
    for plan in plan_days(calendar, opening.second + 1, everybody(), lived, rng):
        last = plan.window.last
        stock.reach((last - calendar.start) / (calendar.end - calendar.start))
        todays = [release for release in later if plan.window.first <= release.second <= last]
        reindexed = _reindexed(stock, plan) if todays else []
        thinner = replace(plan, events=plan.events - len(reindexed))
        drafts, visits = live_day(world, thinner, habits(objecttypes(version)))
        drafts = sorted([*drafts, *told.up_to(last), *_index_run(stock, reindexed, last)], key=by_time)
        for release in todays:
            before = [draft for draft in drafts if draft.timestamp <= release.second]
            del drafts[: len(before)]
            yield Chapter(before, [], release)
            version = release.version
        yield Chapter(drafts, [visit.session(calendar.end) for visit in visits])


class _Told:
    """The events of stories, handed out as time goes by."""

    def __init__(self, drafts: list[EventDraft]) -> None:
        self._drafts = sorted(drafts, key=by_time)
        self._told = 0

    def up_to(self, second: int) -> list[EventDraft]:
        """What has happened since the last question, the second included."""
        first, self._told = self._told, bisect_right(self._drafts, second, key=by_time)
        return self._drafts[first : self._told]


def _reindexed(stock: Stock, plan: DayPlan) -> list[tuple[str, int]]:
    """What the system reindexes in the night after a release; on a quiet day of a short log nothing."""
    found = [(table, object_id) for table in _REINDEXED for object_id in stock.versions[table]]
    return found if len(found) <= plan.events // 2 else []


def _index_run(stock: Stock, reindexed: list[tuple[str, int]], last: int) -> Iterator[EventDraft]:
    """All within the last minutes before midnight, when nobody changes these objects."""
    for number, (table, object_id) in enumerate(reindexed):
        second = last - 240 + number * 200 // len(reindexed)
        version = stock.version(table, object_id)
        yield EventDraft("OBJECT_INDEX", second, None, True, None, "USER", table, object_id, version)


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
