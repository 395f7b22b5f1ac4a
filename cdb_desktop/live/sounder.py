"""Asks for what lies below the places where the cursor jumped far ahead. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cdb_desktop.client import ApiError, Client, Event, SlowAnswerError
from cdb_desktop.live.ahead import Ahead
from cdb_desktop.live.batch import Batch
from cdb_desktop.live.reach import Jump
from cdb_desktop.live.reports import Arrived
from cdb_desktop.live.soundings import Foot, Soundings


class Sounder:
    """Where ids go on below a jump, they would come no other way; what is found is told as Arrived."""

    def __init__(
        self, client: Client, ahead: Ahead, tell: Callable[[Arrived], None], clock: Callable[[], float]
    ) -> None:
        self._client = client
        self._ahead = ahead
        self._tell = tell
        self._clock = clock
        self._soundings = Soundings()

    def jumped(self, jumps: Iterable[Jump]) -> None:
        """The cursor has jumped."""
        self._soundings.jumped(jumps, self._clock())

    def foot_of(self, lowest: int) -> int | None:
        """Up to where events have come below a jump over ``lowest``; None where there was none."""
        return self._soundings.foot_of(lowest)

    def begin_anew(self) -> None:
        """From now on ids mean other events than before."""
        self._soundings.begin_anew()

    async def turn(self, cursor: int, lowest: int) -> None:
        """Asks at one place, if one is due; no poll may begin below ``lowest``.

        Raises UnreachableError, SessionLostError.
        """
        foot = self._soundings.take(self._clock(), lowest)
        if foot is None:
            return
        found: tuple[Event, ...] = ()
        after = max(lowest, foot.after)
        try:
            # One event tells whether there are any below the jump: those beyond it are many, and known.
            if await self._below(foot, after, limit=1):
                found = await self._below(foot, after, limit=0)
        except (ApiError, SlowAnswerError):
            pass  # the next sounding may be luckier
        finally:
            if not found:
                self._soundings.missed(foot, self._clock())
        if found:
            self._take(foot, found, cursor)

    async def _below(self, foot: Foot, after: int, limit: int) -> tuple[Event, ...]:
        polled = await self._client.poll(after, limit=limit)
        return tuple(event for event in polled.events if event.id < foot.before)

    def _take(self, foot: Foot, found: tuple[Event, ...], cursor: int) -> None:
        fresh, moment = self._ahead.unseen(found), self._clock()
        self._ahead.saw((event.id for event in found), cursor, moment)
        self._soundings.found(foot, max(event.id for event in found), moment)
        self._tell(Arrived(Batch(foot.after, fresh)))
