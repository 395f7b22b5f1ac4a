"""Accounts for every id between the first and the last that a feed has met (§4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.check_schedule import SETTLE_TIME, CheckSchedule, ListCheck
from cdb_desktop.live.interval_map import IdState, IntervalMap

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
    """The state of every id, and which ids are to be looked up in the list.

    Moments are seconds of a monotonic clock.
    """

    def __init__(self, settle_time: float = SETTLE_TIME) -> None:
        self._settle_time = settle_time
        self.generation = 0  # differs after each `reset`
        self.reset(-1)

    def reset(self, after: int) -> None:
        """Forgets everything, which belongs to another log, and begins above ``after``."""
        self.generation += 1
        self._states = IntervalMap(after + 1)
        self._schedule = CheckSchedule(self._settle_time)
        self._recovered = 0

    def set_settle_time(self, seconds: float) -> None:
        """Sets after how long ids are looked up that are skipped from now on."""
        self._settle_time = self._schedule.settle_time = seconds

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
            self._schedule.add(self._states.end, last, moment)
            self._states.extend(last, IdState.UNCHECKED)

    def poll_after(self, cursor: int) -> int:
        """The id after which to poll: the cursor, or one below it while skipped ids may come late."""
        lowest = self._schedule.lowest_unsettled
        return cursor if lowest is None else min(cursor, max(lowest - 1, cursor - _OVERLAP))

    def take_due_check(self, moment: float) -> ListCheck | None:
        """The ids that are to be looked up now."""
        return self._schedule.take_due(moment)

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
            self._schedule.recheck(check, moment)

    def add_rest(self, rest: ListCheck, moment: float) -> None:
        """Schedules the ``rest`` of an unfinished check next."""
        self._schedule.add_rest(rest, moment)

    def set_unknown(self, check: ListCheck) -> None:
        """Marks the unchecked ids of a check as unknown."""
        self._states.replace(check.first, check.last, {}, IdState.UNKNOWN, _UNCHECKED)

    def retry(self, check: ListCheck, moment: float) -> None:
        """Schedules a check again because the service did not answer."""
        self._schedule.retry(check, moment)

    def set_unread(self, check: ListCheck, moment: float) -> None:
        """Marks the ids of a check as unknown and schedules it again: the list could not be read."""
        self.set_unknown(check)
        self.retry(check, moment)

    def retry_now(self, moment: float) -> None:
        """Makes checks due that wait after a failure: the service answers again."""
        self._schedule.retry_now(moment)
