"""The history of the demo: events, sessions and releases of thirty days in the order of time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import count
from operator import itemgetter
from random import Random

import msgspec
from msgspec.structs import replace

from server_stub.database.tables import session
from server_stub.demo.actions import role_profiles
from server_stub.demo.incidents import Release, ScriptedEvents, write_script
from server_stub.demo.museum import objecttypes
from server_stub.demo.objects import PURGED_IMAGES, initial_stock
from server_stub.demo.people import all_people
from server_stub.demo.simulation import ObjectStock, Simulation
from server_stub.demo.working_days import Calendar, DayPlan, by_time, plan_days, simulate_day
from server_stub.events import EventDraft

# Objecttypes that the system reindexes in the night after a release.
_REINDEXED = ("technique", "material", "keyword")


class LogSection(msgspec.Struct, frozen=True):
    """Events by ascending time, their sessions, and the release that follows them."""

    drafts: list[EventDraft]
    sessions: list[dict[str, object]]
    release: Release | None = None


def log_sections(
    calendar: Calendar, scripted: ScriptedEvents, stock: ObjectStock, rng: Random, events: int
) -> Iterator[LogSection]:
    """Sections of the log by ascending time, with `events` events in total, including the releases."""
    opening, *later = scripted.releases
    script = _ScriptedQueue(scripted.drafts)
    lived = max(0, events - len(scripted.drafts) - len(scripted.releases))
    yield LogSection(script.up_to(opening.second), scripted.sessions, opening)
    simulation, version = Simulation(rng, stock, count(100)), opening.version
    for plan in plan_days(calendar, opening.second + 1, all_people(), lived, rng):
        last = plan.window.last
        stock.set_progress((last - calendar.start) / (calendar.end - calendar.start))
        todays = [release for release in later if plan.window.first <= release.second <= last]
        reindexed = _reindexed(stock, plan) if todays else []
        thinner = replace(plan, events=plan.events - len(reindexed))
        drafts, visits = simulate_day(simulation, thinner, role_profiles(objecttypes(version)))
        drafts = sorted([*drafts, *script.up_to(last), *_index_run(stock, reindexed, last)], key=by_time)
        for release in todays:
            before = [draft for draft in drafts if draft.timestamp <= release.second]
            del drafts[: len(before)]
            yield LogSection(before, [], release)
            version = release.version
        yield LogSection(drafts, [visit.session(calendar.end) for visit in visits])


class _ScriptedQueue:
    """The scripted events by ascending time."""

    def __init__(self, drafts: list[EventDraft]) -> None:
        self._drafts = sorted(drafts, key=by_time)
        self._told = 0

    def up_to(self, second: int) -> list[EventDraft]:
        """The events since the last call up to a second, inclusive."""
        first, self._told = self._told, bisect_right(self._drafts, second, key=by_time)
        return self._drafts[first : self._told]


def _reindexed(stock: ObjectStock, plan: DayPlan) -> list[tuple[str, int]]:
    """The objects to reindex in the night after a release; none if they were too much for a short log."""
    found = [(table, object_id) for table in _REINDEXED for object_id in stock.versions[table]]
    return found if len(found) <= plan.events // 2 else []


def _index_run(stock: ObjectStock, reindexed: list[tuple[str, int]], last: int) -> Iterator[EventDraft]:
    """Index events within the last minutes before midnight, when these objects do not change."""
    for number, (table, object_id) in enumerate(reindexed):
        second = last - 240 + number * 200 // len(reindexed)
        version = stock.version(table, object_id)
        yield EventDraft("OBJECT_INDEX", second, None, True, None, "USER", table, object_id, version)


# Rows in a part and in a transaction.
_BATCH = 5_000


class HistoryOptions(msgspec.Struct, frozen=True):
    """End, number of events and seed of a history; the same options make the same history."""

    now: int
    events: int
    seed: int


class EventBatch(msgspec.Struct, frozen=True):
    """Events by ascending time."""

    drafts: list[EventDraft]


class SessionRows(msgspec.Struct, frozen=True):
    """Rows of sessions by ascending reference, the order of the table."""

    rows: list[tuple[object, ...]]


class FinalVersions(msgspec.Struct, frozen=True):
    """The last part: the version of each object, by objecttype and id."""

    versions: Mapping[str, Mapping[int, int]]


HistoryPart = EventBatch | Release | SessionRows | FinalVersions


def generate_history(options: HistoryOptions) -> Iterator[HistoryPart]:
    """The parts of the history in the order in which they must be written."""
    calendar, seed, events = Calendar(options.now), options.seed, options.events
    scripted = write_script(calendar, Random(f"{seed} stories"), PURGED_IMAGES, events)
    stock = initial_stock()
    sessions: list[dict[str, object]] = []
    for section in log_sections(calendar, scripted, stock, Random(f"{seed} days"), events):
        for first in range(0, len(section.drafts), _BATCH):
            yield EventBatch(section.drafts[first : first + _BATCH])
        if section.release is not None:
            yield section.release
        sessions += section.sessions
    yield from _sessions(sessions)
    yield FinalVersions(stock.versions)


def _sessions(found: list[dict[str, object]]) -> Iterator[SessionRows]:
    # In the order of the table: in chronological order each row would change a different page.
    found.sort(key=itemgetter("reference"))
    names = session.columns.keys()
    for first in range(0, len(found), _BATCH):
        yield SessionRows([tuple(map(row.get, names)) for row in found[first : first + _BATCH]])
