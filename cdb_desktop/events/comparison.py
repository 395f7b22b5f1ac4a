"""Two events side by side, value by value. No I/O."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.event_json import leaves


class Line(msgspec.Struct, frozen=True):
    """One value of either event; None where an event has none under this path."""

    path: str
    left: str | None
    right: str | None

    @property
    def sign(self) -> str:
        """``~`` where both have it and differ, ``−`` and ``+`` where only the left or the right has it."""
        if self.left == self.right:
            return ""
        if self.right is None:
            return "−"
        return "+" if self.left is None else "~"


def compared(left: Event, right: Event) -> tuple[Line, ...]:
    """All values in the order of the left event, those that only the right has at the end."""
    first, second = dict(leaves(left)), dict(leaves(right))
    return tuple(Line(path, first.get(path), second.get(path)) for path in dict.fromkeys((*first, *second)))
