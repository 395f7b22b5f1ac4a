"""Which events of the feed are shown: a frozen choice by type, base type and user. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_text import user_text


class Choice(msgspec.Struct, frozen=True):
    """``others`` says whether types that are no exceptions are shown, those not met yet among them.

    ``user`` is a part of the name. ``users`` and ``base_types`` are as the event browser asks for them
    (§4.3); empty means all.
    """

    others: bool = True
    exceptions: frozenset[str] = frozenset()
    user: str = ""
    users: frozenset[int] = frozenset()
    base_types: frozenset[str] = frozenset()

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == Choice()

    def shows_type(self, event_type: str) -> bool:
        """Whether events of a type are shown."""
        return (event_type in self.exceptions) != self.others

    def shows_kind(self, event: Event) -> bool:
        """Whether events of this type and base type are shown."""
        return self.shows_type(event.type) and (not self.base_types or event.basetype in self.base_types)

    def shows_person(self, event: Event) -> bool:
        """Whether events of this user are shown."""
        if self.users and event.user_id not in self.users:
            return False
        return self.user.strip().casefold() in user_text(event).casefold()

    def only(self, event_type: str) -> Choice:
        """This type and no other."""
        return replace(self, others=False, exceptions=frozenset({event_type}))

    def without(self, event_type: str) -> Choice:
        """The same but for one type."""
        apart = self.exceptions | {event_type} if self.others else self.exceptions - {event_type}
        return replace(self, exceptions=apart)

    def predicate(self) -> Callable[[Event], bool]:
        """A test for single events that remembers what it has found out about types and users."""
        if self.is_everything:
            return lambda _event: True
        types: dict[str, bool] = {}
        people: dict[tuple[int | None, str | None], bool] = {}
        asks_for_people, base_types = bool(self.user.strip() or self.users), self.base_types

        def shows(event: Event) -> bool:
            verdict = types.get(event.type)
            if verdict is None:
                verdict = types[event.type] = self.shows_type(event.type)
            if not verdict or (base_types and event.basetype not in base_types):
                return False
            if not asks_for_people:
                return True
            person = event.user_id, event.user_displayname
            verdict = people.get(person)
            if verdict is None:
                verdict = people[person] = self.shows_person(event)
            return verdict

        return shows


def chosen(shown: Iterable[str], hidden: Iterable[str], *, others: bool, before: Choice) -> Choice:
    """The choice ``before`` with these types shown and hidden, and all ``others`` or none."""
    return replace(before, others=others, exceptions=frozenset(hidden if others else shown))


def asked(types: Iterable[str], base_types: Iterable[str], users: Iterable[int]) -> Choice:
    """The choice that shows what a query of the event browser asks for; nothing means all."""
    named = frozenset(types)
    return Choice(not named, named, users=frozenset(users), base_types=frozenset(base_types))
