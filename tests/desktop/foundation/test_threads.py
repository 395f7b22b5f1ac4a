"""Tests of work on threads that nobody waits for at the end."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cdb_desktop.foundation.threads import run_in_thread


async def test_what_the_work_gives_comes_back() -> None:
    """It was done on another thread."""
    assert await run_in_thread(threading.get_ident) != threading.get_ident()


async def test_arguments_are_passed() -> None:
    """By position and by name."""
    assert await run_in_thread(sorted, [1, 3, 2], reverse=True) == [3, 2, 1]


async def test_the_loop_goes_on_while_a_thread_works() -> None:
    """The result is there as soon as the function returns."""
    go = threading.Event()
    waiting = asyncio.create_task(run_in_thread(go.wait, 10))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    go.set()
    assert await waiting is True


async def test_what_the_work_raises_is_raised_where_it_is_awaited() -> None:
    """As if it had been called there."""
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 / 0)


async def test_work_that_nobody_waits_for_any_more_ends_in_silence() -> None:
    """The thread goes on, its outcome is dropped, and it never holds up the end of the program."""
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
