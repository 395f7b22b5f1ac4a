"""Lets the people of one day make their visits side by side, so that what one changes the next one sees."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heapreplace
from operator import attrgetter
from random import Random
from types import MappingProxyType

from server_stub.demo.actions import Choice, Habit, Stock, World
from server_stub.demo.history.plan import DayPlan
from server_stub.demo.history.visits import SIGNS_OUT, Visit
from server_stub.demo.people import Person, Role
from server_stub.events import EventDraft

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
