"""Story: a feed that is open all day survives every failure of its service without losing an event."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from cdb_desktop.app.folders import UserFolders
from tests.desktop.patience import until
from tests.journeys.feed import Follower, following, log_in_concurrently, log_in_repeatedly
from tests.server import started
from tests.server_process import ServerProcess

pytestmark = pytest.mark.skipif(os.name == "nt", reason="stops by signals")


class Service:
    """A server that stops and restarts at its address."""

    def __init__(self, file: Path, stack: ExitStack) -> None:
        self.file = file
        self._stack = stack
        self.process, self.url = self._started("0")

    def kill(self) -> None:
        """Kills the server."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Restarts it at the same address with the same data."""
        self.process, _ = self._started(self.url.rpartition(":")[2])

    def _started(self, port: str) -> tuple[ServerProcess, str]:
        return self._stack.enter_context(started(self.file, "--port", port))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Stops the servers at the end."""
    with ExitStack() as stack:
        yield stack


@pytest.mark.timeout(120)
@pytest.mark.parametrize("seconds", [2, pytest.param(30, marks=pytest.mark.long)])
async def test_a_day_of_a_feed(
    folders: UserFolders, own_museum: Path, stack: ExitStack, seconds: int
) -> None:
    """After each failure the missed events arrive, every id is classified, and the ledger is correct."""
    service = Service(own_museum, stack)
    async with following(folders, service.url) as one:
        for befalls in (_is_killed, _stands_still, _sleeps, _forgets):
            await one.see(await log_in_repeatedly(service.url, 2))
            before = one.ids
            last = await befalls(one, service, seconds)
            await one.see(last)
            await until(lambda: one.visit.live.is_following)
            assert one.ids[: len(before)] == before
            one.check_against(own_museum)


async def _is_killed(one: Follower, service: Service, _seconds: int) -> int:
    service.kill()
    await until(lambda: "trying again" in one.visit.live.strip.status.text())
    service.restart()
    last = await log_in_repeatedly(service.url, 2)
    one.controller.try_now()
    return last


async def _stands_still(_one: Follower, service: Service, seconds: int) -> int:
    # It neither responds nor exits.
    service.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    service.process.send_signal(signal.SIGCONT)
    return await log_in_repeatedly(service.url, 2)


async def _sleeps(one: Follower, service: Service, _seconds: int) -> int:
    watch = one.controller._follower
    day = watch._time_of_day
    watch._time_of_day = lambda: day() + 3 * 3600
    last = await log_in_repeatedly(service.url, 2)
    await until(lambda: one.visit.live.notices.title == "The time of day has jumped by 180 min")
    return last


async def _forgets(one: Follower, service: Service, _seconds: int) -> int:
    # The session expires; the password is known, so no dialog opens.
    with closing(sqlite3.connect(service.file, timeout=10)) as database, database:
        database.execute("UPDATE _session SET last_used = 0")
    last = await log_in_repeatedly(service.url, 2)
    await until(lambda: one.visit.live.notices.title == "A gap was filled", 20)
    return last


@pytest.mark.timeout(300)
@pytest.mark.parametrize("number", [200, pytest.param(5000, marks=pytest.mark.long)])
async def test_log_ins_in_bursts_while_events_are_deleted(
    folders: UserFolders, own_museum: Path, stack: ExitStack, number: int
) -> None:
    """Every id is classified correctly."""
    service = Service(own_museum, stack)
    async with following(folders, service.url) as one:
        gone = asyncio.Event()

        async def delete() -> None:
            client = one.controller._follower._client
            while not gone.is_set():
                last = one.ledger.last
                await client.delete_events([last + 2, last + 3, *range(last - 40, last, 7)])
                await asyncio.sleep(0.05)

        deleting = asyncio.create_task(delete())
        last = 0
        for _ in range(4):
            last = await log_in_concurrently(service.url, number // 4)
        gone.set()
        await deleting
        last = await log_in_repeatedly(service.url, 1)
        await one.see(last)
        one.check_against(own_museum)
        assert one.ledger.counts.total >= 2 * number
        assert one.ledger.counts.deleted > 0
