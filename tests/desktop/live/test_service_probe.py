"""Tests of finding out why a poll is not answered."""

import asyncio

import pytest

from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live.log_follower import PollHeld, ServiceRestored, ServiceSilent
from tests.desktop.live.conftest import StartFollower
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower_module, "_LATE", 0.1)
    monkeypatch.setattr(follower_module, "_PROBE_TIMEOUT", 0.2)


async def test_a_service_that_hangs_is_reported_as_silent(
    service: ModelService, start: StartFollower
) -> None:
    """What was missed comes as soon as the service continues."""
    service.write(1)
    with service.serve():
        async with start() as running:
            await until(lambda: running.ids == [1])
            service.stands_still = True
            running.follower.try_now()
            await until(lambda: running.reported(ServiceSilent), seconds=2)
            assert running.reported(PollHeld) == []
            service.write(2)
            service.stands_still = False
            await until(lambda: running.ids == [1, 2], seconds=2)
            assert len(running.reported(ServiceRestored)) == 1


async def test_the_probe_is_cancelled_with_the_poll(service: ModelService, start: StartFollower) -> None:
    service.stands_still = False
    with service.serve():
        async with start() as running:
            await until(lambda: len(service.cursors) >= 2)
            assert running.reported(PollHeld) == []
            service.stands_still = True
            running.follower.try_now()
            await asyncio.sleep(0.15)
            running.task.cancel()
            await asyncio.wait([running.task])
            assert [task for task in asyncio.all_tasks() if task.get_name() == "live.probe"] == []
            service.stands_still = False
