"""When to look for which ids in the list: soon after they were passed, and once more later. No clock."""

from __future__ import annotations

from collections import deque
from functools import reduce
from heapq import heapify, heappop, heappush
from math import ceil
from typing import NamedTuple

SETTLED = 10.0  # seconds after which an id that was passed counts as written, if it ever is
_AGAIN = 300.0  # seconds after which what was not there is looked for once more
_TOGETHER = 60.0  # seconds within which second looks are taken together
_BEAT = 1.0  # seconds within which first looks are taken together
_RETRY = 5.0  # seconds after a look that failed; twice as many each time that it fails again
_LONGEST = 480.0  # seconds between two tries at most


class Look(NamedTuple):
    """Ids from ``first`` to ``last`` are due at a moment; ``times`` is how often they were looked for.

    ``failures`` is how often the list could not be read for them since.
    """

    due: float
    first: int
    last: int
    times: int = 0
    failures: int = 0


class Looks:
    """Those to come, the next one first. A transaction may take an id early and commit late."""

    def __init__(self, settled: float = SETTLED) -> None:
        self._settled = settled
        self._young: deque[Look] = deque()  # first looks, by the moment and by the ids
        self._later: list[Look] = []  # a heap

    def __len__(self) -> int:
        return len(self._young) + len(self._later)

    @property
    def lowest_young(self) -> int | None:
        """The lowest id that was passed and is not settled yet."""
        return self._young[0].first if self._young else None

    def settle_after(self, seconds: float) -> None:
        """What is passed from now on is looked for after so long."""
        self._settled = seconds

    def passed(self, first: int, last: int, moment: float) -> None:
        """Ids above all before were passed over at ``moment``; about the same moment is one look."""
        due = moment + self._settled
        if self._young and due - self._young[-1].due < _BEAT:
            self._young[-1] = self._young[-1]._replace(last=last)
        else:
            self._young.append(Look(due, first, last))

    def missed(self, look: Look, moment: float) -> None:
        """Some ids were not there: a first look is followed by a second one, a second by none."""
        if look.times == 0:
            due = ceil((moment + _AGAIN) / _TOGETHER) * _TOGETHER
            heappush(self._later, Look(due, look.first, look.last, 1))

    def failed(self, look: Look, moment: float) -> None:
        """The list could not be read."""
        due = moment + min(_LONGEST, _RETRY * 2**look.failures)
        heappush(self._later, look._replace(due=due, failures=look.failures + 1))

    def go_on(self, rest: Look, moment: float) -> None:
        """A look has not come to its end: the ``rest`` is next."""
        heappush(self._later, rest._replace(due=moment, failures=0))

    def hurry(self, moment: float) -> None:
        """What could not be read may be readable now: no first look waits any longer."""
        self._later = [one if one.times else one._replace(due=min(one.due, moment)) for one in self._later]
        heapify(self._later)

    def take(self, moment: float) -> Look | None:
        """Everything that is due by now, as one look."""
        due: list[Look] = []
        while self._young and self._young[0].due <= moment:
            due.append(self._young.popleft())
        while self._later and self._later[0].due <= moment:
            due.append(heappop(self._later))
        return reduce(_both, due) if due else None


def _both(one: Look, other: Look) -> Look:
    first, last = min(one.first, other.first), max(one.last, other.last)
    failures = max(one.failures, other.failures)
    return Look(one.due, first, last, min(one.times, other.times), failures)
