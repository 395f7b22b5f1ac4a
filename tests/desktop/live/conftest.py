"""What the tests of the watch share: a service of their own, and a watch that writes down what it tells."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from cdb_desktop.client import Client
from cdb_desktop.live.log_follower import LogFollower
from cdb_desktop.live.reports import EventsReceived, FollowerReport
from tests.desktop.live.model_service import ModelService

Kind = TypeVar("Kind")


@dataclass
class Watching:
    """A watch that runs, its client, and what it has told."""

    client: Client
    reports: list[FollowerReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        assert self.client.session is not None
        self.watch = LogFollower(self.client, self.client.session, self.reports.append)
        self.task = asyncio.ensure_future(self.watch.run())

    @property
    def ids(self) -> list[int]:
        """The ids that have come, in their order."""
        return [event.id for one in self.told(EventsReceived) for event in one.batch.events]

    def told(self, kind: type[Kind]) -> list[Kind]:
        """The reports of one kind."""
        return [report for report in self.reports if isinstance(report, kind)]

    def go_on(self) -> None:
        """Runs again after an end."""
        self.task = asyncio.ensure_future(self.watch.run())


Start = Callable[..., AbstractAsyncContextManager[Watching]]


@pytest.fixture
def service() -> ModelService:
    """A service that is not served yet."""
    return ModelService()


@pytest.fixture
def watch(service: ModelService) -> Start:
    """A block with a watch over the service, which is served by then."""

    @asynccontextmanager
    async def watching(timeout: float = 5.0) -> AsyncIterator[Watching]:  # noqa: ASYNC109
        async with Client(service.url, timeout=timeout) as client:
            await client.authenticate("root", "x")
            one = Watching(client)
            try:
                yield one
            finally:
                one.task.cancel()
                await asyncio.wait([one.task])

    return watching
