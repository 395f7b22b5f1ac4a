"""Follows the log of a service by polling (§4.2), through failures, restarts and new sessions.

Where the service has a stream of events, that brings them, and polls are less frequent: one after each time
that the stream is opened, for the events before it, and others as a check.

`GapCheck` looks up in the list what polls have skipped. What happens is reported as frozen values.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from math import inf
from types import TracebackType
from typing import Literal, Self

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import (
    AnswerError,
    ApiError,
    Client,
    ClientError,
    Event,
    Session,
    SessionLostError,
    SlowAnswerError,
    UnreachableError,
    Unreadable,
)
from cdb_desktop.client.backoff import retry_pause
from cdb_desktop.client.errors import TEMPORARY
from cdb_desktop.live.event_lookup import (
    LIST_RIGHT,
    FoundEvents,
    Progress,
    find_events,
    is_polled_by,
    read_newest,
)
from cdb_desktop.live.feed_status import StreamState
from cdb_desktop.live.gap_detection import (
    SETTLE_TIME,
    IdLedger,
    IdState,
    ImplausibleIds,
    ListCheck,
    advance_cursor,
)
from cdb_desktop.live.stream_source import StreamSource
from cdb_desktop.vocabulary.event_json import records_json

_FIRST_EVENTS = 200  # of the list, with which the feed begins
_GAP_PAGES = 200  # of the list that are read where polls cannot go
_IDLE = 15.0  # seconds without an event after which the session is read
_POLLS_TO_SETTLE = 3  # that have to be made before a skipped id is looked up
_NOTICEABLE = 0.5  # seconds of a wait that are reported
_CLOCK_JUMP = 5.0  # seconds by which the time of day may run ahead of the clock, which stops during sleep
_LATE = 2.0  # seconds after which an answer counts as held or late
_PROBE_TIMEOUT = 5.0
_CHECK_INTERVAL = 15.0  # seconds between polls while a stream is open
_MOST_UNREADABLE = 1_000  # different unreadable records that are recognized
_UNREADABLE_SHOWN = 50
_LONGEST_UNREADABLE = 2_000  # characters


class LogFollower:
    """Polls once at a time and calls ``report`` with everything that happens.

    ``ledger`` accounts for every id, ``gap_check`` looks up in the list what polls have skipped.
    """

    def __init__(
        self,
        client: Client,
        session: Session,
        report: Callable[[FollowerReport], None],
        clock: Callable[[], float] = time.monotonic,
        time_of_day: Callable[[], float] = time.time,
    ) -> None:
        """``clock`` is monotonic; both clocks return seconds."""
        self._client = client
        self._session = session
        self._report = report
        self._clock, self._time_of_day = clock, time_of_day
        newest = session.current_max_event_id or 0
        self._lowest = newest if client.capabilities.sessions else 0  # no poll may begin below (§4.2)
        self._reached = 0  # the cursor before the end of the log was found below it
        self._state, self._settings = PollState(newest), PollSettings()
        self.ledger = IdLedger(self._settle_time)
        self.gap_check = GapCheck(client, self.ledger, report, clock)
        self.implausible_ids = ImplausibleIds(self.ledger)
        self.unreadable = UnreadableRecords()
        self._probe = ServiceProbe(client, self._poll_held, self._service_silent)
        self._has_begun = False
        self._is_new_session = False
        self._has_slept = False
        self._error: ClientError | None = None  # of the last poll
        self._last_sign = clock()  # when the session was known to be there
        self._last_clocks = time_of_day(), clock()
        self._wake = asyncio.Event()
        self._is_woken = False  # to poll
        self.stream = StreamSource(client, self._stream_changed)
        self._stream_state: StreamState = "none"
        self._joined = 0  # the number of the stream before which a poll has brought everything
        self.due: float | None = None  # the moment of the next poll, None during one

    @property
    def last_id(self) -> int:
        """The cursor."""
        return self._state.last_id

    def try_now(self) -> None:
        """Polls without waiting any longer."""
        self._client.try_now()
        self.stream.retry_now()
        self._wake_up()

    def set_poll_settings(self, settings: PollSettings) -> None:
        """Changes how often to poll, at once."""
        self._settings = settings
        self.ledger.set_settle_time(self._settle_time)
        self._wake_up()

    def renew(self, session: Session) -> None:
        """Takes another session; `run` continues with it where the old one stopped."""
        self._session = session
        self._is_new_session = True
        self.stream.retry_now()

    async def run(self) -> None:
        """Polls until it is cancelled, the session is lost or polling is refused."""
        streaming: asyncio.Task[None] | None = None
        try:
            while (wait := await self.poll_once()) is not None:
                if streaming is None and self._client.capabilities.stream:
                    streaming = asyncio.create_task(self.stream.run(), name="live.stream")
                if wait and self._is_streaming:
                    wait = max(wait, _CHECK_INTERVAL)
                self.due = self._clock() + wait
                await self._sleep(wait)
                self.due = None
        finally:
            if streaming is not None:
                streaming.cancel()
                await asyncio.wait({streaming})

    async def poll_once(self) -> float | None:
        """Polls and returns the seconds until the next poll, None if the follower has to stop."""
        if self._error is not None and (pause := self._client.pause) > _NOTICEABLE:
            # Other calls have failed meanwhile, so that the connection waits longer.
            self._report(ServiceUnavailable(self._error, pause))
            return pause
        try:
            return await self._poll_or_recover()
        except SessionLostError as error:
            self._report(SessionEnded(error))
        except TEMPORARY as error:
            self._error = error
            self._state = self._state.after_failure()
            # The service may have requested a longer pause, and other calls may have failed before.
            wait = max(self._state.wait(), self._client.pause)
            self._report(ServiceUnavailable(error, wait))
            return wait
        except ClientError as error:
            self._report(PollRefused(error))
        return None

    async def _poll_or_recover(self) -> float:
        if self._state.failures:
            self._report(PollRetried())
        self._check_clocks()
        if self._state.failures or self._is_new_session or self._has_slept:
            await self._read_session()
        if not self._has_begun:
            await self._begin()
        started, stream = self._clock(), self.stream.number
        try:
            batch = await self._poll()
        except SlowAnswerError:
            # A service may hold a request longer than the client waits: then it answers other calls.
            await self._read_session()
            return 0.0
        except ApiError:
            # A cursor below the session's lowest is refused; a restart may have moved that (§4.2).
            if await self._read_session():
                return 0.0
            raise
        self._take(batch, self._clock() - started)
        if not batch.is_full:
            self._joined = stream
        if self._clock() - self._last_sign >= _IDLE:
            # After a sign-out elsewhere polls bring nothing and no error (§4.2), but the session shows it.
            await self._client.read_session()
            self._last_sign = self._clock()
        return self._state.wait(self._clock() - started)

    async def _begin(self) -> None:
        # Polls start at the session's newest event, so earlier events are read from the list.
        found = await read_newest(self._client, self._session, _FIRST_EVENTS)
        events = found.events
        self._has_begun = True
        last, moment = self._state.last_id, self._clock()
        self.ledger.reset(min((event.id - 1 for event in events), default=last))
        self.implausible_ids.add((event.id for event in events), last, moment)
        self.ledger.extend(last, moment)
        self._report(EventsReceived(EventBatch(last, events, "list")))
        self._take_unreadable(found.unreadable)

    async def _poll(self) -> EventBatch:
        after = self._state.last_id
        if self._state.interval:
            # Ids may become visible out of order: skipped ones are polled again until they are settled.
            after = max(self._lowest, self.ledger.poll_after(after))
        async with self._probe:
            polled = await self._client.poll(after, limit=0)
        return EventBatch(after, polled.events, unreadable=polled.unreadable)

    @property
    def _settle_time(self) -> float:
        # An id that becomes visible a little late has to be met by another poll.
        longest = _CHECK_INTERVAL if self._client.capabilities.stream else 0.0
        return max(SETTLE_TIME, _POLLS_TO_SETTLE * max(longest, self._settings.interval))

    def _take(self, batch: EventBatch, seconds: float) -> None:
        self._note_answer()
        last = self._state.last_id
        if any(last < event.id <= self._reached for event in batch.events):
            self._follow_another_log(last)
            batch = replace(batch, events=tuple(event for event in batch.events if event.id > last))
        moment, ids = self._clock(), [event.id for event in batch.events]
        cursor = advance_cursor(self._state.last_id, ids)
        if batch.source == "stream":
            self._state = self._state.at(max(cursor, self._state.last_id))
        else:
            self._state = self._state.after_answer(batch, cursor, self._settings)
        new = replace(batch, events=self.implausible_ids.new_events(batch.events))
        self.implausible_ids.add(ids, cursor, moment)
        if batch.events:
            self._last_sign = moment
        self._report(EventsReceived(new, None if seconds >= _LATE else seconds * 1000))
        self._take_unreadable(batch.unreadable)

    def _take_unreadable(self, found: Sequence[Unreadable]) -> None:
        number = self.unreadable.add(found)
        if number:
            self._report(UnreadableReceived(number))

    def _poll_held(self) -> None:
        self._note_answer()
        self._report(PollHeld())

    def _service_silent(self, error: ClientError) -> None:
        self._state = self._state.after_failure()
        self._report(ServiceSilent(error))

    def _note_answer(self) -> None:
        self._error = None
        if self._state.failures:
            self._state = PollState(self._state.last_id, interval=self._settings.interval)
            self.ledger.schedule.retry_now(self._clock())
            self.stream.retry_now()
            self._report(ServiceRestored())

    async def _read_session(self) -> bool:
        """Reads the session again to detect an answer. Returns whether the cursor has moved."""
        session = await self._client.read_session()
        self._last_sign = self._clock()
        lowest, cursor = session.current_max_event_id or 0, self._state.last_id
        has_sessions = self._client.capabilities.sessions
        if self._is_new_session and lowest < cursor:
            if has_sessions:
                # Signing in is itself an event.
                self._follow_another_log(lowest)
            else:
                await self._find_end(lowest)
        self._is_new_session = self._has_slept = False
        if has_sessions:
            self._lowest = lowest
            if lowest > self._state.last_id:
                after = self._state.last_id
                self.ledger.extend(lowest, self._clock())
                self.implausible_ids.add((), lowest, self._clock())
                found = await self.gap_check.check(ListCheck(0.0, after + 1, lowest), _GAP_PAGES)
                self._state = self._state.at(lowest)
                self._report(PollGap(after, lowest, found))
        return self._state.last_id != cursor

    async def _find_end(self, newest: int) -> None:
        """Sets the cursor back if the log ends below: its newest events are deleted, or it is another log.

        It is another one when ids from there to the old cursor are given again.
        """
        polled = await self._client.poll(newest, limit=0)
        batch, cursor = EventBatch(newest, polled.events, unreadable=polled.unreadable), self._state.last_id
        end = max((event.id for event in batch.events), default=newest)
        if end < cursor and not batch.is_full:
            self._state, self._reached = self._state.at(end), max(self._reached, cursor)

    def _follow_another_log(self, lowest: int) -> None:
        self._state, self._reached = self._state.at(lowest), 0
        self.ledger.reset(lowest)
        self.implausible_ids.clear()
        self._report(LogReplaced(lowest))

    def _check_clocks(self) -> None:
        time_of_day, clock = self._time_of_day(), self._clock()
        jumped = time_of_day - self._last_clocks[0] - (clock - self._last_clocks[1])
        self._last_clocks = time_of_day, clock
        if abs(jumped) >= _CLOCK_JUMP:
            # The session may have expired and connections be dead.
            self._has_slept = True
            self._report(ClockJumped(jumped))

    @property
    def _is_streaming(self) -> bool:
        """Whether the stream brings everything from the cursor on."""
        stream = self.stream
        return stream.state == "open" and stream.number == self._joined and not self._state.failures

    @property
    def _lacks_poll(self) -> bool:
        """Whether nobody has polled since the stream is open."""
        stream = self.stream
        return stream.state == "open" and stream.number != self._joined and not self._state.failures

    def _stream_changed(self) -> None:
        if self.stream.state != self._stream_state:
            self._stream_state = self.stream.state
            self._report(StreamChanged(self.stream.state, self.stream.refusal))
            self._is_woken = True
        self._wake.set()

    def _wake_up(self) -> None:
        self._is_woken = True
        self._wake.set()

    async def _sleep(self, seconds: float) -> None:
        """Waits until the next poll is due, and takes what the stream brings."""
        self._is_woken = False
        if not seconds:
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self._is_woken or self._lacks_poll):
                    self._wake.clear()
                    if self._is_streaming:
                        for found in self.stream.take():
                            after = self._state.last_id
                            self._take(EventBatch(after, found.events, "stream", found.unreadable), inf)
                    await self._wake.wait()


class ServiceProbe:
    """A context in which an answer is awaited; determines by another call why it is missing.

    A service that delays a request answers other calls meanwhile; a blocked service answers none.
    """

    def __init__(
        self, client: Client, held: Callable[[], None], silent: Callable[[ClientError], None]
    ) -> None:
        self._client = client
        self._held = held
        self._silent = silent
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._timer = asyncio.get_running_loop().call_later(_LATE, self._begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            self._task = None

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._call(), name="live.probe")

    async def _call(self) -> None:
        try:
            # This call needs no session, so that an expired session is not renewed.
            async with asyncio.timeout(_PROBE_TIMEOUT):
                await self._client.settings()
        except (TimeoutError, SlowAnswerError, UnreachableError):
            self._silent(SlowAnswerError(_LATE + _PROBE_TIMEOUT))
        except AnswerError:
            pass  # it is not the service that answers, or not in a way that shows anything
        except ClientError:
            self._held()  # a refusal is an answer
        else:
            self._held()


class UnreadableRecords:
    """Keeps each unreadable record once; polls return the same records until a newer event follows."""

    def __init__(self) -> None:
        self.number = 0
        self._texts: dict[str, None] = {}

    @property
    def texts(self) -> tuple[str, ...]:
        """The last ones as JSON, newest first, without secrets."""
        return tuple(islice(reversed(self._texts), _UNREADABLE_SHOWN))

    def add(self, records: Iterable[Unreadable]) -> int:
        """The number of ``records`` that are new."""
        texts = dict.fromkeys(records_json([one])[:_LONGEST_UNREADABLE] for one in records)
        new = [text for text in texts if text not in self._texts]
        self.number += len(new)
        self._texts.update(dict.fromkeys(new))
        for text in tuple(islice(self._texts, max(0, len(self._texts) - _MOST_UNREADABLE))):
            del self._texts[text]
        return len(new)


SHORTEST_INTERVAL = 0.5  # seconds between polls, unless more events are waiting already
_USUAL_INTERVAL = 1.0
_BUSY = 25  # events of one answer; also the number returned by a service that ignores the limit (§8)
_SHORTEST_PAUSE = 0.1  # seconds between an answer that took long and the next poll


class PollSettings(msgspec.Struct, frozen=True):
    """How often to poll, as the user has chosen: every ``interval`` seconds, faster while much happens."""

    interval: float = _USUAL_INTERVAL
    is_adaptive: bool = True


class PollState(msgspec.Struct, frozen=True):
    """The cursor ``last_id``, the ``failures`` in a row, and the seconds from one poll to the next."""

    last_id: int
    failures: int = 0
    interval: float = _USUAL_INTERVAL

    def after_answer(self, batch: EventBatch, cursor: int, settings: PollSettings) -> PollState:
        """The state after an answer that moves the cursor; it never moves back."""
        return PollState(max(self.last_id, cursor), interval=self._next_interval(batch, cursor, settings))

    def after_failure(self) -> PollState:
        """The state after a failure: the cursor stays, so that nothing is missed."""
        return replace(self, failures=self.failures + 1)

    def at(self, last_id: int) -> PollState:
        """The state with the cursor of a session whose polls begin elsewhere."""
        return replace(self, last_id=last_id)

    def wait(self, took: float = 0.0) -> float:
        """Seconds until the next poll if the last one ``took`` so long; doubled with each failure.

        A service that holds a poll until something happens has waited already (wire §3).
        """
        if self.failures:
            return retry_pause(self.failures, first=1.0)
        return max(_SHORTEST_PAUSE, self.interval - took) if self.interval else 0.0

    def _next_interval(self, batch: EventBatch, cursor: int, settings: PollSettings) -> float:
        # After a full answer that has not moved the cursor, the next one would be the same.
        if batch.is_full and cursor > self.last_id:
            return 0.0
        is_busy = sum(event.id > self.last_id for event in batch.events) >= _BUSY
        if not (is_busy and settings.is_adaptive):
            return settings.interval
        return max(SHORTEST_INTERVAL, min(self.interval or settings.interval, settings.interval) / 2)


_PAGES = 20  # of a scheduled check
_ALL_PAGES = 2000  # of one that the user waits for
_INTERVAL = 1.0


class GapCheck:
    """Enters the results into the ledger, and reports the events that polls should have brought."""

    def __init__(
        self,
        client: Client,
        ledger: IdLedger,
        report: Callable[[EventsReceived], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._ledger = ledger
        self._report = report
        self._clock = clock

    @property
    def is_possible(self) -> bool:
        """Whether the session may read the list (§5.2)."""
        return self._client.session is not None and self._client.session.allows(LIST_RIGHT)

    async def run(self) -> None:
        """Checks what is due until it is cancelled."""
        while True:
            await asyncio.sleep(_INTERVAL)
            await self.check_due()

    async def check_due(self) -> None:
        """Checks the ids that are due, if there are any."""
        check = self._ledger.schedule.take_due(self._clock())
        if check is None:
            return
        if not self.is_possible:
            self._ledger.set_unknown(check)
            return
        epoch = self._ledger.epoch
        try:
            found = await self.check(check)
        except asyncio.CancelledError:
            self._ledger.schedule.add_rest(check, self._clock())  # continued by the next run
            raise
        except ClientError:
            # The follower reports it; nothing is known about the ids.
            if epoch == self._ledger.epoch:
                self._ledger.schedule.retry(check, self._clock())
            return
        if found is None and epoch == self._ledger.epoch:
            self._ledger.set_unread(check, self._clock())

    async def check_all(self, progress: Progress) -> bool:
        """Checks all uncertain ids for a user who waits; False if the list could not be read.

        Raises UnreachableError, SessionLostError.
        """
        check, epoch = self._ledger.full_check(), self._ledger.epoch
        if check is None or await self.check(check, _ALL_PAGES, progress) is not None:
            return True
        if epoch == self._ledger.epoch:
            self._ledger.set_unread(check, self._clock())
        return False

    async def check(
        self, check: ListCheck, pages: int = _PAGES, progress: Progress = lambda _done: None
    ) -> int | None:
        """The number of events that polls have not brought; None if the list could not be read.

        Ids that ``pages`` do not reach are checked next. Raises UnreachableError, SessionLostError.
        """
        if not self.is_possible:
            return None
        epoch, ranges = self._ledger.epoch, self._ledger.uncertain_ranges(check)
        if not ranges:
            return 0
        polled = await find_events(
            self._client, ranges, pages, lambda done: progress(done / 2), pollable=True
        )
        if polled is None:
            return None
        others = await find_events(
            self._client, ranges, pages, lambda done: progress(0.5 + done / 2), pollable=False
        )
        if others is None or epoch != self._ledger.epoch:
            return None
        return self._enter(check, polled, others, ranges[-1][0])

    def _enter(self, check: ListCheck, polled: FoundEvents, others: FoundEvents, bottom: int) -> int:
        moment = self._clock()
        found = dict.fromkeys(others.events, IdState.UNPOLLABLE)
        missed: list[Event] = []
        for one, event in sorted(polled.events.items()):
            if not is_polled_by(self._client, event):
                found[one] = IdState.HIDDEN
            elif self._ledger.state(one) is not IdState.RECEIVED:
                missed.append(event)
        self._ledger.add_recovered([event.id for event in missed], moment)
        if missed:
            self._report(EventsReceived(EventBatch(check.first - 1, tuple(missed), "list")))
        down_to = max(polled.down_to, others.down_to)
        self._ledger.add_result(check._replace(first=down_to), found, moment)
        if down_to > bottom:
            self._ledger.schedule.add_rest(check._replace(last=down_to - 1), moment)
        return len(missed)


_LARGEST_ANSWER = 1000  # records of a poll (§8)


class EventBatch(msgspec.Struct, frozen=True):
    """The events of one answer in their order; ``after`` is the id after which they were requested."""

    after: int
    events: tuple[Event, ...]
    source: Literal["poll", "stream", "list"] = "poll"
    unreadable: tuple[Unreadable, ...] = ()  # records that are no events

    @property
    def is_full(self) -> bool:
        """Whether more events may be waiting."""
        return len(self.events) + len(self.unreadable) >= _LARGEST_ANSWER


class EventsReceived(msgspec.Struct, frozen=True):
    """The new events of an answer.

    ``milliseconds`` is how long the service took, None if it held the request on purpose.
    """

    batch: EventBatch
    milliseconds: float | None = None


class StreamChanged(msgspec.Struct, frozen=True):
    """The stream was opened, has ended, or cannot be opened; ``refusal`` says why."""

    state: StreamState
    refusal: str = ""


class UnreadableReceived(msgspec.Struct, frozen=True):
    """A number of new records are no events."""

    number: int


class PollHeld(msgspec.Struct, frozen=True):
    """The service answers, and holds the poll until something happens."""


class ServiceSilent(msgspec.Struct, frozen=True):
    """The service neither answers nor refuses; the poll continues."""

    error: ClientError


class ServiceUnavailable(msgspec.Struct, frozen=True):
    """A poll has failed and is repeated after ``wait`` seconds."""

    error: ClientError
    wait: float


class PollRetried(msgspec.Struct, frozen=True):
    """A poll begins after others have failed."""


class ServiceRestored(msgspec.Struct, frozen=True):
    """The first answer after `ServiceUnavailable` or `ServiceSilent`."""


class PollGap(msgspec.Struct, frozen=True):
    """Polls of this session begin at ``upto``, above the cursor ``after`` (§4.2).

    ``found`` events between the two were read from the list; None without the right to read it (§5.2).
    """

    after: int
    upto: int
    found: int | None


class LogReplaced(msgspec.Struct, frozen=True):
    """The service has another log, whose ids begin again after ``last_id``."""

    last_id: int


class ClockJumped(msgspec.Struct, frozen=True):
    """The time of day has jumped by ``seconds``: the computer slept, or its clock was set."""

    seconds: float


class SessionEnded(msgspec.Struct, frozen=True):
    """The session is lost and the follower has stopped."""

    error: SessionLostError


class PollRefused(msgspec.Struct, frozen=True):
    """The service refuses polls and the follower has stopped."""

    error: ClientError


FollowerReport = (
    EventsReceived
    | StreamChanged
    | UnreadableReceived
    | PollHeld
    | ServiceSilent
    | ServiceUnavailable
    | PollRetried
    | ServiceRestored
    | PollGap
    | LogReplaced
    | ClockJumped
    | SessionEnded
    | PollRefused
)
