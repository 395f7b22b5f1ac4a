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

from server_stub.demo.actions import Habit
from server_stub.demo.people import RHYTHMS, Person, Role
from server_stub.demo.simulation import (
    Choice,
    Scene,
    Stock,
    World,
    actor_of,
    new_reference,
    session_row,
    sign_in,
    sign_out,
)
from server_stub.events import EventDraft
from server_stub.times import EPOCH

DAYS = 30
HOUR = 3_600
DAY = 24 * HOUR
# The house keeps Central European time, one hour ahead of the server's; it does without summer time.
_AHEAD = HOUR


class Window(msgspec.Struct, frozen=True):
    """A local day or what of it lies in the thirty days; epoch seconds, both included."""

    first: int
    last: int

    @property
    def midnight(self) -> int:
        """The beginning of the local day."""
        return (self.first + _AHEAD) // DAY * DAY - _AHEAD

    @property
    def weekday(self) -> int:
        """0 for Monday."""
        return (EPOCH + timedelta(seconds=self.first + _AHEAD)).weekday()

    def hours(self) -> Iterator[tuple[int, int, int]]:
        """The hours of the day that lie in the window: hour, first second, seconds."""
        for hour in range(24):
            first = max(self.first, self.midnight + hour * HOUR)
            seconds = min(self.last + 1, self.midnight + (hour + 1) * HOUR) - first
            if seconds > 0:
                yield hour, first, seconds


class Calendar(msgspec.Struct, frozen=True):
    """The days up to `end`, the present second."""

    end: int

    @property
    def start(self) -> int:
        """The first second."""
        return self.end - DAYS * DAY

    def windows(self, first: int) -> list[Window]:
        """The local days from the second `first` to the end, by ascending time."""
        found = []
        while first <= self.end:
            last = min(Window(first, first).midnight + DAY - 1, self.end)
            found.append(Window(first, last))
            first = last + 1
        return found

    def at(self, days_ago: int, hour: int, minute: int = 0) -> int:
        """A local time on the day that lies so many days before the last one."""
        return Window(self.end, self.end).midnight - days_ago * DAY + hour * HOUR + minute * 60

    def weekday(self, days_ago: int) -> int:
        """0 for Monday."""
        noon = self.at(days_ago, 12)
        return Window(noon, noon).weekday

    def workday(self, days_ago: int) -> int:
        """The same number of days, or a few more where that is a weekend."""
        while self.weekday(days_ago) > 4:
            days_ago += 1
        return days_ago


_READERS = (Role.GUEST, Role.INTERFACE)


class DayPlan(msgspec.Struct, frozen=True):
    """One window with the people who come, the hours at which each role does, and its number of events.

    `readers` are those of the people whose visits change nothing.
    """

    window: Window
    people: Choice[Person]
    readers: Choice[Person]
    hours: dict[Role, Choice[tuple[int, int]]]
    events: int = 0

    def start(self, person: Person, rng: Random) -> int:
        """A second at which a visit of the person begins."""
        first, seconds = self.hours[person.role].pick(rng)
        return first + int(rng.random() * seconds)


def plan_days(
    calendar: Calendar, first: int, people: Sequence[Person], events: int, rng: Random
) -> list[DayPlan]:
    """The days from the second `first` to the end; their events add up to `events`."""
    plans = [_plan(window, calendar, people) for window in calendar.windows(first)]
    counts = spread(events, [plan.people.total * rng.uniform(0.82, 1.18) for plan in plans])
    return [replace(plan, events=count) for plan, count in zip(plans, counts, strict=True)]


def _plan(window: Window, calendar: Calendar, people: Sequence[Person]) -> DayPlan:
    hours = {role: _working_hours(window, role) for role in Role}
    day = (calendar.end - window.first) // (24 * HOUR)
    weighted = [
        (person, person.busy * RHYTHMS[person.role].days[window.weekday] * hours[person.role].total)
        for person in people
        if person.joined is None or day < person.joined
    ]
    readers = [(person, weight) for person, weight in weighted if person.role in _READERS]
    return DayPlan(window, Choice(weighted), Choice(readers), hours)


def _working_hours(window: Window, role: Role) -> Choice[tuple[int, int]]:
    weights = RHYTHMS[role].hours
    return Choice(
        ((first, seconds), weights[hour] / sum(weights) * seconds / HOUR)
        for hour, first, seconds in window.hours()
    )


def spread(total: int, masses: Sequence[float]) -> list[int]:
    """Whole numbers in proportion to the masses, adding up to the total."""
    whole = sum(masses)
    reached, given, counts = 0.0, 0, []
    for mass in masses:
        reached += mass
        count = round(total * reached / whole) - given
        given += count
        counts.append(count)
    return counts


