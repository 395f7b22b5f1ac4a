"""Tests of looking up ids in the list while more events come than one check may read."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from cdb_desktop.client import AnswerError, Client, ClientError, UnreachableError
from cdb_desktop.live.gap_detection import IdLedger, IdState
from cdb_desktop.live.log_follower import GapCheck
from cdb_desktop.live.reports import EventsReceived
from tests.desktop.live.model_log import ModelLog


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
