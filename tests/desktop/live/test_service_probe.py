"""Tests of a service that does not answer: whether it is there is found out, not guessed."""

from __future__ import annotations

import asyncio

import pytest

from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live.reports import PollHeld, ServiceRestored, ServiceSilent
from tests.desktop.live.conftest import Start
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "_LATE", 0.1)
    monkeypatch.setattr(follower_module, "_PROBE_TIMEOUT", 0.2)


async def test_one_that_stands_still_is_not_taken_for_one_that_holds(
    service: ModelService, watch: Start
) -> None:
    """It is told soon, and what was missed comes as soon as it goes on."""
    service.write(1)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1])
            service.stands_still = True
            watching.watch.try_now()
            await until(lambda: watching.told(ServiceSilent), seconds=2)
            assert watching.told(PollHeld) == []
            service.write(2)
            service.stands_still = False
            await until(lambda: watching.ids == [1, 2], seconds=2)
            assert len(watching.told(ServiceRestored)) == 1


async def test_one_that_holds_is_not_taken_for_one_that_stands_still(
    service: ModelService, watch: Start
) -> None:
    """It answers another call meanwhile."""
    service.hold = 0.6
    with service.serve():
        async with watch() as watching:
            await until(lambda: len(watching.told(PollHeld)) >= 2)
            assert watching.told(ServiceSilent) == []


async def test_nobody_is_asked_about_an_answer_that_comes(service: ModelService, watch: Start) -> None:
    """Whoever ends the watch in the middle of it leaves nothing behind."""
    service.stands_still = False
    with service.serve():
        async with watch() as watching:
            await until(lambda: len(service.cursors) >= 2)
            assert watching.told(PollHeld) == []
            service.stands_still = True
            watching.watch.try_now()
            await asyncio.sleep(0.15)
            watching.task.cancel()
            await asyncio.wait([watching.task])
            assert [task for task in asyncio.all_tasks() if task.get_name() == "live.probe"] == []
            service.stands_still = False
