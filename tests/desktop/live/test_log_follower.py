"""Tests of the log follower: it neither misses nor repeats events, whatever the service does."""

import asyncio
import json
import time
from contextlib import ExitStack
from typing import cast

import pytest
from starlette.responses import HTMLResponse, JSONResponse, Response

from cdb_desktop.client import AnswerError, Client, ClientError, Event, Session, UnreachableError, Unreadable
from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live.gap_detection import IdLedger, IdState
from cdb_desktop.live.log_follower import (
    ClockJumped,
    EventBatch,
    EventsReceived,
    GapCheck,
    LogReplaced,
    PollGap,
    PollHeld,
    PollRefused,
    PollSettings,
    PollState,
    ServiceRestored,
    ServiceSilent,
    ServiceUnavailable,
    SessionEnded,
    UnreadableRecords,
)
from tests.desktop.live.conftest import RunningFollower, StartFollower
from tests.desktop.live.model_log import ModelLog
from tests.desktop.live.model_service import RIGHT, ModelService, refusal
from tests.desktop.patience import until

_SESSION_INVALID = ("user", "session_invalid", 400)


async def test_full_answers_are_followed_without_a_pause(service: ModelService, start: StartFollower) -> None:
    """2500 events are three polls in a row, each after the last id of the one before (§4.2, §8)."""
    service.write(*range(1, 2501))
    with service.serve():
        async with start() as running:
            running.follower.set_poll_settings(PollSettings(3600.0, is_adaptive=False))
            await until(lambda: len(running.ids) == 2500)
            assert running.ids == list(range(1, 2501))
            assert service.cursors[:3] == [0, 1000, 2000]


@pytest.mark.parametrize(
    "answer",
    [
        refusal("server", "generic", 500),
        HTMLResponse("<html>Bad gateway</html>", 502),
        Response(b"[{", media_type="application/json"),
        Response(status_code=503),
    ],
    ids=["error object", "a proxy's page", "broken JSON", "no body"],
)
async def test_a_failure_keeps_the_cursor(
    service: ModelService, start: StartFollower, answer: Response
) -> None:
    """It is reported with the time until the next poll, and events come once."""
    service.write(1, 2)
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [1, 2])
            service.unruly = [answer]
            running.follower.try_now()
            await until(lambda: running.reported(ServiceUnavailable))
            service.write(3)
            running.follower.try_now()
            await until(lambda: running.reported(ServiceRestored))
            await until(lambda: running.ids == [1, 2, 3])
            assert running.reported(ServiceUnavailable)[0].wait == 1
            assert service.cursors[-2:] == [2, 2]


async def test_the_wait_grows_while_polls_fail(service: ModelService, start: StartFollower) -> None:
    """Also if the service answers other calls."""
    service.unruly = [refusal("server", "generic", 500) for _ in range(3)]
    with service.serve():
        async with start() as running:
            for times in (1, 2, 3):
                await until(lambda: len(running.reported(ServiceUnavailable)) == times)  # noqa: B023
                running.follower.try_now()
            await until(lambda: running.reported(ServiceRestored))
            assert [away.wait for away in running.reported(ServiceUnavailable)] == [1, 2, 4]


async def test_a_restart_loses_no_event(service: ModelService, start: StartFollower) -> None:
    """Events written meanwhile come as soon as the service is back at its address."""
    service.write(1, 2)
    with ExitStack() as first:
        first.enter_context(service.serve())
        async with start() as running:
            await until(lambda: running.ids == [1, 2])
            first.close()
            running.follower.try_now()
            await until(lambda: running.reported(ServiceUnavailable))
            service.write(3, 4)
            with service.serve():
                running.follower.try_now()
                await until(lambda: running.ids == [1, 2, 3, 4])