SIGNS_OUT = 0.6


class Visit:
    """Signing in at the second `start`, some actions, and for most people signing out."""

    __slots__ = ("_habit", "_left", "_reference", "_scene", "_signed_out", "start")

    def __init__(self, world: World, person: Person, habit: Habit, start: int, steps: int) -> None:
        self._reference = new_reference(world.rng)
        self._scene = Scene(world, person, actor_of(person, self._reference), habit.tables, start)
        self._habit = habit
        self.start = start
        self._left = steps + 1
        self._signed_out = False

    def go_on(self) -> int | None:
        """Does the next thing; answers the second of the one after it, None when that was the last one."""
        scene = self._scene
        if self._left == 0:
            self._signed_out = scene.rng.random() < SIGNS_OUT
            if self._signed_out:
                sign_out(scene)
            return None
        self._left -= 1
        if scene.now == self.start:
            sign_in(scene)
        else:
            self._habit.actions.pick(scene.rng)(scene)
        return scene.now

    def session(self, end: int) -> dict[str, object]:
        """The row of the session as it stands at the second `end`."""
        return session_row(self._reference, self.start, self._scene.now, signed_out=self._signed_out, end=end)


# Events that a step brings on average; a day is planned a little too busy and then thinned out.
_YIELD: Mapping[Role, float] = MappingProxyType(
    dict.fromkeys(Role, 1.25) | {Role.IMPORTER: 22.0, Role.PHOTOGRAPHER: 1.9}
)
_TOO_BUSY = 1.12
_CHANGES = ("OBJECT_INSERT", "OBJECT_UPDATE")
# Events that nothing else in the log depends on.
_ALONE = frozenset({"SEARCH", "DETAIL_VIEW", "API_CALL", "ASSET_DOWNLOAD"})

by_time = attrgetter("timestamp")


def live_day(
    world: World, plan: DayPlan, habits: Mapping[Role, Habit]
) -> tuple[list[EventDraft], list[Visit]]:
    """The events of a day by ascending time, as many as planned, and the visits that they come from.

    Where they turn out too few, others come who change nothing: what was changed at which time is settled.
    """
    drafts = world.drafts
    drafts.clear()
    visits: list[Visit] = []
    people = plan.people
    while len(drafts) < plan.events:
        coming = _visits(world, plan, people, habits, plan.events - len(drafts))
        _run(coming, plan.window.last)
        visits += coming
        drafts[:] = [draft for draft in drafts if draft.timestamp <= plan.window.last]
        people = plan.readers
    drafts.sort(key=by_time)
    thinned = _thinned(drafts, plan.events, world.rng)
    _undo(thinned[plan.events :], world.stock)
    return thinned[: plan.events], visits


def _visits(
    world: World, plan: DayPlan, people: Choice[Person], habits: Mapping[Role, Habit], missing: int
) -> list[Visit]:
    visits = []
    expected = 0.0
    while expected < missing * _TOO_BUSY:
        person = people.pick(world.rng)
        habit = habits[person.role]
        least, more = habit.steps
        steps = least + int(world.rng.random() * more)
        visits.append(Visit(world, person, habit, plan.start(person, world.rng), steps))
        expected += 1 + SIGNS_OUT + steps * _YIELD[person.role]
    return visits


def _run(visits: list[Visit], last: int) -> None:
    """Step by step in the order of time, whoever's turn it is."""
    count = len(visits)
    # The second, then the visit's number, in one whole number: pairs take several times as long to compare.
    queue = [visit.start * count + number for number, visit in enumerate(visits)]
    heapify(queue)
    while queue:
        number = queue[0] % count
        following = visits[number].go_on()
        if following is not None and following <= last:
            heapreplace(queue, following * count + number)
        else:
            heappop(queue)


def _thinned(drafts: list[EventDraft], wanted: int, rng: Random) -> list[EventDraft]:
    """As many as wanted, by leaving out events that nobody misses; more where there are too few of those."""
    spare = [number for number, draft in enumerate(drafts) if draft.type in _ALONE]
    surplus = min(len(drafts) - wanted, len(spare))
    left_out = set(rng.sample(spare, surplus))
    return [draft for number, draft in enumerate(drafts) if number not in left_out]


def _undo(drafts: list[EventDraft], stock: Stock) -> None:
    """Takes back the changes of a day's last events, which the log will not tell."""
    for draft in reversed(drafts):
        if draft.type in _CHANGES and draft.objecttype is not None and draft.object_id is not None:
            stock.undo(draft.objecttype, draft.object_id)
