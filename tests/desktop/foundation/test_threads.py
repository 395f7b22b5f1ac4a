"""Tests of functions in threads that do not delay the exit."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cdb_desktop.foundation.threads import run_in_thread


async def test_the_result_is_returned() -> None:
    """The function runs in another thread."""
    assert await run_in_thread(threading.get_ident) != threading.get_ident()


async def test_arguments_are_passed() -> None:
    """They are passed by position and by name."""
    assert await run_in_thread(sorted, [1, 3, 2], reverse=True) == [3, 2, 1]


async def test_the_loop_continues_while_a_thread_works() -> None:
    """The result is available as soon as the function returns."""
    go = threading.Event()
    waiting = asyncio.create_task(run_in_thread(go.wait, 10))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    go.set()
    assert await waiting is True


async def test_an_exception_is_raised_where_the_call_is_awaited() -> None:
    """It is raised as if the function had been called there."""
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 / 0)


async def test_a_cancelled_call_is_ignored() -> None:
    """The thread continues, its result is dropped, and it does not delay the exit."""
    go, threads = threading.Event(), set(threading.enumerate())
    waiting = asyncio.create_task(run_in_thread(lambda: go.wait(10)))
    await asyncio.sleep(0)
    (thread,) = set(threading.enumerate()) - threads
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert thread.daemon
    go.set()
    thread.join(10)
