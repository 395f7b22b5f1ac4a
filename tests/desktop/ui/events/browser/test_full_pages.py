"""Tests of fetching whole events, against the reference server."""

from __future__ import annotations

import pytest

from cdb_desktop.client import AnswerError, Client, EventFilter, Features, ServerError, UnreachableError
from cdb_desktop.events.result import readable_events
from cdb_desktop.ui.events.browser import event_requests
from cdb_desktop.ui.events.browser.event_requests import FullPages, whole_events, with_retries
from tests.desktop.ui.conftest import SignIn

CHOSEN = EventFilter(type=("SCHEMA_COMMIT", "MAPPING_INSERT"))
_CLIENT = Client("http://localhost:1")  # never asked


def _shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tries, one right after the other."""
    for name, value in (("_PAUSE", 0.0), ("_PATIENCE", 0.0), ("_TRIES", 3)):
        monkeypatch.setattr(event_requests, name, value)


async def test_an_old_service_gives_whole_events_one_by_one(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 5.140 lists hold short records only (§9 rule 2); what is backed up is whole all the same."""
    async with sign_in() as client:
        usual = readable_events(await FullPages(client, CHOSEN).fetch(0))
        monkeypatch.setattr(Client, "features", Features(full_list=False))
        old = readable_events(await FullPages(client, CHOSEN).fetch(0))
    assert usual
    assert [event.info_value for event in old] == [event.info_value for event in usual]


async def test_short_records_come_without_info(sign_in: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked for in one call, whatever the age of the service."""
    async with sign_in() as client:
        for features in (client.features, Features(full_list=False)):
            monkeypatch.setattr(Client, "features", features)
            short = readable_events(await FullPages(client, CHOSEN, short=True).fetch(0))
            assert short
            assert all(event.info is None for event in short)


async def test_endless_patience_outlasts_all_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the service is away; what it answers in anger is raised at last."""
    _shorten(monkeypatch)
    portal = AnswerError("web_page_for_json", status=200, content_type="text/html")
    away = [UnreachableError("refused", "no"), portal] * 5
    answers = iter((*away, None, *away, ServerError("server", "error.server.generic")))

    async def ask() -> str:
        error = next(answers)
        if error is not None:
            raise error
        return "here"

    waited: list[int] = []
    assert await with_retries(_CLIENT, ask, lambda: waited.append(1), endless=True) == "here"
    assert len(waited) == 10
    with pytest.raises(ServerError):
        await with_retries(_CLIENT, ask, endless=True)


async def test_what_is_gone_is_left_out(sign_in: SignIn) -> None:
    """The others come in the order of their ids."""
    async with sign_in() as client:
        page = await client.list_events(limit=7)
        ids = [event.id for event in page.events]
        found = await whole_events(client, [*ids[:5], 10**9, *ids[5:]])
    assert [event.id for event in found] == ids


async def test_a_service_that_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """And somebody is told; at the end of all patience the failure is raised."""
    _shorten(monkeypatch)
    waited: list[int] = []
    answers = iter((UnreachableError("refused", "no"), UnreachableError("refused", "no"), None))

    async def ask() -> str:
        error = next(answers, UnreachableError("refused", "no"))
        if error is not None:
            raise error
        return "here"

    assert await with_retries(_CLIENT, ask, lambda: waited.append(1)) == "here"
    assert waited == [1, 1]
    with pytest.raises(UnreachableError):
        await with_retries(_CLIENT, ask)
