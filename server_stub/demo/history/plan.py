"""Who works how much on which day, and how a number of events spreads over the days; knows no event."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import msgspec
from msgspec.structs import replace

from server_stub.demo.actions import Choice
from server_stub.demo.history.calendar import HOUR, Calendar, Window
from server_stub.demo.people import RHYTHMS, Person, Role

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
    hours = {role: _hours(window, role) for role in Role}
    day = (calendar.end - window.first) // (24 * HOUR)
    weighted = [
        (person, person.busy * RHYTHMS[person.role].days[window.weekday] * hours[person.role].total)
        for person in people
        if person.joined is None or day < person.joined
    ]
    readers = [(person, weight) for person, weight in weighted if person.role in _READERS]
    return DayPlan(window, Choice(weighted), Choice(readers), hours)


def _hours(window: Window, role: Role) -> Choice[tuple[int, int]]:
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
