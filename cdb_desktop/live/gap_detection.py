"""Accounts for every id between the first and the last that a feed has met (§4.2).

`IdLedger` has the state of each id, in runs of equal states, and schedules when skipped ids are looked up in
the list: at once and five minutes later.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import reduce
from heapq import heapify, heappop, heappush
from math import ceil
from typing import NamedTuple

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.client.backoff import retry_pause


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


SETTLE_TIME = 10.0  # seconds after which a skipped id is looked up
_RECHECK_AFTER = 300.0  # seconds after which missing ids are looked up once more
_RECHECK_STEP = 60.0  # rechecks due within so many seconds are done together
_CHECK_STEP = 1.0  # the same for first checks
_RETRY = 5.0  # seconds after a check that failed, doubled with each further failure
_LONGEST_RETRY = 480.0


class ListCheck(NamedTuple):
    """The ids from ``first`` to ``last`` are to be looked up at the moment ``due``.

    ``times`` is how often they have been looked up, ``failures`` how often reading failed since then.
    """

    due: float
    first: int
    last: int
    times: int = 0
    failures: int = 0


class CheckSchedule:
    """The scheduled checks. A transaction may take an id early and commit late, hence the second check.

    Moments are seconds of a monotonic clock.
    """

    def __init__(self, settle_time: float = SETTLE_TIME) -> None:
        self.settle_time = settle_time  # seconds; for ids that are skipped from now on
        self._first_checks: deque[ListCheck] = deque()  # ordered by moment and by id
        self._later: list[ListCheck] = []  # a heap

    def __len__(self) -> int:
        return len(self._first_checks) + len(self._later)

    @property
    def lowest_unsettled(self) -> int | None:
        """The lowest skipped id that may still be written."""
        return self._first_checks[0].first if self._first_checks else None

    def add(self, first: int, last: int, moment: float) -> None:
        """Schedules the first check of ids above all before, which were skipped at ``moment``."""
        due = moment + self.settle_time
        if self._first_checks and due - self._first_checks[-1].due < _CHECK_STEP:
            self._first_checks[-1] = self._first_checks[-1]._replace(last=last)
        else:
            self._first_checks.append(ListCheck(due, first, last))

    def recheck(self, check: ListCheck, moment: float) -> None:
        """Schedules the second check after a first one that has missed ids."""
        if check.times == 0:
            due = ceil((moment + _RECHECK_AFTER) / _RECHECK_STEP) * _RECHECK_STEP
            heappush(self._later, ListCheck(due, check.first, check.last, 1))

    def retry(self, check: ListCheck, moment: float) -> None:
        """Schedules a check again whose list could not be read."""
        due = moment + retry_pause(check.failures + 1, _RETRY, _LONGEST_RETRY)
        heappush(self._later, check._replace(due=due, failures=check.failures + 1))

    def add_rest(self, rest: ListCheck, moment: float) -> None:
        """Schedules the ``rest`` of an unfinished check next."""
        heappush(self._later, rest._replace(due=moment, failures=0))

    def retry_now(self, moment: float) -> None:
        """Makes first checks due that wait after a failure."""
        self._later = [one if one.times else one._replace(due=min(one.due, moment)) for one in self._later]
        heapify(self._later)

    def take_due(self, moment: float) -> ListCheck | None:
        """Removes all checks that are due and returns them as one."""
        due: list[ListCheck] = []
        while self._first_checks and self._first_checks[0].due <= moment:
            due.append(self._first_checks.popleft())
        while self._later and self._later[0].due <= moment:
            due.append(heappop(self._later))
        return reduce(_merge, due) if due else None


def _merge(one: ListCheck, other: ListCheck) -> ListCheck:
    first, last = min(one.first, other.first), max(one.last, other.last)
    failures = max(one.failures, other.failures)
    return ListCheck(one.due, first, last, min(one.times, other.times), failures)


LARGEST_ID = 2**62  # larger ones are not accounted for: no service counts that far
_OVERLAP = 500  # limit of ids below the cursor that are polled again, so that an answer can contain new ones
_NEAR = 1000  # ids between two ranges that are not worth reading separately
_DELETED = frozenset({IdState.DELETED})
_UNCHECKED = frozenset({IdState.UNCHECKED})
_UNCERTAIN = frozenset({IdState.UNCHECKED, IdState.UNKNOWN, IdState.DELETED})
_NOT_RECEIVED = frozenset(IdState) - {IdState.RECEIVED}


class IdCounts(msgspec.Struct, frozen=True):
    """How many ids are in which state; ``recovered`` of the received ones were read from the list."""

    first: int = 0
    last: int = -1
    received: int = 0
    unpollable: int = 0
    hidden: int = 0
    deleted: int = 0
    open: int = 0  # unchecked or unknown
    checking: int = 0  # of the open ones: not looked up yet
    recovered: int = 0

    @property
    def unexplained(self) -> int:
        """The open ids that were looked up in a list that could not be read."""
        return self.open - self.checking

    @property
    def total(self) -> int:
        """The number of all ids; the states add up to it."""
        return self.last - self.first + 1


class IdLedger:
    """The state of every id; ``schedule`` has the ids that are to be looked up in the list.

    Moments are seconds of a monotonic clock.
    """

    def __init__(self, settle_time: float = SETTLE_TIME) -> None:
        self._settle_time = settle_time
        self.epoch = 0  # differs after each `reset`
        self.reset(-1)

    def reset(self, after: int) -> None:
        """Forgets everything, which belongs to another log, and begins above ``after``."""
        self.epoch += 1
        self._states = IntervalMap(after + 1)
        self.schedule = CheckSchedule(self._settle_time)
        self._recovered = 0

    def set_settle_time(self, seconds: float) -> None:
        """Sets after how long ids are looked up that are skipped from now on."""
        self._settle_time = self.schedule.settle_time = seconds

    @property
    def last(self) -> int:
        """The highest id of the account."""
        return self._states.end - 1

    @property
    def size(self) -> int:
        """The number of runs of equal states in memory."""
        return len(self._states)

    @property
    def counts(self) -> IdCounts:
        """The ids by state."""
        count = self._states.count
        return IdCounts(
            self._states.first,
            self.last,
            count(IdState.RECEIVED),
            count(IdState.UNPOLLABLE),
            count(IdState.HIDDEN),
            count(IdState.DELETED),
            count(IdState.UNCHECKED) + count(IdState.UNKNOWN),
            count(IdState.UNCHECKED),
            self._recovered,
        )

    def state(self, number: int) -> IdState | None:
        """What became of an id, None outside the account."""
        return self._states.state(number)

    def ranges(self, *states: IdState) -> Iterator[tuple[int, int]]:
        """The first and last ids of each run in these states, ascending."""
        return self._states.ranges(frozenset(states))

    def unreceived(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """The events that are not in the account as received."""
        end, state, received = self._states.end, self._states.state, IdState.RECEIVED
        return tuple(event for event in events if event.id >= end or state(event.id) is not received)

    def add_received(self, ids: Iterable[int], moment: float) -> None:
        """Adds received ids in any order; skipped ids are scheduled for a lookup."""
        states, received = self._states, IdState.RECEIVED
        for one in sorted(ids):
            if one > LARGEST_ID:
                return
            if one >= states.end:
                self.extend(one - 1, moment)
                states.extend(one, received)
            elif states.state(one) in _NOT_RECEIVED:
                states.set(one, received)

    def add_recovered(self, ids: Iterable[int], moment: float) -> None:
        """Enters ids of events that polls have not brought, but the list."""
        found = list(ids)
        self._recovered += len(found)
        self.add_received(found, moment)

    def extend(self, last: int, moment: float) -> None:
        """Enters the ids up to ``last`` as skipped: this is where a gap in the polled ids is noticed."""
        if last >= self._states.end:
            self.schedule.add(self._states.end, last, moment)
            self._states.extend(last, IdState.UNCHECKED)

    def poll_after(self, cursor: int) -> int:
        """The id after which to poll: the cursor, or one below it while skipped ids may come late."""
        lowest = self.schedule.lowest_unsettled
        return cursor if lowest is None else min(cursor, max(lowest - 1, cursor - _OVERLAP))

    def full_check(self) -> ListCheck | None:
        """A check of everything uncertain, None if there is nothing."""
        ranges = list(self._states.ranges(_UNCERTAIN))
        return ListCheck(0.0, ranges[0][0], ranges[-1][1]) if ranges else None

    def uncertain_ranges(self, check: ListCheck) -> list[tuple[int, int]]:
        """The first and last ids of the uncertain ranges of a check, descending; near ones are joined."""
        found: list[tuple[int, int]] = []
        for low, high in self._states.ranges(_UNCERTAIN, check.first, check.last):
            first, last = max(low, check.first), min(high, check.last)
            is_near = found and first - found[-1][1] <= _NEAR
            found.append((found.pop()[0] if is_near else first, last))
        return found[::-1]

    def add_result(self, check: ListCheck, found: Mapping[int, IdState], moment: float) -> None:
        """Enters what the list has; uncertain ids that it has not are deleted, or were never written."""
        self._states.replace(check.first, check.last, found, IdState.DELETED, _UNCERTAIN)
        if any(True for _ in self._states.ranges(_DELETED, check.first, check.last)):
            self.schedule.recheck(check, moment)

    def set_unknown(self, check: ListCheck) -> None:
        """Marks the unchecked ids of a check as unknown."""
        self._states.replace(check.first, check.last, {}, IdState.UNKNOWN, _UNCHECKED)

    def set_unread(self, check: ListCheck, moment: float) -> None:
        """Marks the ids of a check as unknown and schedules it again: the list could not be read."""
        self.set_unknown(check)
        self.schedule.retry(check, moment)


_FAR = 1000  # ids between one event and the next from which on the second one may be wrong
_ENOUGH = 10  # events above such a distance that are not
_MOST = 10_000  # ids that are remembered; a service that makes up new ones must not fill the memory


def advance_cursor(cursor: int, ids: Iterable[int]) -> int:
    """The cursor after an answer with ``ids`` in any order; it never moves back.

    The next poll brings ids above the new cursor again; as soon as there are enough, the cursor follows.
    """
    above = sorted({one for one in ids if cursor < one <= LARGEST_ID})
    for place, one in enumerate(above):
        if one - cursor > _FAR and len(above) - place < _ENOUGH:
            break
        cursor = one
    return cursor


class ImplausibleIds:
    """Remembers the events above the cursor, and enters them into the ledger when the cursor reaches them."""

    def __init__(self, ledger: IdLedger) -> None:
        self._ledger = ledger
        self._ids: set[int] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def new_events(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """The events that have not been received before."""
        return tuple(event for event in self._ledger.unreceived(events) if event.id not in self._ids)

    def add(self, ids: Iterable[int], cursor: int, moment: float) -> None:
        """Enters received ids up to ``cursor`` into the ledger and remembers the others."""
        self._ids.update(ids)
        reached = {one for one in self._ids if one <= cursor}
        self._ids -= reached
        self._ledger.add_received(reached, moment)
        if len(self._ids) > _MOST:
            self._ids.clear()

    def clear(self) -> None:
        """Forgets all ids, which belong to another log."""
        self._ids.clear()
