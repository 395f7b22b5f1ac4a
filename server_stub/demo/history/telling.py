"""What a story needs to be told: calendar, people, a scene for whoever appears; knows no story."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from server_stub.demo.actions import Choice, Scene, World, actor_of
from server_stub.demo.history.calendar import HOUR, Calendar
from server_stub.demo.history.sessions import new_reference, session_row
from server_stub.demo.people import Person
from server_stub.events import Actor, EventDraft

_NO_TABLES: Choice[str] = Choice(())


class Release(msgspec.Struct, frozen=True):
    """A version of the schema that `actor` makes CURRENT at a second."""

    version: int
    second: int
    actor: Actor


@dataclass(frozen=True)
class Telling:
    """Collects what the stories leave behind."""

    world: World
    calendar: Calendar
    people: Mapping[str, Person]
    sessions: list[dict[str, object]] = field(default_factory=list)

    def appears(self, login: str, second: int) -> Scene:
        """A scene with this person, in a session of an hour."""
        reference, last = new_reference(self.world.rng), second + HOUR
        row = session_row(reference, second, last, signed_out=True, end=self.calendar.end)
        self.sessions.append(row)
        person = self.people[login]
        return Scene(self.world, person, actor_of(person, reference), _NO_TABLES, second)

    def happens(self, kind: str, second: int, info: str = "{}") -> None:
        """An event that nobody causes and that concerns no object."""
        self.world.drafts.append(EventDraft(kind, second, info=info))
