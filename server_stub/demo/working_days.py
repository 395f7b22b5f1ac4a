"""The thirty days of the demo log: who works when, and the visits of each day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from heapq import heapify, heappop, heapreplace
from operator import attrgetter
from random import Random
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from server_stub.demo.actions import RoleProfile
from server_stub.demo.people import (
    ACTIVITY_PATTERNS,
    ObjectStock,
    Person,
    Role,
    Simulation,
    VisitContext,
    WeightedChoice,
    actor_of,
    new_reference,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.events import EventDraft
from server_stub.foundation.times import EPOCH

DAYS = 30
HOUR = 3_600
_DAY = 24 * HOUR
# The museum has Central European time, one hour ahead of UTC, without summer time.
_AHEAD = HOUR


class DayWindow(msgspec.Struct, frozen=True):
    """A local day, or the part of it within the thirty days; epoch seconds, both inclusive."""

    first: int
    last: int

    @property
    def midnight(self) -> int:
        """The beginning of the local day."""
        return (self.first + _AHEAD) // _DAY * _DAY - _AHEAD

    @property
    def weekday(self) -> int:
        """0 for Monday."""
        return (EPOCH + timedelta(seconds=self.first + _AHEAD)).weekday()

    def hours(self) -> Iterator[tuple[int, int, int]]:
        """The hours within the window: hour, first second, number of seconds."""
        for hour in range(24):
            first = max(self.first, self.midnight + hour * HOUR)
            seconds = min(self.last + 1, self.midnight + (hour + 1) * HOUR) - first
            if seconds > 0:
                yield hour, first, seconds


class Calendar(msgspec.Struct, frozen=True):
    """The thirty days up to `end`, the present second."""

    end: int

    @property
    def start(self) -> int:
        """The first second."""
        return self.end - DAYS * _DAY

    def windows(self, first: int) -> list[DayWindow]:
        """The local days from the second `first` to the end, by ascending time."""
        found = []
        while first <= self.end:
            last = min(DayWindow(first, first).midnight + _DAY - 1, self.end)
            found.append(DayWindow(first, last))
            first = last + 1
        return found

    def at(self, days_ago: int, hour: int, minute: int = 0) -> int:
        """A local time on the day so many days before the last one, in epoch seconds."""
        return DayWindow(self.end, self.end).midnight - days_ago * _DAY + hour * HOUR + minute * 60

    def weekday(self, days_ago: int) -> int:
        """0 for Monday."""
        noon = self.at(days_ago, 12)
        return DayWindow(noon, noon).weekday

    def workday(self, days_ago: int) -> int:
        """The number of days, increased to the Friday before if the day is on a weekend."""
        while self.weekday(days_ago) > 4:
            days_ago += 1
        return days_ago


_READERS = (Role.GUEST, Role.INTERFACE)


class DayPlan(msgspec.Struct, frozen=True):
    """The plan of a day: weights of people, hours of visits by role, and the number of events.

    `readers` are the people whose visits change nothing.
    """

    window: DayWindow
    people: WeightedChoice[Person]
    readers: WeightedChoice[Person]
    hours: dict[Role, WeightedChoice[tuple[int, int]]]
    events: int = 0

    def start(self, person: Person, rng: Random) -> int:
        """A random second at which a visit of the person begins."""
        first, seconds = self.hours[person.role].pick(rng)
        return first + int(rng.random() * seconds)


def plan_days(
    calendar: Calendar, first: int, people: Sequence[Person], events: int, rng: Random
) -> list[DayPlan]:
    """Plans for the days from the second `first` to the end, with `events` events in total."""
    plans = [_plan(window, calendar, people) for window in calendar.windows(first)]
    counts = _distribute(events, [plan.people.total * rng.uniform(0.82, 1.18) for plan in plans])
    return [replace(plan, events=count) for plan, count in zip(plans, counts, strict=True)]


def _plan(window: DayWindow, calendar: Calendar, people: Sequence[Person]) -> DayPlan:
    hours = {role: _working_hours(window, role) for role in Role}
    day = (calendar.end - window.first) // (24 * HOUR)
    weighted = [
        (person, person.busy * ACTIVITY_PATTERNS[person.role].days[window.weekday] * hours[person.role].total)
        for person in people
        if person.joined is None or day < person.joined
    ]
    readers = [(person, weight) for person, weight in weighted if person.role in _READERS]
    return DayPlan(window, WeightedChoice(weighted), WeightedChoice(readers), hours)


def _working_hours(window: DayWindow, role: Role) -> WeightedChoice[tuple[int, int]]:
    weights = ACTIVITY_PATTERNS[role].hours
    return WeightedChoice(
        ((first, seconds), weights[hour] / sum(weights) * seconds / HOUR)
        for hour, first, seconds in window.hours()
    )


def _distribute(total: int, masses: Sequence[float]) -> list[int]:
    """Whole numbers in proportion to the masses, adding up to the total."""
    whole = sum(masses)
    reached, given, counts = 0.0, 0, []
    for mass in masses:
        reached += mass
        count = round(total * reached / whole) - given
        given += count
        counts.append(count)
    return counts


_SIGNS_OUT = 0.6


class PastVisit:
    """A visit: signing in at the second `start`, some actions, and in most cases signing out."""

    __slots__ = ("_context", "_left", "_profile", "_reference", "_signed_out", "start")

    def __init__(
        self, simulation: Simulation, person: Person, profile: RoleProfile, start: int, steps: int
    ) -> None:
        self._reference = new_reference(simulation.rng)
        self._context = VisitContext(
            simulation, person, actor_of(person, self._reference), profile.tables, start
        )
        self._profile = profile
        self.start = start
        self._left = steps + 1
        self._signed_out = False

    def next_step(self) -> int | None:
        """Does the next action; returns the second of the one after it, None after the last one."""
        context = self._context
        if self._left == 0:
            self._signed_out = context.rng.random() < _SIGNS_OUT
            if self._signed_out:
                sign_out(context)
            return None
        self._left -= 1
        if context.now == self.start:
            sign_in(context)
        else:
            self._profile.actions.pick(context.rng)(context)
        return context.now

    def session(self, end: int) -> dict[str, object]:
        """The database row of the session as of the second `end`."""
        return session_row(
            self._reference, self.start, self._context.now, signed_out=self._signed_out, end=end
        )


# Average number of events of an action; a few too many are planned, then thinned out.
_YIELD: Mapping[Role, float] = MappingProxyType(
    dict.fromkeys(Role, 1.25) | {Role.IMPORTER: 22.0, Role.PHOTOGRAPHER: 1.9}
)
_TOO_BUSY = 1.12
_CHANGES = ("OBJECT_INSERT", "OBJECT_UPDATE")
# Types of events that can be left out, since nothing else in the log depends on them.
_ALONE = frozenset({"SEARCH", "DETAIL_VIEW", "API_CALL", "ASSET_DOWNLOAD"})

by_time = attrgetter("timestamp")


def simulate_day(
    simulation: Simulation, plan: DayPlan, profiles: Mapping[Role, RoleProfile]
) -> tuple[list[EventDraft], list[PastVisit]]:
    """The events of a day by ascending time, as many as planned, and its visits.

    If the visits have too few events, visits of readers are added, since later changes would be out of order.
    """
    drafts = simulation.drafts
    drafts.clear()
    visits: list[PastVisit] = []
    people = plan.people
    while len(drafts) < plan.events:
        coming = _visits(simulation, plan, people, profiles, plan.events - len(drafts))
        _run(coming, plan.window.last)
        visits += coming
        drafts[:] = [draft for draft in drafts if draft.timestamp <= plan.window.last]
        people = plan.readers
    drafts.sort(key=by_time)
    thinned = _thinned(drafts, plan.events, simulation.rng)
    _undo(thinned[plan.events :], simulation.stock)
    return thinned[: plan.events], visits


def _visits(
    simulation: Simulation,
    plan: DayPlan,
    people: WeightedChoice[Person],
    profiles: Mapping[Role, RoleProfile],
    missing: int,
) -> list[PastVisit]:
    visits = []
    expected = 0.0
    while expected < missing * _TOO_BUSY:
        person = people.pick(simulation.rng)
        profile = profiles[person.role]
        least, more = profile.steps
        steps = least + int(simulation.rng.random() * more)
        visits.append(PastVisit(simulation, person, profile, plan.start(person, simulation.rng), steps))
        expected += 1 + _SIGNS_OUT + steps * _YIELD[person.role]
    return visits


def _run(visits: list[PastVisit], last: int) -> None:
    """Runs all visits at the same time, action by action in the order of time."""
    count = len(visits)
    # Second and number of the visit in one integer: comparing pairs takes several times as long.
    queue = [visit.start * count + number for number, visit in enumerate(visits)]
    heapify(queue)
    while queue:
        number = queue[0] % count
        following = visits[number].next_step()
        if following is not None and following <= last:
            heapreplace(queue, following * count + number)
        else:
            heappop(queue)


def _thinned(drafts: list[EventDraft], wanted: int, rng: Random) -> list[EventDraft]:
    """Drops surplus events of types without dependencies; more than wanted if these are too few."""
    spare = [number for number, draft in enumerate(drafts) if draft.type in _ALONE]
    surplus = min(len(drafts) - wanted, len(spare))
    left_out = set(rng.sample(spare, surplus))
    return [draft for number, draft in enumerate(drafts) if number not in left_out]


def _undo(drafts: list[EventDraft], stock: ObjectStock) -> None:
    """Undoes the changes of events at the end of a day that are left out of the log."""
    for draft in reversed(drafts):
        if draft.type in _CHANGES and draft.objecttype is not None and draft.object_id is not None:
            stock.undo(draft.objecttype, draft.object_id)
