"""Tests of blocking functions in threads."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from cdb_desktop.foundation.threads import open_in_thread, run_in_thread, run_with_progress


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


async def test_progress_is_reported_in_the_loop_a_few_times() -> None:
    """A thousand values in a moment are one report; none is above 1."""
    reports: list[tuple[float, int]] = []

    def work(progress: Callable[[float], None]) -> str:
        for number in range(1000):
            progress(1.5 + number)
        return "done"

    found = await run_with_progress(work, lambda done: reports.append((done, threading.get_ident())))
    await asyncio.sleep(0)
    assert found == "done"
    assert set(reports) == {(1.0, threading.get_ident())}
    assert len(reports) < 100


async def test_cancelled_work_ends_at_its_next_progress() -> None:
    """The function that takes the progress raises an exception."""
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work(progress: Callable[[float], None]) -> None:
        begun.set()
        go_on.wait(10)
        try:
            progress(0.5)
        except Exception:
            ended.set()
            raise

    waiting = asyncio.create_task(run_with_progress(work, lambda _done: None))
    await asyncio.to_thread(begun.wait, 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 10)


async def test_a_cancelled_opening_leaves_no_file_open(tmp_path: Path) -> None:
    """The thread finishes opening the file, which is closed before the cancellation is raised."""
    begun, go_on, files = threading.Event(), threading.Event(), list[IO[bytes]]()

    def slowly() -> IO[bytes]:
        begun.set()
        go_on.wait(10)
        files.append((tmp_path / "part").open("wb"))
        return files[0]

    work = asyncio.ensure_future(open_in_thread(slowly))
    await asyncio.to_thread(begun.wait, 10)
    work.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert files[0].closed
