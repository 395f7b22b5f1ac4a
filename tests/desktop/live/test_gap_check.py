"""Tests of looking ids up in the list while far more come than one look may read."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from cdb_desktop.client import AnswerError, Client, ClientError, UnreachableError
from cdb_desktop.live.gap_check import GapCheck
from cdb_desktop.live.id_ledger import IdLedger
from cdb_desktop.live.interval_map import IdState
from cdb_desktop.live.reports import EventsReceived
from tests.desktop.live.model_log import ModelLog


class _Desk:
    """An account of a log of which polls have brought all but what is not pollable."""

    def __init__(self, *, has_right: bool = True) -> None:
        self.model = ModelLog(has_right=has_right, most=1000)
        self.ledger = IdLedger()
        self.ledger.reset(0)
        self.told: list[EventsReceived] = []
        self.gap_check = GapCheck(
            cast("Client", self.model), self.ledger, self.told.append, lambda: self.model.now
        )

    def burst(self, events: int) -> None:
        """Every fourth one is not pollable."""
        first = self.model.last + 1
        for number in range(events):
            self.model.write("plain" if number % 4 else "unpollable", mine=False, delay=0.0)
        came = [one for one in range(first, self.model.last + 1) if self.model.log[one].form == "plain"]
        self.ledger.add_received(came, self.model.now)


async def test_a_burst_deeper_than_a_look_may_read_is_explained_by_itself() -> None:
    """Nothing is called unexplained meanwhile: what nobody has looked up yet is being checked."""
    desk = _Desk()
    desk.burst(2_000)
    desk.burst(30_000)
    desk.model.now = 11.0
    desk.burst(25_000)
    turns = 0
    while desk.ledger.counts.open and turns < 20:
        turns += 1
        await desk.gap_check.check_due()
        assert desk.ledger.counts.unexplained == 0
        desk.model.now += 10.0
    assert desk.ledger.counts.unpollable == 14_250
    assert desk.ledger.counts.deleted == 0
    assert desk.told == []
    assert turns <= 6


@pytest.mark.parametrize(
    ("error", "unexplained"),
    [(AnswerError("web_page", status=200), 100), (UnreachableError("refused", ""), 0)],
)
async def test_a_list_that_fails_is_read_again_by_itself(
    monkeypatch: pytest.MonkeyPatch, error: ClientError, unexplained: int
) -> None:
    """Something is unexplained only where the service was reached and its list could not tell."""
    desk = _Desk()
    desk.burst(400)
    desk.model.now = 10.0

    async def fail(*_given: object, **_more: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(desk.model, "list_events", fail)
        await desk.gap_check.check_due()
    assert (desk.ledger.counts.unexplained, desk.ledger.counts.open) == (unexplained, 100)
    desk.model.now = 41.0
    await desk.gap_check.check_due()
    assert desk.ledger.counts.open == 0


async def test_a_look_that_is_cut_off_is_taken_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the feed is started anew: nothing stays in checking for good."""
    desk = _Desk()
    desk.burst(40)
    desk.model.now = 10.0
    started = asyncio.Event()

    async def hang(*_given: object, **_more: object) -> None:
        started.set()
        await asyncio.sleep(60)

    with monkeypatch.context() as patched:
        patched.setattr(desk.model, "list_events", hang)
        turn = asyncio.ensure_future(desk.gap_check.check_due())
        await started.wait()
        turn.cancel()
        await asyncio.wait([turn])
    assert desk.ledger.counts.checking > 0
    await desk.gap_check.check_due()
    assert desk.ledger.counts.open == 0


async def test_checking_all_takes_few_requests_however_far_down_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three deleted events among sixty thousand."""
    desk = _Desk()
    for number in range(60_000):
        desk.model.write("plain", mine=False, delay=0.0)
        if number in {500, 30_000, 59_990}:
            del desk.model.log[desk.model.last]
    desk.ledger.add_received(desk.model.log, 0.0)
    asked: list[int] = []
    find_events = desk.model.list_events

    async def counted(*given: object, limit: int, offset: int, skip_count: bool) -> object:
        asked.append(limit)
        return await find_events(*given, limit=limit, offset=offset, skip_count=skip_count)  # type: ignore[arg-type]

    monkeypatch.setattr(desk.model, "list_events", counted)
    noted: list[float] = []
    assert await desk.gap_check.check_all(noted.append)
    assert desk.ledger.counts.deleted == 3
    assert len(asked) <= 25
    assert noted == sorted(noted)
    assert noted[-1] == 1.0


async def test_without_the_right_what_is_unknown_is_said_at_once() -> None:
    """It is not asked for again and again."""
    desk = _Desk(has_right=False)
    desk.burst(40)
    desk.model.now = 10.0
    await desk.gap_check.check_due()
    assert desk.ledger.counts.unexplained == 10
    assert next(desk.ledger.ranges(IdState.UNKNOWN)) == (1, 1)
