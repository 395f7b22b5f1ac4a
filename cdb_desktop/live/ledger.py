"""Accounts for every id between the first and the last that a feed has met (§4.2). No I/O, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.live.looks import SETTLED, Look, Looks
from cdb_desktop.live.runs import Kind, Runs

LARGEST_ID = 2**62  # larger ones are not accounted for: no service counts that far
_WINDOW = 500  # ids behind the last one that are polled again at most, so that an answer has room for more
_GONE = frozenset({Kind.DELETED})
_OPEN = frozenset({Kind.OPEN})
_UNSURE = frozenset({Kind.OPEN, Kind.UNTOLD, Kind.DELETED})
_NEAR = 1000  # ids between two stretches for which it is not worth while to part them
_BETTER_KNOWN = frozenset(Kind) - {Kind.SEEN}


class Balance(msgspec.Struct, frozen=True):
    """How many ids are of which kind; polls had not brought the ``recovered`` ones of those ``seen``."""

    first: int = 0
    last: int = -1
    seen: int = 0
    unpollable: int = 0
    hidden: int = 0
    deleted: int = 0
    open: int = 0
    checking: int = 0  # of the open ones: nobody has looked for them yet
    recovered: int = 0

    @property
    def unexplained(self) -> int:
        """How many are open though they were looked for: the list could not be read for them."""
        return self.open - self.checking

    @property
    def total(self) -> int:
        """All ids of the account; the kinds add up to it."""
        return self.last - self.first + 1


class Ledger:
    """Every id is seen, not pollable, hidden, deleted, or unexplained; the first one that came begins it.

    Moments are seconds of any clock that does not go back.
    """

    def __init__(self, settled: float = SETTLED) -> None:
        self._settled = settled
        self.generation = 0
        self.begin(-1)

    def begin(self, after: int) -> None:
        """Accounts for what comes above ``after``; whatever was before belongs to another log."""
        self.generation += 1
        self._runs = Runs(after + 1)
        self._looks = Looks(self._settled)
        self._recovered = 0

    def settle_after(self, seconds: float) -> None:
        """Ids that are passed from now on count as settled after so long."""
        self._settled = seconds
        self._looks.settle_after(seconds)

    @property
    def last(self) -> int:
        """The highest id of the account."""
        return self._runs.end - 1

    @property
    def size(self) -> int:
        """How many runs the account takes."""
        return len(self._runs)

    @property
    def balance(self) -> Balance:
        """The account as it stands."""
        count = self._runs.count
        return Balance(
            self._runs.first,
            self.last,
            count(Kind.SEEN),
            count(Kind.UNPOLLABLE),
            count(Kind.HIDDEN),
            count(Kind.DELETED),
            count(Kind.OPEN) + count(Kind.UNTOLD),
            count(Kind.OPEN),
            self._recovered,
        )

    def kind(self, number: int) -> Kind | None:
        """What became of an id, None outside the account."""
        return self._runs.kind(number)

    def ranges(self, *kinds: Kind) -> Iterator[tuple[int, int]]:
        """The first and last ids of the runs of these kinds, ascending."""
        return self._runs.ranges(frozenset(kinds))

    def saw(self, ids: Iterable[int], moment: float) -> None:
        """Events have come, in whatever order."""
        runs, seen = self._runs, Kind.SEEN
        for one in sorted(ids):
            if one > LARGEST_ID:
                return
            if one >= runs.end:
                self.reach(one - 1, moment)
                runs.extend(one, seen)
            elif runs.kind(one) in _BETTER_KNOWN:
                runs.paint(one, seen)

    def unseen(self, events: Iterable[Event]) -> tuple[Event, ...]:
        """Those that have not come before, as far as the account reaches."""
        end, kind, seen = self._runs.end, self._runs.kind, Kind.SEEN
        return tuple(event for event in events if event.id >= end or kind(event.id) is not seen)

    def recovered(self, ids: Iterable[int], moment: float) -> None:
        """The list had events that no poll has brought."""
        found = list(ids)
        self._recovered += len(found)
        self.saw(found, moment)

    def reach(self, last: int, moment: float) -> None:
        """The ids up to ``last`` are passed without an event: to be explained."""
        if last >= self._runs.end:
            self._looks.passed(self._runs.end, last, moment)
            self._runs.extend(last, Kind.OPEN)

    def overlap(self, cursor: int) -> int:
        """From where to poll: the cursor, or below it where ids were passed that may come late."""
        lowest = self._looks.lowest_young
        return cursor if lowest is None else min(cursor, max(lowest - 1, cursor - _WINDOW))

    def take_look(self, moment: float) -> Look | None:
        """The ids that are to be looked for in the list now."""
        return self._looks.take(moment)

    def whole(self) -> Look | None:
        """A look for all that is not certain, None where everything is."""
        places = list(self._runs.ranges(_UNSURE))
        return Look(0.0, places[0][0], places[-1][1]) if places else None

    def stretches(self, look: Look) -> list[tuple[int, int]]:
        """The first and last ids of what is not certain in a look, from the top; neighbours are together."""
        found: list[tuple[int, int]] = []
        for low, high in self._runs.ranges(_UNSURE, look.first, look.last):
            first, last = max(low, look.first), min(high, look.last)
            is_near = found and first - found[-1][1] <= _NEAR
            found.append((found.pop()[0] if is_near else first, last))
        return found[::-1]

    def put_off(self, look: Look, moment: float) -> None:
        """The list could not be read: later."""
        self.give_up(look)
        self.wait(look, moment)

    def wait(self, look: Look, moment: float) -> None:
        """The service could not be reached: later, and until then nothing is known."""
        self._looks.failed(look, moment)

    def give_up(self, look: Look) -> None:
        """Nobody can tell what became of the ids of a look that are open."""
        self._runs.repaint(look.first, look.last, {}, Kind.UNTOLD, _OPEN)

    def go_on(self, rest: Look, moment: float) -> None:
        """A look has not come to its end: the ``rest`` of it is next."""
        self._looks.go_on(rest, moment)

    def hurry(self, moment: float) -> None:
        """The service is back: what it could not be asked is asked now."""
        self._looks.hurry(moment)

    def settle(self, look: Look, found: Mapping[int, Kind], moment: float) -> None:
        """The list was read: what it has not is deleted, or was never written."""
        self._runs.repaint(look.first, look.last, found, Kind.DELETED, _UNSURE)
        if any(True for _ in self._runs.ranges(_GONE, look.first, look.last)):
            self._looks.missed(look, moment)
