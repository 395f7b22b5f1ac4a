"""The events that have arrived, and which of them are shown; new ones at the end. No Qt.

A feed is bounded twice: by the number of its events, which the user chooses, and by their bytes in memory. It
keeps CAPACITY events and BYTES bytes unless it is told otherwise.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from cdb_desktop.client import Event
from cdb_desktop.live.choice import Choice
from cdb_desktop.live.ids import Ids
from cdb_desktop.live.store import Store

CAPACITY = 200_000
BYTES = 128 * 2**20  # room for a million events of the usual size
_SPARE = 16  # part of the bytes that is freed at once
_STEP = 2_000


class Feed:
    """Events get a number in the order of their arrival that stays theirs; rows are what the choice shows.

    The oldest leave a step at a time, so that leaving stays rare. Their ids are still known.
    """

    def __init__(self, capacity: int = CAPACITY, step: int = _STEP, size: int = BYTES) -> None:
        """Keeps at most ``capacity`` events that take ``size`` bytes."""
        self.capacity = capacity
        self.largest = size
        self.is_heavy = False  # whether events have had to leave for their bytes
        self._step = step
        self._kept = Store()
        self._left = 0  # how many have left, which is the number of the oldest that is kept
        self._rows = array("q")  # the numbers of the events that are shown, ascending
        self._cleared = 0  # what has a lower number was cleared away
        self._types: Counter[str] = Counter()
        self._ids = Ids()
        self.choice = Choice()
        self._shows = self.choice.predicate()

    def __len__(self) -> int:
        """The rows that are shown."""
        return len(self._rows)

    def __getitem__(self, row: int) -> Event:
        return self._kept[self._rows[row] - self._left]

    @property
    def end(self) -> int:
        """The number that the next event will get."""
        return self._left + len(self._kept)

    @property
    def size(self) -> int:
        """How many bytes of memory the events take."""
        return self._kept.size

    @property
    def left(self) -> int:
        """How many have left because the feed is bounded."""
        return self._left

    @property
    def kept(self) -> int:
        """How many there are to choose from."""
        return self.end - max(self._left, self._cleared)

    @property
    def cleared(self) -> int:
        """How many were cleared away and can be brought back."""
        return max(0, self._cleared - self._left)

    @property
    def types(self) -> Mapping[str, int]:
        """The types that are kept, and how often."""
        return self._types

    def copy(self, choice: Choice) -> Feed:
        """A feed of its own with the same events, of which other ones are shown."""
        other = Feed(self.capacity, self._step, self.largest)
        other._kept, other._left, other._cleared = self._kept.copy(), self._left, self._cleared
        other._types, other._ids = self._types.copy(), self._ids.copy()
        other.choose(choice)
        return other

    def number(self, row: int) -> int:
        """The number of the event in a row."""
        return self._rows[row]

    def row_from(self, number: int) -> int:
        """The first row whose event has this number or a higher one."""
        return bisect_left(self._rows, number)

    def unknown(self, events: Iterable[Event]) -> list[Event]:
        """Those of ``events`` whose ids have not come before; from now on they have."""
        add = self._ids.add
        return [event for event in events if add(event.id)]

    def surplus(self, arriving: int) -> int:
        """How many of the oldest have to leave before ``arriving`` more events come in.

        Only what has come in counts by its bytes, so this is asked after that as well.
        """
        excess = len(self._kept) + arriving - self.capacity
        leaving = 0 if excess <= 0 else max(excess, self._step)
        if self._kept.size > self.largest:
            self.is_heavy = True
            surplus = self._kept.size - self.largest + self.largest // _SPARE
            leaving = max(leaving, self._kept.oldest_of(surplus))
        return min(len(self._kept), leaving)

    def oldest(self, number: int) -> list[Event]:
        """The ``number`` oldest that are kept, cleared away or not."""
        return [self._kept[place] for place in range(number)]

    def leave(self, number: int) -> None:
        """Lets the ``number`` oldest go."""
        self._types -= Counter(self._kept.types(number))
        self._kept.drop(number)
        self._left += number
        del self._rows[: self.row_from(self._left)]

    def shown(self, events: Sequence[Event]) -> list[int]:
        """The numbers that those of ``events`` will get which the choice shows."""
        numbers = range(self.end, self.end + len(events))
        return list(compress(numbers, map(self._shows, events)))

    def append(self, events: Sequence[Event], shown: Sequence[int]) -> None:
        """Takes in events that are unknown, oldest first, with what ``shown`` told of them."""
        self._kept.append(events)
        self._types.update([event.type for event in events])
        self._rows.extend(shown)

    def choose(self, choice: Choice) -> None:
        """Shows other events, of those that are kept as of those to come."""
        self.choice = choice
        self._shows = choice.predicate()
        first = max(self._left, self._cleared)
        verdicts = self._kept.verdicts(first - self._left, choice.shows_kind, choice.shows_person)
        self._rows = array("q", compress(range(first, self.end), verdicts))

    def clear(self) -> None:
        """Shows only what comes from now on."""
        self._cleared = self.end
        del self._rows[:]

    def bring_back(self) -> None:
        """Shows again what was cleared away."""
        self._cleared = 0
        self.choose(self.choice)

    def begin_anew(self) -> None:
        """From now on ids mean other events than before."""
        self._ids = Ids()
