"""When to ask again for what lies below a place where the cursor jumped far ahead. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cdb_desktop.live.reach import Jump

_SOONEST, _LATEST = 1.0, 60.0  # seconds from one sounding to the next
_MOST = 16  # jumps; a service that goes on like this counts in steps


class Foot(NamedTuple):
    """What has come below a jump ends at ``after``; what was beyond it begins at ``before``."""

    after: int
    before: int
    due: float
    pause: float


class Soundings:
    """Ids that go on below a jump show that what was beyond it was wrong; they must not be lost.

    Moments are seconds of any clock that does not go back.
    """

    def __init__(self) -> None:
        self._feet: list[Foot] = []

    def jumped(self, jumps: Iterable[Jump], moment: float) -> None:
        """The cursor has jumped."""
        self._feet += [Foot(*jump, moment + _SOONEST, _SOONEST) for jump in jumps]
        del self._feet[:-_MOST]

    def take(self, moment: float, lowest: int) -> Foot | None:
        """Where to ask now, for nothing below ``lowest``; ``found`` or ``missed`` gives it back."""
        self._feet = [foot for foot in self._feet if foot.before > lowest + 1]
        due = next((foot for foot in self._feet if foot.due <= moment), None)
        if due is not None:
            self._feet.remove(due)
        return due

    def foot_of(self, lowest: int) -> int | None:
        """Up to where events have come below a jump over ``lowest``; None where there was none."""
        return next((foot.after for foot in self._feet if foot.after <= lowest < foot.before), None)

    def found(self, foot: Foot, last: int, moment: float) -> None:
        """Events have come up to ``last``: there may be more soon."""
        self._feet.append(foot._replace(after=last, due=moment + _SOONEST, pause=_SOONEST))

    def missed(self, foot: Foot, moment: float) -> None:
        """There was nothing: the next time is later."""
        pause = min(_LATEST, 2 * foot.pause)
        self._feet.append(foot._replace(due=moment + pause, pause=pause))

    def begin_anew(self) -> None:
        """From now on ids mean other events than before."""
        self._feet.clear()
