"""Tests of the way through a whole result while it changes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cdb_desktop.client import Event
from cdb_desktop.events.pages import PAGE
from cdb_desktop.events.parting import events_of
from cdb_desktop.events.walk import walk


class Log:
    """A service's list by id, in which rows vanish and appear between two calls."""

    def __init__(self, ids: Sequence[int], *, descending: bool = False) -> None:
        self.ids = list(ids)
        self.gone: dict[int, range] = {}
        self.arriving: dict[int, range] = {}
        self.calls = 0
        self._descending = descending

    async def fetch(self, offset: int) -> Sequence[Event]:
        gone = self.gone.get(self.calls, range(0))
        self.ids = [one for one in self.ids if one not in gone] + list(self.arriving.get(self.calls, ()))
        self.calls += 1
        ordered = sorted(self.ids, reverse=self._descending)
        return [Event(id=one) for one in ordered[offset : offset + PAGE]]


async def met(log: Log, *, descending: bool = False, up_to: int | None = None) -> list[int]:
    """The ids that a walk comes across."""
    pages = walk(log.fetch, descending=descending, up_to=up_to)
    return [event.id async for page in pages for event in events_of(page)]


@pytest.mark.parametrize("count", [0, 1, 999, 1_000, 1_001, 2_500])
@pytest.mark.parametrize("descending", [False, True])
async def test_every_event_is_met_once(count: int, descending: bool) -> None:
    """Whatever the pages are cut like."""
    ids = list(range(1, count + 1))
    found = await met(Log(ids, descending=descending), descending=descending)
    assert found == sorted(ids, reverse=descending)


@pytest.mark.parametrize("gone", [range(1, 400), range(990, 1_010), range(500, 2_400), range(1, 2_501)])
@pytest.mark.parametrize("descending", [False, True])
async def test_what_others_delete_hides_nothing(gone: range, descending: bool) -> None:
    """What remains is met, once and in order."""
    log = Log(range(1, 2_501), descending=descending)
    log.gone = {1: gone}
    found = await met(log, descending=descending)
    assert set(log.ids) <= set(found)
    assert found == sorted(set(found), reverse=descending)


@pytest.mark.parametrize("descending", [False, True])
async def test_what_arrives_meanwhile_is_left_out(descending: bool) -> None:
    """Also where it comes in front, and moves everything down."""
    log = Log(range(1, 2_501), descending=descending)
    log.arriving = {call: range(2_501 + 700 * call, 3_201 + 700 * call) for call in range(1, 4)}
    found = await met(log, descending=descending, up_to=2_500)
    assert found == sorted(range(1, 2_501), reverse=descending)
