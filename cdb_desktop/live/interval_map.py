"""A map from consecutive numbers to states that stores runs of equal states."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum


class IdState(IntEnum):
    """What became of an id (§4.2)."""

    UNCHECKED = 0  # skipped by polls, not looked up in the list yet
    RECEIVED = 1
    UNPOLLABLE = 2  # rule 3: stored with pollable=false
    HIDDEN = 3  # rule 1 or 2: of another session or user
    DELETED = 4  # not in the log: deleted, or never written
    UNKNOWN = 5  # looked up, but the list could not be read


Interval = tuple[int, int, IdState]  # first, last, state
_STATES = tuple(IdState)


class IntervalMap:
    """The states of the ids from ``first`` to ``end - 1``; each run of equal states takes nine bytes."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.end = first
        self._starts = array("q")
        self._states = bytearray()
        self._counts = [0] * len(_STATES)

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._states)

    def count(self, state: IdState) -> int:
        """How many ids are in a state."""
        return self._counts[state]

    def state(self, number: int) -> IdState | None:
        """The state of an id, None outside the map."""
        if not self.first <= number < self.end:
            return None
        return _STATES[self._states[self._index_of(number)]]

    def extend(self, last: int, state: IdState) -> None:
        """Extends the map up to ``last`` with one state."""
        if last < self.end:
            return
        if not self._states or self._states[-1] != state:
            self._starts.append(self.end)
            self._states.append(state)
        self._counts[state] += last + 1 - self.end
        self.end = last + 1

    def set(self, number: int, state: IdState) -> None:
        """Changes the state of one id."""
        self.replace(number, number, {number: state}, state, frozenset(_STATES))

    def replace(
        self,
        first: int,
        last: int,
        found: Mapping[int, IdState],
        other: IdState,
        replaced: frozenset[IdState],
    ) -> None:
        """Changes the ids from first to last that are in one of the ``replaced`` states.

        They get their state in ``found``, or ``other`` if they are not in it.
        """
        first, last = max(first, self.first), min(last, self.end - 1)
        if first > last:
            return
        begin, end = self._index_of(first), self._index_of(last)
        runs, numbers = _RunBuilder(), sorted(found)
        for index in range(begin, end + 1):
            start, stop, state = self._run(index)
            low, high = max(start, first), min(stop, last)
            runs.add(start, low - 1, state)
            if state in replaced:
                here = numbers[bisect_left(numbers, low) : bisect_right(numbers, high)]
                runs.add_with_exceptions(low, high, other, [(one, found[one]) for one in here])
            else:
                runs.add(low, high, state)
            runs.add(high + 1, stop, state)
        self._store(begin, end, runs.runs)

    def ranges(
        self, states: frozenset[IdState], first: int | None = None, last: int | None = None
    ) -> Iterator[tuple[int, int]]:
        """The first and last ids of the runs in ``states``, ascending, that overlap ``first`` to ``last``."""
        index = 0 if first is None else max(0, self._index_of(first))
        while index < len(self._states) and (last is None or self._starts[index] <= last):
            if self._states[index] in states:
                yield self._run(index)[:2]
            index += 1

    def _index_of(self, number: int) -> int:
        return bisect_right(self._starts, number) - 1

    def _run(self, index: int) -> Interval:
        stop = self._starts[index + 1] if index + 1 < len(self._starts) else self.end
        return self._starts[index], stop - 1, _STATES[self._states[index]]

    def _store(self, begin: int, end: int, runs: list[Interval]) -> None:
        """Replaces the runs at the indices from ``begin`` to ``end``."""
        for index in range(begin, end + 1):
            start, stop, state = self._run(index)
            self._counts[state] -= stop - start + 1
        for start, stop, state in runs:
            self._counts[state] += stop - start + 1
        # Merge with equal neighbours.
        if begin and self._states[begin - 1] == runs[0][2]:
            begin -= 1
            runs[0] = (self._starts[begin], *runs[0][1:])
        if end + 1 < len(self._states) and self._states[end + 1] == runs[-1][2]:
            end += 1
        self._starts[begin : end + 1] = array("q", [run[0] for run in runs])
        self._states[begin : end + 1] = bytes(run[2] for run in runs)


class _RunBuilder:
    """Appends runs and merges equal neighbours."""

    def __init__(self) -> None:
        self.runs: list[Interval] = []

    def add(self, first: int, last: int, state: IdState) -> None:
        if first > last:
            return
        if self.runs and self.runs[-1][2] == state:
            first = self.runs.pop()[0]
        self.runs.append((first, last, state))

    def add_with_exceptions(
        self, first: int, last: int, state: IdState, exceptions: Sequence[tuple[int, IdState]]
    ) -> None:
        """``state`` from first to last except for single ids, ascending."""
        for number, other in exceptions:
            self.add(first, number - 1, state)
            self.add(number, number, other)
            first = number + 1
        self.add(first, last, state)
