"""Proof of the feed: with any behavior of a service within the contract, no lost event stays unreported,
and none is reported that was not lost."""

import asyncio
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cdb_desktop.client import Capabilities, Client
from cdb_desktop.live import event_lookup as event_list_module
from cdb_desktop.live import gap_detection as ledger_module
from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live.gap_detection import IdState
from cdb_desktop.live.log_follower import (
    EventsReceived,
    FollowerReport,
    LogFollower,
    LogReplaced,
    PollRefused,
    SessionEnded,
)
from tests.desktop.live.model_log import ModelLog

FORMS = st.sampled_from(["plain", "plain", "unpollable", "insert", "user update"])
# Seconds from taking an id to being visible: usually none; the last check is after five minutes.
DELAYS = st.sampled_from([0.0, 0.0, 0.0, 0.4, 3.0, 8.0, 30.0, 250.0])
WRITES = st.tuples(st.just("write"), FORMS, st.booleans(), DELAYS)
WRONG = st.tuples(st.just("wrong"), st.sampled_from([900, 5000]))  # ids far above all others
_MOST_WRONG = 2  # more of them are accepted
DELETIONS = st.tuples(st.just("delete"), st.integers(0, 50))
BURSTS = st.tuples(st.just("burst"), st.integers(20, 90))
COMMON = (
    WRITES,
    WRITES,
    DELETIONS,
    st.tuples(st.just("poll")),
    st.tuples(st.just("poll")),
    st.tuples(st.just("wait"), st.sampled_from([0.5, 5.0, 11.0, 100.0])),
    st.tuples(st.just("fail"), st.integers(1, 3)),
    st.tuples(st.just("sign in")),
    st.tuples(st.just("meanwhile"), st.one_of(WRITES, DELETIONS)),
)
STEPS = st.one_of(*COMMON, WRONG)
FLOODS = st.one_of(*COMMON, BURSTS)


class SteppedFollower:
    """A follower of a model of a service, driven step by step."""

    def __init__(self, model: ModelLog) -> None:
        self.model = model
        self.received: list[int] = []
        self.replaced: list[int] = []  # after which ids the log began again
        self.wrong = 0
        client = cast("Client", model)
        self.follower = LogFollower(client, model.session, self._note, clock=self._now, time_of_day=self._now)
        self.ledger = self.follower.ledger

    async def do(self, step: tuple[Any, ...]) -> None:
        """Executes one step."""
        match step:
            case ("poll",):
                await self.poll()
            case ("wait", float(seconds)):
                self.model.now += seconds
                await self.follower.gap_check.check_due()
            case ("fail", int(times)):
                self.model.failures = times
            case ("sign in",):
                self.model.sign_in()
                self.follower.renew(self.model.session)
            case ("burst", int(number)):
                for _ in range(number):
                    self._change(("write", "plain", False, 0.0))
            case ("meanwhile", later):
                self.model.meanwhile.append(lambda: self._change(later))
            case _:
                self._change(step)

    async def poll(self) -> None:
        """Polls, and again while there is no wait."""
        while await self.follower.poll_once() == 0:
            pass

    async def come_to_rest(self) -> None:
        """Lets a quarter of an hour pass."""
        self.model.failures, self.model.meanwhile = 0, []
        for _ in range(90):
            self.model.now += 10
            await self.poll()
            await self.follower.gap_check.check_due()

    def _change(self, step: tuple[Any, ...]) -> None:
        if step[0] == "write":
            self.model.write(step[1], mine=step[2], delay=step[3])
        elif step[0] == "wrong":
            self.wrong += 1
            if self.wrong <= _MOST_WRONG:
                self.model.write_wrong(step[1])
        else:
            self.model.delete(step[1])

    def _note(self, report: FollowerReport) -> None:
        assert not isinstance(report, SessionEnded | PollRefused)
        if isinstance(report, EventsReceived):
            self.received += [event.id for event in report.batch.events]
        elif isinstance(report, LogReplaced):
            self.replaced.append(report.last_id)

    def _now(self) -> float:
        return self.model.now