async def test_a_service_that_holds_polls_is_followed(
    service: ModelService, start: StartFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer comes when something happens; until then the service is there, and not silent."""
    monkeypatch.setattr(follower_module, "_LATE", 0.1)
    service.hold = 5
    with service.serve():
        async with start() as running:
            await until(lambda: running.reported(PollHeld))
            service.write(1)
            await until(lambda: running.ids == [1], seconds=1)
            running.follower.try_now()
            service.write(2)
            await until(lambda: running.ids == [1, 2], seconds=1)
            polled = [
                one.milliseconds for one in running.reported(EventsReceived) if one.batch.source == "poll"
            ]
            assert polled[0] is None  # the time that it was held is not latency
            assert running.reported(ServiceSilent) == []


async def test_holding_for_longer_than_the_client_waits_is_no_failure(
    service: ModelService, start: StartFollower
) -> None:
    """The service answers other calls, so that the poll is repeated and nothing is reported."""
    service.hold = 60
    with service.serve():
        async with start(timeout=0.2) as running:
            await until(lambda: len(service.cursors) >= 3)
            service.write(1)
            await until(lambda: running.ids == [1], seconds=2)
            assert running.reported(ServiceUnavailable) == []


async def test_a_full_answer_below_the_cursor_is_not_repeated_at_once(
    service: ModelService, start: StartFollower
) -> None:
    """A service that repeats a thousand events is polled at the usual interval."""
    with service.serve():
        async with start() as running:
            service.write(*range(-1000, 0))
            service.unruly = [JSONResponse(service.log) for _ in range(50)]
            await until(lambda: running.ids)
            before = len(service.cursors)
            await asyncio.sleep(0.5)
            assert len(service.cursors) - before <= 2


async def test_unordered_ids_and_unknown_types_are_received(
    service: ModelService, start: StartFollower
) -> None:
    """The cursor is the highest id; unknown keys are accepted."""
    service.write(7, 5)
    service.write(6, kind="MOON_LANDING", crew=["a"], object_id="seven")
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [7, 5, 6])
            assert running.follower.last_id == 7
            landing = running.reported(EventsReceived)[-1].batch.events[-1]
            assert landing.type == "MOON_LANDING"
            assert landing.unknown == {"crew": ["a"], "object_id": "seven"}


async def test_a_refusal_stops_the_follower(service: ModelService, start: StartFollower) -> None:
    """A call that the service finds malformed is not repeated forever."""
    service.write(1)
    service.unruly = [refusal("api", "invalid_request_method", 400)]
    with service.serve():
        async with start() as running:
            await until(running.task.done)
            assert len(running.reported(PollRefused)) == 1
            running.run_again()
            await until(lambda: running.ids == [1])


@pytest.mark.parametrize("seconds", [7200, -7200])
async def test_the_session_is_read_after_a_jump_of_the_time_of_day(
    service: ModelService, start: StartFollower, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    """A computer that slept may have lost its session and its connections; the feed continues."""
    service.write(1)
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [1])
            reads = 0
            read = running.client.read_session

            async def counted() -> Session:
                nonlocal reads
                reads += 1
                return await read()

            monkeypatch.setattr(running.client, "read_session", counted)
            running.follower._time_of_day = lambda: time.time() + seconds
            service.write(2)
            running.follower.try_now()
            await until(lambda: running.ids == [1, 2])
            assert [round(one.seconds) for one in running.reported(ClockJumped)] == [seconds]
            assert reads == 1


async def test_skipped_ids_are_polled_again(service: ModelService, start: StartFollower) -> None:
    """Events that become visible late come with the next poll, also if the service holds polls."""
    service.hold = 5
    service.write(1, 4)
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [1, 4])
            service.write(3)
            await until(lambda: running.ids == [1, 4, 3], seconds=3)
            assert running.follower.ledger.counts.open == 1
            assert running.follower.last_id == 4


async def test_events_before_the_session_come_from_the_list(
    service: ModelService, start: StartFollower
) -> None:
    """Oldest first, and only what a poll would have brought (§4.2 rules 1 and 2)."""
    service.rights = {RIGHT: {}}
    service.write(1)
    service.write(2, 3, kind="OBJECT_INSERT")
    service.write(4, kind="OBJECT_INSERT", session_self=True)
    service.write(5, kind="OBJECT_UPDATE", basetype="user")
    service.write(6, kind="OBJECT_UPDATE", basetype="pool")
    service.lowest = 6
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [1, 4, 6])
            assert running.reported(EventsReceived)[0].batch.source == "list"


async def test_a_gap_is_filled_from_the_list(service: ModelService, start: StartFollower) -> None:
    """A session whose polls begin above the cursor leaves a gap, which is read over any number of pages."""
    service.rights = {RIGHT: {}}
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.write(*range(1, 1502))
            service.lowest = 1500
            running.follower.try_now()
            await until(lambda: running.reported(PollGap))
            assert running.reported(PollGap) == [PollGap(0, 1500, 1500)]
            await until(lambda: running.ids == list(range(1, 1502)))


async def test_without_the_right_a_gap_is_reported(service: ModelService, start: StartFollower) -> None:
    """Polling continues above it (§5.2)."""
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.write(1, 2, 3)
            service.lowest = 2
            service.unruly = [refusal("api", "invalid_value", 400)]
            running.follower.try_now()
            await until(lambda: running.ids == [3])
            assert running.reported(PollGap) == [PollGap(0, 2, None)]


async def test_another_session_continues_after_a_lost_one(
    service: ModelService, start: StartFollower
) -> None:
    """What happened in between comes from the list."""
    service.rights = {RIGHT: {}}
    service.write(1)
    service.lowest = 1
    service.unruly = [refusal(*_SESSION_INVALID)]
    with service.serve():
        async with start() as running:
            await until(running.task.done)
            assert [ended.error.status for ended in _ended_sessions(running)] == [400]
            service.write(2, 3)
            service.lowest = 2
            await _sign_in_again(running)
            await until(lambda: running.ids == [1, 2, 3])
            assert running.reported(PollGap) == [PollGap(1, 2, 1)]


async def test_a_session_without_its_user_is_treated_as_lost(
    service: ModelService, start: StartFollower
) -> None:
    """Its polls bring nothing and no error, so that the session itself is read (§4.2)."""
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.authenticated = False
            service.unruly = [refusal("server", "generic", 500)]
            running.follower.try_now()
            await until(lambda: len(running.reports) > 2)
            running.follower.try_now()
            await until(running.task.done)
            assert len(_ended_sessions(running)) == 1


async def test_the_session_is_read_after_a_time_without_events(
    service: ModelService, start: StartFollower, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a sign-out elsewhere polls are answered as if nothing had happened."""
    monkeypatch.setattr("cdb_desktop.live.log_follower._IDLE", 0.2)
    with service.serve():
        async with start() as running:
            await until(lambda: service.cursors)
            service.authenticated = False
            await until(running.task.done)
            assert len(_ended_sessions(running)) == 1


async def test_another_log_is_followed_from_its_own_ids(service: ModelService, start: StartFollower) -> None:
    """A new session that begins below the cursor is of a log whose ids begin again."""
    service.write(*range(1, 501))
    with service.serve():
        async with start() as running:
            await until(lambda: len(running.ids) == 500)
            service.unruly = [refusal(*_SESSION_INVALID)]
            await until(running.task.done)
            service.log.clear()
            service.write(1, 2, 3)
            service.lowest = 2
            await _sign_in_again(running)
            await until(lambda: running.reported(LogReplaced) == [LogReplaced(2)])
            await until(lambda: running.ids[-1] == 3)


async def test_a_batch_has_the_id_after_which_it_was_requested(
    service: ModelService, start: StartFollower
) -> None:
    """Polls begin below skipped ids, and bring nothing twice."""
    service.write(2, 4)
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [2, 4])
            service.write(9)
            running.follower.try_now()
            await until(lambda: running.ids == [2, 4, 9])
            batches = [one.batch for one in running.reported(EventsReceived) if one.batch.events]
            assert [(one.after, one.source) for one in batches] == [(0, "poll"), (0, "poll")]
            assert running.follower.last_id == 9


