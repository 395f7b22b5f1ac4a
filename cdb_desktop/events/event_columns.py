"""What is counted of many events, in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from math import isnan, nan

from cdb_desktop.client import Event

_MOST_TEXTS = 0xFFFF
_HIGHEST = 2**63 - 1  # a user with a higher number is counted as none


class EventColumns:
    """What is counted of events, in about 30 bytes each: type, time, user, base type and object type."""

    def __init__(self) -> None:
        self._times, self._users = array("d"), array("q")
        self._names = array("H")  # three of each event, as places in `_texts`
        self._texts: dict[str, int] = {"": 0}

    def add(self, events: Iterable[Event]) -> None:
        """Appends events."""
        for event in events:
            self._times.append(nan if event.timestamp is None else event.timestamp.timestamp())
            user = event.user_id
            self._users.append(user if user is not None and 0 <= user <= _HIGHEST else -1)
            for text in (event.type, event.basetype or "", event.objecttype or ""):
                # A service with more names than fit would be counted under the last one.
                place = self._texts.setdefault(text, min(len(self._texts), _MOST_TEXTS))
                self._names.append(place)

    def __len__(self) -> int:
        return len(self._times)

    def events(self) -> Iterator[Event]:
        """Events with only these fields."""
        texts = {place: text for text, place in reversed(self._texts.items())}
        for at, time_ in enumerate(self._times):
            kind, base, object_type = (texts[self._names[3 * at + part]] for part in range(3))
            yield Event(
                id=0,
                type=kind,
                timestamp=None if isnan(time_) else _moment(time_),
                user_id=None if self._users[at] < 0 else self._users[at],
                basetype=base or None,
                objecttype=object_type or None,
            )


def _moment(time: float) -> datetime:
    """The time in UTC, or the end of the calendar that it is beyond of in UTC."""
    try:
        return datetime.fromtimestamp(time, UTC)
    except (ValueError, OverflowError):
        return datetime(1, 1, 1, tzinfo=UTC) if time < 0 else datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
