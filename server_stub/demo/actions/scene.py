"""One visit while it lasts: who, when, with what at hand, and the events so far; knows no action."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from server_stub.demo.actions.choice import Choice
from server_stub.demo.actions.stock import Stock
from server_stub.demo.people import Person
from server_stub.events import Actor, EventDraft


@dataclass(frozen=True, slots=True)
class World:
    """What all visits share; `numbers` counts exports and folders.

    `pace` 1 lets an action take its time; 0 lets all of it happen at once, for events that happen live.
    """

    rng: Random
    stock: Stock
    numbers: Iterator[int]
    pace: int = 1
    drafts: list[EventDraft] = field(default_factory=list)


class Scene:
    """An action leaves drafts behind from `now` on, then lets time go by until the next one."""

    __slots__ = ("actor", "drafts", "now", "person", "rng", "stock", "tables", "world")

    def __init__(self, world: World, person: Person, actor: Actor, tables: Choice[str], now: int) -> None:
        self.world = world
        self.rng = world.rng
        self.stock = world.stock
        self.person = person
        self.actor = actor
        self.tables = tables
        self.now = now
        self.drafts = world.drafts

    def pause(self, least: int, spread: int) -> None:
        """Lets `least` seconds and up to `spread` more go by."""
        self.now += self.world.pace * (least + int(self.rng.random() * spread))

    def write(self, kind: str, info: str, *, pollable: bool = False) -> None:
        """An event that concerns no object."""
        self.drafts.append(EventDraft(kind, self.now, self.actor, pollable, info=info))

    def write_object(
        self, kind: str, table: str, object_id: int, version: int, info: str, *, pollable: bool
    ) -> None:
        """An event about a user object."""
        self.drafts.append(
            EventDraft(kind, self.now, self.actor, pollable, None, "USER", table, object_id, version, info)
        )

    def write_base(
        self, kind: str, base_type: str, object_id: int | None, info: str = "{}", *, pollable: bool = False
    ) -> None:
        """An event about something that every installation has: a user, a collection, an export."""
        self.drafts.append(
            EventDraft(kind, self.now, self.actor, pollable, base_type, "BASE", None, object_id, None, info)
        )

    def index(self, table: str, object_id: int, version: int) -> None:
        """The index run of the system that follows a change; nobody causes it."""
        self.drafts.append(
            EventDraft("OBJECT_INDEX", self.now, None, True, None, "USER", table, object_id, version)
        )