def test_each_unreadable_record_is_counted_once() -> None:
    """A poll brings it again until something newer has come."""
    records, one, other = (
        UnreadableRecords(),
        Unreadable("no_id", b'{"a":1}'),
        Unreadable("not_object", b"7"),
    )
    assert records.add([one, one]) == 1
    assert records.add([one, other]) == 1
    assert records.number == 2
    assert records.texts == ("7", '{\n  "a": 1\n}')


def test_texts_of_unreadable_records_have_no_secrets_and_a_limit() -> None:
    """Long records are cut, and old ones forgotten."""
    records = UnreadableRecords()
    large = {"_session": {"token": "tok-1"}, "big": 2**70, "text": "x" * 9000}
    records.add([Unreadable("no_id", json.dumps(large).encode())])
    assert "tok-1" not in records.texts[0]
    assert len(records.texts[0]) <= 2000
    for number in range(3):
        texts = (str(number * 1000 + place).encode() for place in range(1000))
        records.add(Unreadable("not_object", text) for text in texts)
    assert (records.number, len(records.texts), len(records._texts)) == (3001, 50, 1000)


async def _sign_in_again(running: RunningFollower) -> None:
    running.follower.renew(await running.client.authenticate("root", "x"))
    running.run_again()


def _ended_sessions(running: RunningFollower) -> list[SessionEnded]:
    return running.reported(SessionEnded)


PACE = PollSettings()


def answered(polling: PollState, *ids: int, pace: PollSettings = PACE, cursor: int = 0) -> PollState:
    """The state after an answer with these events and the highest of them, or ``cursor``, as the cursor."""
    batch = EventBatch(polling.last_id, tuple(Event(id=one) for one in ids))
    return polling.after_answer(batch, cursor or max(ids, default=0), pace)


def test_polls_are_more_frequent_with_many_events() -> None:
    """A second while little happens, half of it after 25 events or more."""
    assert answered(PollState(0), *range(1, 25)).wait() == 1
    busy = answered(PollState(0), *range(1, 26))
    assert busy.wait() == 0.5
    assert answered(busy, *range(26, 99)).wait() == 0.5
    assert answered(busy, 27).wait() == 1


