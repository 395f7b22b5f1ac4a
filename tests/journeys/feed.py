"""What the stories of the feed share: a window that follows, and others who make things happen meanwhile."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client
from cdb_desktop.live.gap_detection import IdLedger
from cdb_desktop.live.interval_map import IdState
from cdb_desktop.ui.live.controller import LiveController
from tests.desktop.patience import until
from tests.journeys.server import looked_up
from tests.journeys.visit import Visit, visiting

_SETTLED = 0.5  # seconds; ten would only make the stories longer


class Follower:
    """Somebody whose feed runs."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.controller = visit.part(LiveController)
        self.ledger.set_settle_time(_SETTLED)
        schedule = self.ledger._schedule
        schedule._first_checks = deque(one._replace(due=0.0) for one in schedule._first_checks)

    @property
    def ledger(self) -> IdLedger:
        """The account of ids."""
        return self.controller.ledger

    @property
    def ids(self) -> list[int]:
        """The ids in the rows."""
        model = self.visit.live.model
        return [model.event_at(row).id for row in range(model.rowCount())]

    async def see(self, last: int) -> None:
        """Waits until an event has come and every id up to it is explained."""
        await until(lambda: self.ledger.state(last) is IdState.RECEIVED, 20)
        await until(lambda: not self.ledger.counts.open, 20)

    def check_against(self, file: Path) -> None:
        """What the account says of every id is what lies in the database: nothing is lost, nothing twice."""
        stored = {
            number: (kind, pollable, base)
            for number, kind, pollable, base in looked_up(
                file, "SELECT id, type, pollable, base_type FROM _event"
            )
        }
        balance = self.ledger.counts
        assert balance.unexplained == 0
        shown = self.ids
        known = set(shown)
        assert len(known) == len(shown)
        for number in range(balance.first, balance.last + 1):
            told = self.ledger.state(number)
            if told is IdState.RECEIVED:
                assert number in known
            elif told is IdState.DELETED:
                assert number not in stored
            elif number in stored:
                assert (told is IdState.UNPOLLABLE) is (not stored[number][1])
                assert told is not IdState.HIDDEN or stored[number][0] in {"OBJECT_INSERT", "OBJECT_UPDATE"}


@asynccontextmanager
async def following(folders: UserFolders, url: str) -> AsyncIterator[Follower]:
    """The window of root with a feed that runs."""
    async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
        await until(lambda: visit.live.is_following and visit.live.has_rows)
        yield Follower(visit)


async def come_and_go(url: str, times: int) -> int:
    """Log-ins of somebody, with events between them that polls do not bring; gives the id of the last one."""
    async with Client(url) as client:
        for _ in range(times):
            session = await client.authenticate("support", "support")
            await client.insert_event("SEARCH")
            await client.deauthenticate()
        session = await client.authenticate("support", "support")
        assert session.current_max_event_id is not None
        return session.current_max_event_id


async def come_in_a_burst(url: str, number: int, at_once: int = 8) -> int:
    """So many log-ins, several at a time; gives the id of the last one."""
    shares = [number // at_once] * at_once
    last = await asyncio.gather(*(come_and_go(url, share - 1) for share in shares))
    return max(last)
