"""Tests of fetching selected events by id, with the reference server."""

import pytest

from cdb_desktop.client import Capabilities, Client, Event
from cdb_desktop.ui.events.browser import event_requests as module
from cdb_desktop.ui.events.browser.event_requests import events_by_id
from tests.desktop.ui.conftest import SignIn
from tests.server import both_generations

GONE = 10**9
CLOSE = [*range(3, 900, 2), *range(905, 1_100)]
CHOSEN = [*reversed(CLOSE), GONE, *range(GONE + 5, GONE + 90)]


@pytest.fixture
def single(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids that were requested individually."""
    requested: list[int] = []
    ask = Client.event

    async def asking(client: Client, number: int) -> Event:
        requested.append(number)
        return await ask(client, number)

    monkeypatch.setattr(Client, "event", asking)
    return requested


async def read(client: Client, *, short: bool = False) -> list[Event]:
    """Returns all events of ``CHOSEN`` that exist."""
    return [one async for some in events_by_id(client, CHOSEN, short=short) for one in some]


@both_generations
async def test_close_ids_are_fetched_in_pages(sign_in: SignIn, single: list[int], generation: int) -> None:
    """Each event comes once and completely; deleted ones are omitted.

    Isolated ones are fetched individually where the service has no filter by ids.
    """
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
    assert single == ([7, 9, 1_500] if generation == 5 else [])


@pytest.mark.generation5("ids are found by pages")
async def test_moved_events_are_found(
    sign_in: SignIn, single: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deletions between two requests shift offsets."""

    async def late(*_given: object, **_known: object) -> int:
        return 500

    monkeypatch.setattr(module, "find_row", late)
    async with sign_in() as client:
        assert [event.id for event in await read(client)] == CLOSE
    assert set(CLOSE[:200]) < set(single)


async def test_an_old_service_is_asked_for_each_event(
    sign_in: SignIn, single: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 5.140 lists contain short records only (§9 rule 2), which suffice for some uses."""
    async with sign_in() as client:
        monkeypatch.setattr(Client, "capabilities", Capabilities(full_list=False))
        monkeypatch.setattr(module, "_FEWEST", 2)
        some = [one async for found in events_by_id(client, [4, 5, 6], short=True) for one in found]
        assert ([event.id for event in some], single) == ([4, 5, 6], [])
        assert [one.id async for found in events_by_id(client, [4, 5, 6]) for one in found] == [4, 5, 6]
    assert single == [4, 5, 6]
