"""Fixtures of the tests of the log follower: a service, and a follower whose reports are recorded."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from cdb_desktop.client import Client
from cdb_desktop.live.log_follower import EventsReceived, FollowerReport, LogFollower
from tests.desktop.live.model_service import ModelService

Kind = TypeVar("Kind")


@dataclass
class RunningFollower:
    """A follower that runs, its client, and what it has reported."""

    client: Client
    reports: list[FollowerReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert self.client.session is not None
        self.follower = LogFollower(self.client, self.client.session, self.reports.append)
        self.task = asyncio.ensure_future(self.follower.run())

    @property
    def ids(self) -> list[int]:
        """The received ids in their order."""
        return [event.id for one in self.reported(EventsReceived) for event in one.batch.events]

    def reported(self, kind: type[Kind]) -> list[Kind]:
        """The reports of one type."""
        return [report for report in self.reports if isinstance(report, kind)]

    def run_again(self) -> None:
        """Runs the follower again after it has stopped."""
        self.task = asyncio.ensure_future(self.follower.run())


StartFollower = Callable[..., AbstractAsyncContextManager[RunningFollower]]


@pytest.fixture
def service() -> ModelService:
    """A service that is not served yet."""
    return ModelService()


@pytest.fixture
def start(service: ModelService) -> StartFollower:
    """A context with a running follower of the service, which has to be served."""

    @asynccontextmanager
    async def running(timeout: float = 5.0) -> AsyncIterator[RunningFollower]:  # noqa: ASYNC109
        async with Client(service.url, timeout=timeout) as client:
            await client.authenticate("root", "x")
            one = RunningFollower(client)
            try:
                yield one
            finally:
                one.task.cancel()
                await asyncio.wait([one.task])

    return running
