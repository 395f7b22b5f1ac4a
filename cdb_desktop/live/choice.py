"""Which events of the feed are shown: a frozen choice of types and a part of the user's name. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.references import user_of


@dataclass(frozen=True, slots=True)
class Choice:
    """``others`` says whether types that are no exceptions are shown, those not met yet among them."""

    others: bool = True
    exceptions: frozenset[str] = frozenset()
    user: str = ""

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == Choice()

    def shows_type(self, event_type: str) -> bool:
        """Whether events of a type are shown."""
        return (event_type in self.exceptions) != self.others

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
        users: dict[str, bool] = {}
        part = self.user.strip().casefold()

        def shows(event: Event) -> bool:
            verdict = types.get(event.type)
            if verdict is None:
                verdict = types[event.type] = self.shows_type(event.type)
            if not verdict or not part:
                return verdict
            name = user_of(event)
            verdict = users.get(name)
            if verdict is None:
                verdict = users[name] = part in name.casefold()
            return verdict

        return shows


def chosen(shown: Iterable[str], hidden: Iterable[str], *, others: bool, user: str = "") -> Choice:
    """The choice that shows and hides these types, and all ``others`` or none."""
    return Choice(others, frozenset(hidden if others else shown), user)
