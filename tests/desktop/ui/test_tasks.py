"""Tests of the named task runner."""

import asyncio
import inspect
from functools import partial

from pytestqt.qtbot import QtBot

from cdb_desktop.ui.tasks import RunningTask, Tasks


async def _sleep(log: list[str], name: str) -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        log.append(name)
        raise


async def _fail() -> None:
    raise LookupError("gone")


async def test_a_new_task_cancels_the_old_one_of_its_name(qtbot: QtBot) -> None:
    """Tasks with other names continue."""
    ended: list[str] = []
    async with Tasks(_never) as tasks:
        tasks.start("search", _sleep(ended, "first"))
        tasks.start("count", _sleep(ended, "other"))
        await asyncio.sleep(0)
        tasks.start("search", _sleep(ended, "second"))
        await asyncio.sleep(0.01)
        assert ended == ["first"]
        assert tasks.is_running("search")
    assert sorted(ended) == ["first", "other", "second"]


async def test_no_exception_is_lost(qtbot: QtBot) -> None:
    """It is passed to the task's handler or to the general one."""
    reported: list[Exception] = []
    taken: list[Exception] = []
    async with Tasks(reported.append) as tasks:
        tasks.start("plain", _fail())
        tasks.start("careful", _fail(), on_error=taken.append)
        await asyncio.sleep(0.01)
        assert not tasks.is_running("plain")
    assert [str(error) for error in (*reported, *taken)] == ["gone", "gone"]
    assert len(reported) == 1


async def test_tasks_with_a_title_are_announced_until_they_end(qtbot: QtBot) -> None:
    """Tasks without a title are not."""
    announced: list[tuple[RunningTask, ...]] = []
    ended: list[str] = []
    async with Tasks(_never) as tasks:
        tasks.running_changed.connect(announced.append)
        tasks.start("poll", _sleep(ended, "poll"))
        tasks.start("export", _sleep(ended, "export"), title="Exporting")
        await asyncio.sleep(0)
        tasks.cancel("export")
        await asyncio.sleep(0)
        assert tasks.running == ()
    assert announced == [(RunningTask("export", "Exporting"),), ()]


async def test_cancellation_by_the_user_is_reported_to_the_starter(qtbot: QtBot) -> None:
    """Not if a newer task replaces it, if its pane cancels it, or when the runner closes."""
    ended: list[str] = []
    given_up: list[str] = []
    tasks = Tasks(_never)
    for name in ("first", "second", "third"):
        tasks.start("load", _sleep(ended, name), on_given_up=partial(given_up.append, name))
        await asyncio.sleep(0)
    assert given_up == []
    tasks.give_up("load")
    await asyncio.sleep(0.01)
    assert (ended, given_up) == (["first", "second", "third"], ["third"])
    tasks.give_up("load")
    tasks.start("load", _sleep(ended, "fourth"), on_given_up=lambda: given_up.append("fourth"))
    tasks.cancel("load")
    tasks.start("load", _sleep(ended, "fifth"), on_given_up=lambda: given_up.append("fifth"))
    await tasks.close()
    assert given_up == ["third"]


async def test_a_newer_task_of_the_same_name_is_announced_once(qtbot: QtBot) -> None:
    """It is listed without interruption."""
    announced: list[tuple[RunningTask, ...]] = []
    async with Tasks(_never) as tasks:
        tasks.running_changed.connect(announced.append)
        for _turn in range(3):
            tasks.start("load", asyncio.sleep(60), title="Loading")
        assert announced == [(RunningTask("load", "Loading"),)] * 3
        tasks.start("load", asyncio.sleep(60))
        assert announced[3:] == [()]


async def test_closing_waits_for_cleanup(qtbot: QtBot) -> None:
    """Cleanup code is not cancelled."""
    steps: list[str] = []

    async def careful() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.02)
            steps.append("cleaned")

    tasks = Tasks(_never)
    tasks.start("careful", careful())
    await asyncio.sleep(0)
    await tasks.close()
    assert steps == ["cleaned"]


async def test_no_task_starts_after_closing(qtbot: QtBot) -> None:
    """The coroutine is closed and never awaited."""
    begun: list[str] = []

    async def late() -> None:
        begun.append("late")

    tasks = Tasks(_never)
    await tasks.close()
    work = late()
    tasks.start("late", work, title="Too late")
    await asyncio.sleep(0)
    assert (begun, tasks.running, inspect.getcoroutinestate(work)) == ([], (), inspect.CORO_CLOSED)


def _never(error: Exception) -> None:
    raise AssertionError(error)
