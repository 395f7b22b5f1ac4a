"""Tests of finding ids far down in a list that pages by offset only."""

from __future__ import annotations

from typing import cast

import pytest

from cdb_desktop.client import Client, EventFilter, EventPage
from cdb_desktop.live.event_lookup import FoundEvents, find_events
from tests.desktop.live.model_log import ModelLog


class _LargeLog(ModelLog):
    """A log of many events that counts the requests."""

    def __init__(self, events: int) -> None:
        super().__init__(has_right=True, most=1000)
        self.requests: list[tuple[int, int]] = []
        for number in range(events):
            self.write("unpollable" if number % 3 == 1 else "plain", mine=False, delay=0.0)

    async def list_events(
        self, chosen: EventFilter, *, limit: int, offset: int, skip_count: bool
    ) -> EventPage:
        self.requests.append((limit, offset))
        return await super().list_events(chosen, limit=limit, offset=offset, skip_count=skip_count)


async def _read(model: _LargeLog, *stretches: tuple[int, int], pages: int = 20) -> FoundEvents:
    found = await find_events(cast("Client", model), stretches, pages, lambda _done: None, pollable=True)
    assert found
    return found


def _plain(first: int, last: int) -> set[int]:
    return {one for one in range(first, last + 1) if (one - 1) % 3 != 1}


async def test_two_ids_below_a_hundred_thousand_events_take_a_few_requests() -> None:
    """Not a hundred pages: the offset is found first."""
    model = _LargeLog(60_000)
    found = await _read(model, (1000, 1001))
    assert _plain(1000, 1001) <= set(found.events)
    assert found.down_to == 1000
    assert len(model.requests) <= 10


async def test_several_ranges_are_read_without_the_ids_between() -> None:
    """One skip for each, and full pages within them."""
    model = _LargeLog(40_000)
    stretches = ((39_990, 39_995), (30_000, 32_500), (12_000, 12_000), (2, 5))
    found = await _read(model, *stretches)
    for first, last in stretches:
        assert {one for one in found.events if first <= one <= last} == _plain(first, last)
    assert found.down_to == 2
    assert len(model.requests) <= 35


async def test_an_id_far_above_all_others_does_not_prevent_finding_others() -> None:
    """The density that it suggests is wrong."""
    model = _LargeLog(9_000)
    model.write_wrong(2**60)
    found = await _read(model, (100, 103))
    assert set(found.events) >= _plain(100, 103)
    assert len(model.requests) <= 90


@pytest.mark.parametrize("change", ["write", "delete"])
async def test_changes_while_the_offset_is_found_skip_nothing(change: str) -> None:
    """Events come, or are deleted, between any two requests."""
    model = _LargeLog(20_000)

    def change_it() -> None:
        for _ in range(40):
            if change == "write":
                model.write("plain", mine=False, delay=0.0)
            else:
                del model.log[max(model.log)]

    model.meanwhile = [change_it] * 6
    found = await _read(model, (500, 4000))
    assert set(found.events) == _plain(500, 4000)
    assert found.down_to == 500


async def test_the_result_ends_where_the_pages_end() -> None:
    found = await _read(_LargeLog(30_000), (100, 20_000), pages=4)
    assert 15_000 < found.down_to < 20_000
    assert set(found.events) == _plain(found.down_to, 20_000)
