"""Which keys the info of events has, nested ones too, and how many of the events have each. No I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from cdb_desktop.client import Event

_LARGE = 100_000  # bytes of info beyond which no column shows its values either
_DEEPEST = 6
_MOST = 2_000  # keys; info in which ids are keys has one more with every event


class InfoKeys:
    """Grows with the events that are looked at, each of them once."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._looked_at: set[int] = set()

    @property
    def events(self) -> int:
        """How many events have been looked at."""
        return len(self._looked_at)

    def add(self, events: Iterable[Event]) -> None:
        """Looks at events; those without info have none or are not whole, and do not count."""
        for event in events:
            if event.info is None or event.id in self._looked_at or len(bytes(event.info)) > _LARGE:
                continue
            self._looked_at.add(event.id)
            for path in set(_paths(event.info_value, (), _DEEPEST)):
                if path in self._counts or len(self._counts) < _MOST:
                    self._counts[path] += 1

    def most_frequent(self, most: int) -> list[tuple[str, int]]:
        """Paths such as ``search.0.string`` and how many events have them, the most frequent first.

        Those that are as frequent stand in the order of their names: a list before what is in it.
        """
        return sorted(self._counts.items(), key=lambda one: (-one[1], one[0]))[:most]


def _paths(value: object, above: tuple[str, ...], deeper: int) -> Iterator[str]:
    """The paths to all that is in ``value``; of a list those to its first entry."""
    if above:
        yield ".".join(above)
    if deeper and isinstance(value, Mapping):
        for key, one in value.items():
            # A dot within a key would be taken for a step to another one.
            if isinstance(key, str) and key and "." not in key:
                yield from _paths(one, (*above, key), deeper - 1)
    elif deeper and isinstance(value, list) and value:
        yield from _paths(value[0], (*above, "0"), deeper - 1)
