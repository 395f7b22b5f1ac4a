"""A kind for every number of a stretch, kept as runs of the same kind; knows nothing of events."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum


class Kind(IntEnum):
    """What became of an id (§4.2)."""

    OPEN = 0  # nobody has looked yet
    SEEN = 1  # it came
    UNPOLLABLE = 2  # rule 3: stored with pollable=false
    HIDDEN = 3  # rule 1 or 2: another session's, another user's
    DELETED = 4  # the log has no such event: deleted, or never written
    UNTOLD = 5  # it was looked for, and nobody could tell


Run = tuple[int, int, Kind]  # first, last, kind
_KINDS = tuple(Kind)


class Runs:
    """Numbers from ``first`` up to the last one, each with a kind; nine bytes a run, however long it is."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.end = first  # one more than the last
        self._starts = array("q")
        self._kinds = bytearray()
        self._counts = [0] * len(_KINDS)

    def __len__(self) -> int:
        """How many runs there are."""
        return len(self._kinds)

    def count(self, kind: Kind) -> int:
        """How many numbers are of a kind."""
        return self._counts[kind]

    def kind(self, number: int) -> Kind | None:
        """The kind of a number, None outside."""
        if not self.first <= number < self.end:
            return None
        return _KINDS[self._kinds[self._place(number)]]

    def extend(self, last: int, kind: Kind) -> None:
        """Goes on with one kind up to ``last``."""
        if last < self.end:
            return
        if not self._kinds or self._kinds[-1] != kind:
            self._starts.append(self.end)
            self._kinds.append(kind)
        self._counts[kind] += last + 1 - self.end
        self.end = last + 1

    def paint(self, number: int, kind: Kind) -> None:
        """Gives one number inside another kind."""
        self.repaint(number, number, {number: kind}, kind, frozenset(_KINDS))

    def repaint(
        self, first: int, last: int, found: Mapping[int, Kind], other: Kind, kinds: frozenset[Kind]
    ) -> None:
        """Gives the numbers of these ``kinds`` from first to last the kind ``found``, or ``other``."""
        first, last = max(first, self.first), min(last, self.end - 1)
        if first > last:
            return
        before, behind = self._place(first), self._place(last)
        painted, places = _Painted(), sorted(found)
        for place in range(before, behind + 1):
            start, stop, kind = self._run(place)
            low, high = max(start, first), min(stop, last)
            painted.add(start, low - 1, kind)
            if kind in kinds:
                here = places[bisect_left(places, low) : bisect_right(places, high)]
                painted.scatter(low, high, other, [(one, found[one]) for one in here])
            else:
                painted.add(low, high, kind)
            painted.add(high + 1, stop, kind)
        self._put(before, behind, painted.runs)

    def ranges(
        self, kinds: frozenset[Kind], first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """The first and last numbers of the runs of these kinds, ascending, that touch a stretch."""
        place = 0 if first is None else max(0, self._place(first))
        while place < len(self._kinds) and (last is None or self._starts[place] <= last):
            if self._kinds[place] in kinds:
                yield self._run(place)[:2]
            place += 1

    def _place(self, number: int) -> int:
        return bisect_right(self._starts, number) - 1

    def _run(self, place: int) -> Run:
        stop = self._starts[place + 1] if place + 1 < len(self._starts) else self.end
        return self._starts[place], stop - 1, _KINDS[self._kinds[place]]

    def _put(self, before: int, behind: int, painted: list[Run]) -> None:
        for place in range(before, behind + 1):
            start, stop, kind = self._run(place)
            self._counts[kind] -= stop - start + 1
        for start, stop, kind in painted:
            self._counts[kind] += stop - start + 1
        # Equal neighbours outside become one with what was painted.
        if before and self._kinds[before - 1] == painted[0][2]:
            before -= 1
            painted[0] = (self._starts[before], *painted[0][1:])
        if behind + 1 < len(self._kinds) and self._kinds[behind + 1] == painted[-1][2]:
            behind += 1
        self._starts[before : behind + 1] = array("q", [one[0] for one in painted])
        self._kinds[before : behind + 1] = bytes(one[2] for one in painted)


class _Painted:
    """Runs one after the other, equal neighbours joined."""

    def __init__(self) -> None:
        self.runs: list[Run] = []

    def add(self, first: int, last: int, kind: Kind) -> None:
        if first > last:
            return
        if self.runs and self.runs[-1][2] == kind:
            first = self.runs.pop()[0]
        self.runs.append((first, last, kind))

    def scatter(self, first: int, last: int, kind: Kind, others: Sequence[tuple[int, Kind]]) -> None:
        """One kind from first to last but for single numbers, ascending."""
        for number, other in others:
            self.add(first, number - 1, kind)
            self.add(number, number, other)
            first = number + 1
        self.add(first, last, kind)
