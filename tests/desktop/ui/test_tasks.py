"""Tests of the named task runner."""

from __future__ import annotations

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


async def test_a_new_task_ends_the_old_one_of_its_name(qtbot: QtBot) -> None:
    """Only the newest search counts; others go on."""
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


async def test_no_failure_is_lost(qtbot: QtBot) -> None:
    """It goes to the one who asked for it, or to the report."""
    reported: list[Exception] = []
    taken: list[Exception] = []
    async with Tasks(reported.append) as tasks:
        tasks.start("plain", _fail())
        tasks.start("careful", _fail(), on_error=taken.append)
        await asyncio.sleep(0.01)
        assert not tasks.is_running("plain")
    assert [str(error) for error in (*reported, *taken)] == ["gone", "gone"]
    assert len(reported) == 1


async def test_work_with_a_title_is_shown_until_it_ends(qtbot: QtBot) -> None:
    """The status bar hears of it, but not of work in the background."""
    told: list[tuple[RunningTask, ...]] = []
    ended: list[str] = []
    async with Tasks(_never) as tasks:
        tasks.running_changed.connect(told.append)
        tasks.start("poll", _sleep(ended, "poll"))
        tasks.start("export", _sleep(ended, "export"), title="Exporting")
        await asyncio.sleep(0)
        tasks.cancel("export")
        await asyncio.sleep(0)
        assert tasks.running == ()
    assert told == [(RunningTask("export", "Exporting"),), ()]


async def test_who_began_work_is_told_when_the_user_gives_it_up(qtbot: QtBot) -> None:
    """Not when newer work takes its place, nor when its pane ends it, nor at the end of all."""
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


async def test_newer_work_of_the_same_name_is_told_once(qtbot: QtBot) -> None:
    """In between there is no moment without it."""
    told: list[tuple[RunningTask, ...]] = []
    async with Tasks(_never) as tasks:
        tasks.running_changed.connect(told.append)
        for _turn in range(3):
            tasks.start("load", asyncio.sleep(60), title="Loading")
        assert told == [(RunningTask("load", "Loading"),)] * 3
        tasks.start("load", asyncio.sleep(60))
        assert told[3:] == [()]


async def test_closing_waits_until_everything_has_been_put_away(qtbot: QtBot) -> None:
    """Cleaning up takes its time and is not cut off."""
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


async def test_after_closing_nothing_is_begun(qtbot: QtBot) -> None:
    """What is asked for too late has nobody left to tell how it went, and leaves nothing that waits."""
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
