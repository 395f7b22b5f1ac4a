"""Tests of the watch over a log: it neither misses nor repeats, whatever the service does."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack

import pytest
from starlette.responses import HTMLResponse, JSONResponse, Response

from cdb_desktop.client import Session
from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live.polling import PollSettings
from cdb_desktop.live.reports import (
    ClockJumped,
    EventsReceived,
    PollHeld,
    PollRefused,
    ServiceRestored,
    ServiceUnavailable,
)
from tests.desktop.live.conftest import Start
from tests.desktop.live.model_service import ModelService, refusal
from tests.desktop.patience import until


async def test_it_drains_full_batches_without_a_pause(service: ModelService, watch: Start) -> None:
    """2500 events are three polls in a row, each after the last id of the one before (§4.2, §8)."""
    service.write(*range(1, 2501))
    with service.serve():
        async with watch() as watching:
            watching.watch.set_poll_settings(PollSettings(3600.0, is_adaptive=False))
            await until(lambda: len(watching.ids) == 2500)
            assert watching.ids == list(range(1, 2501))
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
async def test_a_failure_keeps_the_cursor(service: ModelService, watch: Start, answer: Response) -> None:
    """It is told with the time until the next try, and what was there comes once."""
    service.write(1, 2)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1, 2])
            service.unruly = [answer]
            watching.watch.try_now()
            await until(lambda: watching.told(ServiceUnavailable))
            service.write(3)
            watching.watch.try_now()
            await until(lambda: watching.told(ServiceRestored))
            await until(lambda: watching.ids == [1, 2, 3])
            assert watching.told(ServiceUnavailable)[0].wait == 1
            assert service.cursors[-2:] == [2, 2]


async def test_the_wait_grows_while_polls_fail(service: ModelService, watch: Start) -> None:
    """A service that answers other calls but not polls is not hammered either."""
    service.unruly = [refusal("server", "generic", 500) for _ in range(3)]
    with service.serve():
        async with watch() as watching:
            for times in (1, 2, 3):
                await until(lambda: len(watching.told(ServiceUnavailable)) == times)  # noqa: B023
                watching.watch.try_now()
            await until(lambda: watching.told(ServiceRestored))
            assert [away.wait for away in watching.told(ServiceUnavailable)] == [1, 2, 4]


async def test_nothing_is_missed_by_a_restart(service: ModelService, watch: Start) -> None:
    """What was written while nobody listened comes as soon as the service is back at its address."""
    service.write(1, 2)
    with ExitStack() as first:
        first.enter_context(service.serve())
        async with watch() as watching:
            await until(lambda: watching.ids == [1, 2])
            first.close()
            watching.watch.try_now()
            await until(lambda: watching.told(ServiceUnavailable))
            service.write(3, 4)
            with service.serve():
                watching.watch.try_now()
                await until(lambda: watching.ids == [1, 2, 3, 4])


async def test_a_service_that_holds_requests_is_followed_just_the_same(
    service: ModelService, watch: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer comes when something happens; until then it is told that the service is there."""
    monkeypatch.setattr(follower_module, "_LATE", 0.1)
    service.hold = 5
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.told(PollHeld))
            service.write(1)
            await until(lambda: watching.ids == [1], seconds=1)
            watching.watch.try_now()
            service.write(2)
            await until(lambda: watching.ids == [1, 2], seconds=1)
            polled = [one.milliseconds for one in watching.told(EventsReceived) if one.batch.source == "poll"]
            assert polled[0] is None  # how long it was held is no latency


async def test_holding_for_longer_than_the_client_waits_is_no_failure(
    service: ModelService, watch: Start
) -> None:
    """The service answers other calls, so it is asked again from the same place and nothing is told."""
    service.hold = 60
    with service.serve():
        async with watch(timeout=0.2) as watching:
            await until(lambda: len(service.cursors) >= 3)
            service.write(1)
            await until(lambda: watching.ids == [1], seconds=2)
            assert watching.told(ServiceUnavailable) == []


async def test_a_batch_that_leads_nowhere_is_not_asked_for_in_a_rush(
    service: ModelService, watch: Start
) -> None:
    """A service that repeats a thousand events below the cursor is polled at the usual pace."""
    with service.serve():
        async with watch() as watching:
            service.write(*range(-1000, 0))
            service.unruly = [JSONResponse(service.log) for _ in range(50)]
            await until(lambda: watching.ids)
            before = len(service.cursors)
            await asyncio.sleep(0.5)
            assert len(service.cursors) - before <= 2


async def test_ids_out_of_order_and_types_unheard_of_come_as_they_are(
    service: ModelService, watch: Start
) -> None:
    """The cursor is the highest id; records with keys of tomorrow pass."""
    service.write(7, 5)
    service.write(6, kind="MOON_LANDING", crew=["a"], object_id="seven")
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [7, 5, 6])
            assert watching.watch.last_id == 7
            landing = watching.told(EventsReceived)[-1].batch.events[-1]
            assert landing.type == "MOON_LANDING"
            assert landing.unknown == {"crew": ["a"], "object_id": "seven"}


async def test_a_refusal_ends_the_watch_until_it_is_tried_again(service: ModelService, watch: Start) -> None:
    """A call that the service finds malformed is not repeated for ever."""
    service.write(1)
    service.unruly = [refusal("api", "invalid_request_method", 400)]
    with service.serve():
        async with watch() as watching:
            await until(watching.task.done)
            assert len(watching.told(PollRefused)) == 1
            watching.go_on()
            await until(lambda: watching.ids == [1])


async def test_a_jump_of_the_time_of_day_is_looked_into(service: ModelService, watch: Start) -> None:
    """A computer that slept may have lost its session and its connections; the cursor stays."""
    service.write(1)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1])
            watching.watch._time_of_day = lambda: time.time() + 7200
            service.write(2)
            watching.watch.try_now()
            await until(lambda: watching.ids == [1, 2])
            assert [round(one.seconds) for one in watching.told(ClockJumped)] == [7200]
            assert len(watching.told(EventsReceived)) >= 2


async def test_a_clock_that_is_set_back_is_looked_into(
    service: ModelService, watch: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As much as one that is set ahead: the session is read again, and the feed goes on where it was."""
    service.write(1)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1])
            reads = 0
            read = watching.client.read_session

            async def counted() -> Session:
                nonlocal reads
                reads += 1
                return await read()

            monkeypatch.setattr(watching.client, "read_session", counted)
            watching.watch._time_of_day = lambda: time.time() - 7200
            service.write(2)
            watching.watch.try_now()
            await until(lambda: watching.ids == [1, 2])
            assert [round(one.seconds) for one in watching.told(ClockJumped)] == [-7200]
            assert reads == 1


async def test_ids_that_were_passed_are_asked_for_again(service: ModelService, watch: Start) -> None:
    """What becomes visible late comes with the next poll, also where the service holds requests."""
    service.hold = 5
    service.write(1, 4)
    with service.serve():
        async with watch() as watching:
            await until(lambda: watching.ids == [1, 4])
            service.write(3)
            await until(lambda: watching.ids == [1, 4, 3], seconds=3)
            assert watching.watch.ledger.counts.open == 1
            assert watching.watch.last_id == 4
