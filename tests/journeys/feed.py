"""Helpers of the stories about the feed: a window with a feed, and other clients that cause events."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cdb_desktop.app.folders import UserFolders
from cdb_desktop.app.options import Options
from cdb_desktop.client import Client
from cdb_desktop.live.gap_detection import IdLedger, IdState
from cdb_desktop.ui.live.controller import LiveController
from tests.desktop.patience import until
from tests.journeys.server import fetch_rows
from tests.journeys.visit import Visit, visiting

_SETTLED = 0.5  # seconds; the default of ten would only make the stories slower


class Follower:
    """A user with a running feed."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.controller = visit.part(LiveController)
        self.ledger.set_settle_time(_SETTLED)
        schedule = self.ledger.schedule
        schedule._first_checks = deque(one._replace(due=0.0) for one in schedule._first_checks)

    @property
    def ledger(self) -> IdLedger:
        """The ledger of ids."""
        return self.controller.ledger

    @property
    def ids(self) -> list[int]:
        """The ids in the rows."""
        model = self.visit.live.model
        return [model.event_at(row).id for row in range(model.rowCount())]

    async def see(self, last: int) -> None:
        """Waits until an event has arrived and every id up to it is classified, and for the rows."""
        await until(lambda: self.ledger.state(last) is IdState.RECEIVED, 20)
        await until(lambda: not self.ledger.counts.open, 20)
        # Rows are added in steps, a moment after the ledger knows their events.
        await until(lambda: self._received <= set(self.ids), 20)

    @property
    def _received(self) -> set[int]:
        """The ids that the feed has received."""
        balance = self.ledger.counts
        every = range(balance.first, balance.last + 1)
        return {number for number in every if self.ledger.state(number) is IdState.RECEIVED}

    def check_against(self, file: Path) -> None:
        """Checks that the state of every id in the ledger matches the database."""
        stored = {
            number: (kind, pollable, base)
            for number, kind, pollable, base in fetch_rows(
                file, "SELECT id, type, pollable, base_type FROM _event"
            )
        }
        balance = self.ledger.counts
        assert balance.unexplained == 0
        shown = self.ids
        known = set(shown)
        assert len(known) == len(shown)
        for number in range(balance.first, balance.last + 1):
            state = self.ledger.state(number)
            if state is IdState.RECEIVED:
                assert number in known
            elif state is IdState.DELETED:
                assert number not in stored
            elif number in stored:
                assert (state is IdState.UNPOLLABLE) is (not stored[number][1])
                assert state is not IdState.HIDDEN or stored[number][0] in {"OBJECT_INSERT", "OBJECT_UPDATE"}


@asynccontextmanager
async def following(folders: UserFolders, url: str) -> AsyncIterator[Follower]:
    """A context manager with the window of root and a running feed."""
    async with visiting(folders, Options(server=url, login="root", password="admin")) as visit:
        await until(lambda: visit.live.is_following and visit.live.has_rows)
        yield Follower(visit)


async def log_in_repeatedly(url: str, times: int) -> int:
    """Logs in repeatedly, with events between that polls omit; returns the id of the last log-in."""
    async with Client(url) as client:
        for _ in range(times):
            session = await client.authenticate("support", "support")
            await client.insert_event("SEARCH")
            await client.deauthenticate()
        session = await client.authenticate("support", "support")
        assert session.current_max_event_id is not None
        return session.current_max_event_id


async def log_in_concurrently(url: str, number: int, at_once: int = 8) -> int:
    """Logs in repeatedly, several at a time; returns the id of the last log-in."""
    shares = [number // at_once] * at_once
    last = await asyncio.gather(*(log_in_repeatedly(url, share - 1) for share in shares))
    return max(last)
