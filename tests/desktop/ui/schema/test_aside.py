"""Tests that threads never end Qt's objects, whoever waits for them."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest

from cdb_desktop.ui.schema.aside import Aside
from tests.desktop.patience import until


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """The collector works, as it does not in other tests."""
    gc.enable()
    yield
    gc.disable()


async def test_nothing_is_collected_while_a_thread_works() -> None:
    """The collector rests in the thread, and works again afterwards."""
    assert await Aside().run(gc.isenabled) is False
    await until(gc.isenabled)


async def test_it_rests_until_the_last_thread_is_done() -> None:
    """Also when nobody waits for the thread any more."""
    aside, go_on = Aside(), threading.Event()
    waiting = asyncio.create_task(aside.run(go_on.wait, 10.0))
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await aside.run(len, "other work")
    assert not gc.isenabled()
    go_on.set()
    await until(gc.isenabled)
