"""When ids that polls have skipped are looked up in the list: at once and five minutes later."""

from __future__ import annotations

from collections import deque
from functools import reduce
from heapq import heapify, heappop, heappush
from math import ceil
from typing import NamedTuple

from cdb_desktop.client.backoff import retry_pause

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
