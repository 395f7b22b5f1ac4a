"""Several visits at a time, one event after the other; knows no clock and no database."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from random import Random

from msgspec.structs import replace

from server_stub.demo.actions import Choice, Habit, Scene, Stock, World, actor_of, habits, sign_in, sign_out
from server_stub.demo.history import new_reference
from server_stub.demo.people import Person, Role
from server_stub.events import Actor, EventDraft

# As many people are at work at the same time at most, and somebody new comes so often.
_AT_ONCE = 7
_NEW = 0.12


@dataclass
class _Visit:
    """Who is here, and how many steps are left."""

    person: Person
    actor: Actor
    left: int


class LiveVisits:
    """Gives out events; what happens at once comes out one by one."""

    def __init__(self, rng: Random, people: Choice[Person], stock: Stock) -> None:
        self._rng = rng
        self._people = people
        self._world = World(rng, stock, count(1000), pace=0)
        self._habits: Mapping[Role, Habit] = habits(stock.tables)
        self._visits: list[_Visit] = []
        self._pending: deque[EventDraft] = deque()

    def next(self, now: int) -> EventDraft:
        """The next event, at the second `now`."""
        while not self._pending:
            self._act(now)
            self._pending.extend(self._world.drafts)
            self._world.drafts.clear()
        return replace(self._pending.popleft(), timestamp=now)

    def _act(self, now: int) -> None:
        if not self._visits or (len(self._visits) < _AT_ONCE and self._rng.random() < _NEW):
            sign_in(self._scene(self._begin(), now))
            return
        visit = self._rng.choice(self._visits)
        scene = self._scene(visit, now)
        if visit.left > 0:
            visit.left -= 1
            self._habits[visit.person.role].actions.pick(self._rng)(scene)
        else:
            self._visits.remove(visit)
            sign_out(scene)

    def _begin(self) -> _Visit:
        person = self._people.pick(self._rng)
        least, more = self._habits[person.role].steps
        left = least + int(self._rng.random() * more)
        visit = _Visit(person, actor_of(person, new_reference(self._rng)), left)
        self._visits.append(visit)
        return visit

    def _scene(self, visit: _Visit, now: int) -> Scene:
        tables = self._habits[visit.person.role].tables
        return Scene(self._world, visit.person, visit.actor, tables, now)
