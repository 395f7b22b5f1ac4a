"""Tests of fetching the page that comes next before it is wanted."""

from __future__ import annotations

import asyncio

import pytest

from cdb_desktop.events.ahead import Ahead


class Service:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.cancelled: list[int] = []
        self.may_answer = asyncio.Event()

    async def fetch(self, offset: int) -> str:
        self.asked.append(offset)
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.cancelled.append(offset)
            raise
        if offset < 0:
            raise ValueError("no such page")
        return f"page from {offset}"


async def test_what_is_expected_is_on_its_way_already() -> None:
    """One call, which has begun before the page is wanted."""
    service = Service()
    ahead = Ahead(service.fetch)
    ahead.expect(999)
    await asyncio.sleep(0)
    assert service.asked == [999]
    service.may_answer.set()
    assert await ahead.page(999) == "page from 999"
    assert service.asked == [999]


async def test_another_page_than_the_expected_is_fetched_instead() -> None:
    """And the expected one is given up."""
    service = Service()
    ahead = Ahead(service.fetch)
    ahead.expect(999)
    await asyncio.sleep(0)
    wanted = asyncio.create_task(ahead.page(0))
    await asyncio.sleep(0)
    service.may_answer.set()
    assert await wanted == "page from 0"
    assert service.cancelled == [999]


async def test_a_failure_is_told_to_whoever_wants_the_page() -> None:
    """Not before, and to nobody else."""
    service = Service()
    service.may_answer.set()
    ahead = Ahead(service.fetch)
    ahead.expect(-1)
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="no such page"):
        await ahead.page(-1)


async def test_nothing_goes_on_after_the_end() -> None:
    """Whether somebody waits for the page or nobody does."""
    service = Service()
    ahead = Ahead(service.fetch)
    ahead.expect(999)
    await asyncio.sleep(0)
    waiting = asyncio.create_task(ahead.page(999))
    await asyncio.sleep(0)
    waiting.cancel()
    ahead.expect(1_998)
    await asyncio.sleep(0)
    ahead.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.sleep(0)
    assert service.cancelled == [999, 1_998]
    assert asyncio.all_tasks() == {asyncio.current_task()}
