"""What the tests of the panes share: a client that is signed in at the reference server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

import pytest

from cdb_desktop.client import Client

SignIn = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def sign_in(reference_server: str) -> SignIn:
    """A block with a client, by default of the user who may do everything."""
    return partial(_signed_in, reference_server)


@asynccontextmanager
async def _signed_in(
    url: str,
    login: str = "root",
    password: str = "admin",  # noqa: S107
) -> AsyncIterator[Client]:
    async with Client(url) as client:
        await client.authenticate(login, password)
        yield client