def test_the_user_chooses_the_interval() -> None:
    """Which may be fixed."""
    slow, steady = PollSettings(10.0), PollSettings(10.0, is_adaptive=False)
    polling = answered(PollState(0), 1, pace=slow)
    waits = []
    for first in (2, 102, 202, 302, 402, 502):
        polling = answered(polling, *range(first, first + 100), pace=slow)
        waits.append(polling.wait())
    assert waits == [5, 2.5, 1.25, 0.625, 0.5, 0.5]
    assert answered(polling, 700, pace=slow).wait() == 10
    assert answered(polling, *range(600, 700), pace=steady).wait() == 10
    assert answered(PollState(0), *range(1, 99), pace=PollSettings(0.5)).wait() == 0.5


def test_the_time_of_the_answer_is_part_of_the_interval() -> None:
    """A service that holds polls is polled again almost at once."""
    assert PollState(0).wait(took=0.25) == 0.75
    assert PollState(0).wait(took=20) == 0.1


class _Setup:
    """A ledger for a log of which polls have brought everything but what is not pollable."""

    def __init__(self, *, has_right: bool = True) -> None:
        self.model = ModelLog(has_right=has_right, most=1000)
        self.ledger = IdLedger()
        self.ledger.reset(0)
        self.reported: list[EventsReceived] = []
        self.gap_check = GapCheck(
            cast("Client", self.model), self.ledger, self.reported.append, lambda: self.model.now
        )

    def burst(self, events: int) -> None:
        """Writes events, every fourth of which is not pollable."""
        first = self.model.last + 1
        for number in range(events):
            self.model.write("plain" if number % 4 else "unpollable", mine=False, delay=0.0)
        received = [one for one in range(first, self.model.last + 1) if self.model.log[one].form == "plain"]
        self.ledger.add_received(received, self.model.now)


async def test_more_events_than_one_check_reads_are_explained() -> None:
    """Unread ids are being checked, not unexplained."""
    setup = _Setup()
    setup.burst(2_000)
    setup.burst(30_000)
    setup.model.now = 11.0
    setup.burst(25_000)
    checks = 0
    while setup.ledger.counts.open and checks < 20:
        checks += 1
        await setup.gap_check.check_due()
        assert setup.ledger.counts.unexplained == 0
        setup.model.now += 10.0
    assert setup.ledger.counts.unpollable == 14_250
    assert setup.ledger.counts.deleted == 0
    assert setup.reported == []
    assert checks <= 6


@pytest.mark.parametrize(
    ("error", "unexplained"),
    [(AnswerError("web_page", status=200), 100), (UnreachableError("refused", ""), 0)],
)
async def test_a_list_that_fails_is_read_again(
    monkeypatch: pytest.MonkeyPatch, error: ClientError, unexplained: int
) -> None:
    """Ids are unexplained only if the service has answered without its list."""
    setup = _Setup()
    setup.burst(400)
    setup.model.now = 10.0

    async def fail(*_given: object, **_more: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(setup.model, "list_events", fail)
        await setup.gap_check.check_due()
    assert (setup.ledger.counts.unexplained, setup.ledger.counts.open) == (unexplained, 100)
    setup.model.now = 41.0
    await setup.gap_check.check_due()
    assert setup.ledger.counts.open == 0


async def test_a_cancelled_check_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the feed is started again."""
    setup = _Setup()
    setup.burst(40)
    setup.model.now = 10.0
    started = asyncio.Event()

    async def hang(*_given: object, **_more: object) -> None:
        started.set()
        await asyncio.sleep(60)

    with monkeypatch.context() as patched:
        patched.setattr(setup.model, "list_events", hang)
        turn = asyncio.ensure_future(setup.gap_check.check_due())
        await started.wait()
        turn.cancel()
        await asyncio.wait([turn])
    assert setup.ledger.counts.checking > 0
    await setup.gap_check.check_due()
    assert setup.ledger.counts.open == 0


async def test_checking_all_ids_takes_few_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three deleted events among sixty thousand."""
    setup = _Setup()
    for number in range(60_000):
        setup.model.write("plain", mine=False, delay=0.0)
        if number in {500, 30_000, 59_990}:
            del setup.model.log[setup.model.last]
    setup.ledger.add_received(setup.model.log, 0.0)
    limits: list[int] = []
    find_events = setup.model.list_events

    async def counted(*given: object, limit: int, offset: int, skip_count: bool) -> object:
        limits.append(limit)
        return await find_events(*given, limit=limit, offset=offset, skip_count=skip_count)  # type: ignore[arg-type]

    monkeypatch.setattr(setup.model, "list_events", counted)
    progress: list[float] = []
    assert await setup.gap_check.check_all(progress.append)
    assert setup.ledger.counts.deleted == 3
    assert len(limits) <= 25
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


async def test_without_the_right_ids_are_unknown_at_once() -> None:
    """They are not checked again."""
    setup = _Setup(has_right=False)
    setup.burst(40)
    setup.model.now = 10.0
    await setup.gap_check.check_due()
    assert setup.ledger.counts.unexplained == 10
    assert next(setup.ledger.ranges(IdState.UNKNOWN)) == (1, 1)