@pytest.fixture(autouse=True)
def _small_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes answers and pages so small that a few events fill several."""
    monkeypatch.setattr(follower_module, "_LARGEST_ANSWER", 5)
    monkeypatch.setattr(ledger_module, "_OVERLAP", 4)
    monkeypatch.setattr(ledger_module, "_NEAR", 3)
    monkeypatch.setattr(follower_module, "_PAGES", 3)
    monkeypatch.setattr(event_list_module, "_PAGE", 4)
    monkeypatch.setattr(event_list_module, "_SPARE", 1)
    monkeypatch.setattr(ledger_module, "_FAR", 60)
    monkeypatch.setattr(ledger_module, "_ENOUGH", 3)


def _followed(steps: list[tuple[Any, ...]], *, has_right: bool) -> SteppedFollower:
    async def follow() -> SteppedFollower:
        follower = SteppedFollower(ModelLog(has_right))
        await follower.poll()
        for step in steps:
            await follower.do(step)
        await follower.come_to_rest()
        return follower

    return asyncio.run(follow())


_PLAIN = ("write", "plain", False, 0.0)


@settings(
    max_examples=3 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example(
    [
        ("wrong", 900),
        ("poll",),
        ("sign in",),
        _PLAIN,
        _PLAIN,
        ("wrong", 5000),
        _PLAIN,
        ("wait", 11.0),
    ]
)
@given(st.lists(STEPS, max_size=40))
def test_with_the_right_every_id_is_explained_correctly(steps: list[tuple[Any, ...]]) -> None:
    """All visible events are received, and the states are what the service did."""
    _prove(_followed(steps, has_right=True))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FLOODS, max_size=30))
def test_ids_below_bursts_are_explained_too(steps: list[tuple[Any, ...]]) -> None:
    """A check reads a dozen events, below hundreds of newer ones."""
    _prove(_followed(steps, has_right=True))


def _prove(one: SteppedFollower) -> None:
    model, ledger = one.model, one.ledger
    assert ledger.counts.open == 0
    assert {event.id for event in model.visible() if model.reaches(event)} <= set(one.received)
    for number in range(ledger.counts.first, ledger.last + 1):
        kind, truth = ledger.state(number), model.ever.get(number)
        assert (kind is IdState.RECEIVED) is (number in one.received)
        if kind is IdState.DELETED:
            assert number not in model.log
        elif kind is IdState.UNPOLLABLE:
            assert truth
            assert truth.form == "unpollable"
        elif kind is IdState.HIDDEN:
            assert truth
            assert truth.form in {"insert", "user update"}
    assert ledger.counts.total == sum(
        (ledger.counts.received, ledger.counts.unpollable, ledger.counts.hidden, ledger.counts.deleted)
    )


@settings(
    max_examples=2 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(STEPS, max_size=40))
def test_without_the_right_nothing_is_guessed(steps: list[tuple[Any, ...]]) -> None:
    """Every id is received or unknown."""
    one = _followed(steps, has_right=False)
    for number in range(one.ledger.counts.first, one.ledger.last + 1):
        assert one.ledger.state(number) is (IdState.RECEIVED if number in one.received else IdState.UNKNOWN)


@settings(
    max_examples=2 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.one_of(WRITES, WRONG, st.tuples(st.just("poll"))), max_size=40))
def test_no_event_is_repeated_in_a_feed_with_known_ids(steps: list[tuple[Any, ...]]) -> None:
    """Polls begin below skipped ids, so that events come again."""
    one = _followed(steps, has_right=True)
    assert sorted(set(one.received)) == [
        event.id for event in one.model.visible() if one.model.reaches(event)
    ]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.just("write"), st.just("plain"), st.booleans(), st.sampled_from([0.0, 0.4, 3.0])),
        max_size=30,
    )
)
def test_slightly_late_events_are_received_by_polls_alone(
    monkeypatch: pytest.MonkeyPatch, steps: list[tuple[Any, ...]]
) -> None:
    """Without the right to read the list too."""
    monkeypatch.setattr(follower_module, "_LARGEST_ANSWER", 1000)
    monkeypatch.setattr(ledger_module, "_OVERLAP", 500)

    async def follow() -> SteppedFollower:
        follower = SteppedFollower(ModelLog(has_right=False, most=1000))
        for step in steps:
            await follower.do(step)
            follower.model.now += 0.5
            await follower.poll()
        for _ in range(20):
            follower.model.now += 0.5
            await follower.poll()
        return follower

    one = asyncio.run(follow())
    assert sorted(set(one.received)) == sorted(one.model.log)
    assert one.ledger.counts.open == 0


async def test_without_sessions_only_ids_that_are_given_again_are_of_another_log() -> None:
    """A sign-in is not always an event there: newer ones come before it is used, or the newest is deleted."""
    model = ModelLog(has_right=True)
    model.capabilities = Capabilities(sessions=False, stream=True)
    one = SteppedFollower(model)
    # Polls are rare beside a stream, and three have to look for an id that is late.
    assert one.ledger.schedule.settle_time >= 45

    async def write_and_sign_in(number: int, newest: int) -> None:
        for _ in range(number):
            await one.do(_PLAIN)
        await one.poll()
        model.lowest = newest
        one.follower.renew(model.session)
        await one.poll()

    await write_and_sign_in(4, newest=2)
    await one.do(("delete", 3))
    await write_and_sign_in(0, newest=3)
    assert (one.received, one.replaced, one.follower.last_id) == ([1, 2, 3, 4], [], 3)
    await write_and_sign_in(1, newest=5)
    assert (one.received, one.replaced) == ([1, 2, 3, 4, 5], [])
    for _ in range(3):
        await one.do(("delete", 1))
    model.ever.clear()
    model.last = 1
    await write_and_sign_in(0, newest=1)
    await write_and_sign_in(2, newest=3)
    assert (one.received[5:], one.replaced) == ([2, 3], [1])
