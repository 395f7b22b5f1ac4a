"""Fixtures for the tests of the panes: a client signed in at the reference server, and the language."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from cdb_desktop.client import Client

SignIn = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(autouse=True)
def _no_modifier_keys(qapp: QApplication) -> Iterator[None]:
    """Releases the modifier keys, which Qt takes for pressed after a simulated key with one."""
    yield
    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        widget = QWidget()
        QTest.keyRelease(widget, Qt.Key.Key_Shift, Qt.KeyboardModifier.NoModifier)
        widget.deleteLater()


@pytest.fixture
def sign_in(reference_server: str, reference_servers: Callable[[int], str], generation: int) -> SignIn:
    """Returns a context manager that yields a signed-in client, by default of root."""
    # Modules with data of their own replace the server of generation 5.
    return sign_in_at(reference_server if generation == 5 else reference_servers(generation))


def sign_in_at(url: str) -> SignIn:
    """Returns what `sign_in` does, for another server."""
    return partial(_signed_in, url)


@asynccontextmanager
async def _signed_in(
    url: str,
    login: str = "root",
    password: str = "admin",  # noqa: S107
    **options: Any,
) -> AsyncIterator[Client]:
    # As in the program, the loop does not end with the last window.
    QApplication.setQuitOnLastWindowClosed(False)
    async with Client(url, **options) as client:
        await client.authenticate(login, password)
        yield client
    # Transports of cancelled requests close their sockets in later iterations of the loop.
    await asyncio.sleep(0.02)
