"""Tests of reading events that were chosen one by one, against the reference server."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Client, Event, Features
from cdb_desktop.ui.events.browser import event_requests as module
from cdb_desktop.ui.events.browser.event_requests import events_by_id
from tests.desktop.ui.conftest import SignIn

GONE = 10**9
CLOSE = [*range(3, 900, 2), *range(905, 1_100)]
CHOSEN = [*reversed(CLOSE), GONE, *range(GONE + 5, GONE + 90)]


@pytest.fixture
def single(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids that are asked for by themselves."""
    asked: list[int] = []
    ask = Client.event

    async def asking(client: Client, number: int) -> Event:
        asked.append(number)
        return await ask(client, number)

    monkeypatch.setattr(Client, "event", asking)
    return asked


async def read(client: Client, *, short: bool = False) -> list[Event]:
    """All that is found of ``CHOSEN``."""
    return [one async for some in events_by_id(client, CHOSEN, short=short) for one in some]


async def test_what_lies_close_together_comes_in_pages(sign_in: SignIn, single: list[int]) -> None:
    """Whole, each once; what is gone is left out, and only what stands alone is asked for by itself."""
    async with sign_in() as client:
        events = await read(client)
        short = await read(client, short=True)
        assert single == []
        assert [event.id for event in events] == [event.id for event in short] == CLOSE
        assert all(event.info is not None for event in events)
        assert [one.id async for some in events_by_id(client, [7, 9, 1_500]) for one in some] == [
            7,
            9,
            1_500,
        ]
    assert single == [7, 9, 1_500]


async def test_what_has_moved_away_is_found_all_the_same(
    sign_in: SignIn, single: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others delete between two calls: a place that was right is too far down."""

    async def late(*_given: object, **_known: object) -> int:
        return 500

    monkeypatch.setattr(module, "find_row", late)
    async with sign_in() as client:
        assert [event.id for event in await read(client)] == CLOSE
    assert set(CLOSE[:200]) < set(single)


async def test_an_old_service_is_asked_for_each(
    sign_in: SignIn, single: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 5.140 lists hold short records only (§9 rule 2), which are enough for some."""
    async with sign_in() as client:
        monkeypatch.setattr(Client, "features", Features(full_list=False))
        monkeypatch.setattr(module, "_FEWEST", 2)
        some = [one async for found in events_by_id(client, [4, 5, 6], short=True) for one in found]
        assert ([event.id for event in some], single) == ([4, 5, 6], [])
        assert [one.id async for found in events_by_id(client, [4, 5, 6]) for one in found] == [4, 5, 6]
    assert single == [4, 5, 6]
