"""The received events of a feed, newest last, and which of them are shown.

A feed is bounded twice: by the number of its events, which the user chooses, and by their bytes in memory.
"""

from __future__ import annotations

import math
import time
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from cdb_desktop.client import Event
from cdb_desktop.live.compact_events import EventStore
from cdb_desktop.live.feed_filter import FeedMatcher
from cdb_desktop.queries.query import Query

CAPACITY = 200_000  # events
LARGEST_SIZE = 128 * 2**20  # bytes: a million events of the usual size
_FREED_AT_ONCE = 16  # part of the bytes
_REMOVED_AT_ONCE = 2_000  # events
_BLOCK_BITS = 12  # of an id
_MOST_BLOCKS = 65_536  # some 40 MB: only a service that makes up ids has more


class Feed:
    """Each event has a number in the order of arrival; a row is an event that the filter shows.

    The oldest events are removed many at a time. Their ids are still known.
    """

    def __init__(
        self, capacity: int = CAPACITY, step: int = _REMOVED_AT_ONCE, largest_size: int = LARGEST_SIZE
    ) -> None:
        """Keeps at most ``capacity`` events that take ``largest_size`` bytes."""
        self.capacity = capacity
        self.largest_size = largest_size
        self.is_size_limited = False  # whether events had to be removed for their bytes
        self._step = step
        self._store = EventStore()
        self._removed = 0  # which is the number of the oldest event in the store
        self._rows = array("q")  # the numbers of the shown events, ascending
        self._cleared = 0  # events with lower numbers were cleared
        self._types: Counter[str] = Counter()
        self._ids = ReceivedIds()
        self._untested = array("q")  # the numbers of events before the first row that may be shown
        self.filter = Query()
        self._matcher = FeedMatcher(self.filter)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def __getitem__(self, row: int) -> Event:
        return self._store[self._rows[row] - self._removed]

    @property
    def end(self) -> int:
        """The number of the next event."""
        return self._removed + len(self._store)

    @property
    def size(self) -> int:
        """Bytes of memory that the events take."""
        return self._store.size

    @property
    def removed(self) -> int:
        """How many events were removed because the feed is bounded."""
        return self._removed

    @property
    def kept(self) -> int:
        """How many events the filter chooses from."""
        return self.end - max(self._removed, self._cleared)

    @property
    def cleared(self) -> int:
        """How many events were cleared and can be restored."""
        return max(0, self._cleared - self._removed)

    @property
    def types(self) -> Mapping[str, int]:
        """The number of events by type."""
        return self._types

    def copy(self, chosen: Query) -> Feed:
        """Another feed with the same events and another filter."""
        other = Feed(self.capacity, self._step, self.largest_size)
        other._store, other._removed, other._cleared = self._store.copy(), self._removed, self._cleared
        other._types, other._ids = self._types.copy(), self._ids.copy()
        other.set_filter(chosen)
        return other

    def number(self, row: int) -> int:
        """The number of the event in a row."""
        return self._rows[row]

    def row_from(self, number: int) -> int:
        """The first row whose event has this number or a higher one."""
        return bisect_left(self._rows, number)

    def take_unknown(self, events: Iterable[Event]) -> list[Event]:
        """The events whose ids were not known; now they are."""
        add = self._ids.add
        return [event for event in events if add(event.id)]

    def surplus(self, arriving: int) -> int:
        """How many of the oldest events have to be removed before ``arriving`` more are appended.

        Only events in the feed count by their bytes, so this is called after appending as well.
        """
        excess = len(self._store) + arriving - self.capacity
        surplus = 0 if excess <= 0 else max(excess, self._step)
        if self._store.size > self.largest_size:
            self.is_size_limited = True
            freed = self._store.size - self.largest_size + self.largest_size // _FREED_AT_ONCE
            surplus = max(surplus, self._store.oldest_of(freed))
        return min(len(self._store), surplus)

    def oldest(self, number: int) -> list[Event]:
        """The ``number`` oldest events, cleared or not."""
        return [self._store[place] for place in range(number)]

    def remove_oldest(self, number: int) -> None:
        """Removes the ``number`` oldest events."""
        self._types -= Counter(self._store.types(number))
        self._store.remove_oldest(number)
        self._removed += number
        del self._rows[: self.row_from(self._removed)]
        del self._untested[: bisect_left(self._untested, self._removed)]

    def shown(self, events: Sequence[Event], seconds: float = math.inf) -> list[bool]:
        """Whether each of the events will be shown, for as many as can be tested within ``seconds``.

        At least one is tested. Conditions that take no time are tested for all.
        """
        matches = self._matcher.matches
        if not self.is_slow:
            return list(map(matches, events))
        found, end = [], time.perf_counter() + seconds
        for event in events:
            found.append(matches(event))
            if time.perf_counter() > end:
                break
        return found

    def append(self, events: Sequence[Event], shown: Sequence[bool]) -> None:
        """Appends events that were unknown, oldest first, and what `shown` returned for them."""
        self._rows.extend(compress(range(self.end, self.end + len(events)), shown))
        self._store.append(events)
        self._types.update([event.type for event in events])

    @property
    def is_slow(self) -> bool:
        """Whether the filter has conditions that have to be tested for each event."""
        return self._matcher.rest is not None

    @property
    def untested(self) -> int:
        """How many of the oldest events `earlier_rows` still has to test."""
        return len(self._untested)

    def set_filter(self, chosen: Query) -> None:
        """Filters the events in the feed and later ones.

        Conditions that take long are tested by `earlier_rows`; until then there are no rows for these events.
        """
        self.filter = chosen
        self._matcher = FeedMatcher(chosen)
        first = max(self._removed, self._cleared)
        shown = self._store.matches(
            first - self._removed, self._matcher.matches_type, self._matcher.matches_user
        )
        numbers = array("q", compress(range(first, self.end), shown))
        self._rows, self._untested = (array("q"), numbers) if self.is_slow else (numbers, array("q"))

    def earlier_rows(self, seconds: float) -> array[int]:
        """Tests events for so long, the newest first; returns what `prepend` then shows."""
        found, matches, end = array("q"), self._matcher.rest, time.perf_counter() + seconds
        while self._untested and matches is not None and time.perf_counter() < end:
            number = self._untested.pop()
            if matches(self._store[number - self._removed]):
                found.append(number)
        found.reverse()
        return found

    def prepend(self, numbers: array[int]) -> None:
        """Shows events before the first row."""
        self._rows = numbers + self._rows

    def clear(self) -> None:
        """Shows only events received from now on."""
        self._cleared = self.end
        del self._rows[:]
        del self._untested[:]

    def restore_cleared(self) -> None:
        """Shows again what was cleared."""
        self._cleared = 0
        self.set_filter(self.filter)

    def forget_ids(self) -> None:
        """Forgets the known ids, which mean other events in another log."""
        self._ids = ReceivedIds()


class ReceivedIds:
    """A set of ids that takes a bit for each id in its range; of too many blocks the oldest is removed."""

    def __init__(self) -> None:
        self._blocks: dict[int, bytearray] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, one: int) -> bool:
        block = self._blocks.get(one >> _BLOCK_BITS)
        return block is not None and bool(block[(one & 4095) >> 3] & (1 << (one & 7)))

    def copy(self) -> ReceivedIds:
        """Another set with the same ids."""
        other = ReceivedIds()
        other._blocks = {number: block[:] for number, block in self._blocks.items()}
        other._count = self._count
        return other

    def add(self, one: int) -> bool:
        """Adds an id; whether it is new."""
        block = self._blocks.get(one >> _BLOCK_BITS)
        if block is None:
            if len(self._blocks) >= _MOST_BLOCKS:
                del self._blocks[next(iter(self._blocks))]
            block = self._blocks[one >> _BLOCK_BITS] = bytearray(512)
        byte, bit = (one & 4095) >> 3, 1 << (one & 7)
        if block[byte] & bit:
            return False
        block[byte] |= bit
        self._count += 1
        return True
