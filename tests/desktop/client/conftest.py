"""Fixtures of the client's tests: the canned service and a client of it."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from cdb_desktop.client import Client
from tests.desktop.client.canned_service import CannedService, running_service


@pytest.fixture(scope="package")
def _service() -> Iterator[CannedService]:
    with running_service() as service:
        yield service


@pytest.fixture
def service(_service: CannedService) -> CannedService:
    """The canned service after a reset."""
    _service.reset()
    return _service


@pytest_asyncio.fixture
async def client(service: CannedService) -> AsyncIterator[Client]:
    """A client of the canned service, with a session that is signed in."""
    async with Client(service.url, timeout=5.0) as client:
        await client.authenticate("root", "swordfish & co")
        service.requests.clear()
        yield client
