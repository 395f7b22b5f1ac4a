"""Tests of fetching complete events, with the reference server."""

import pytest

from cdb_desktop.client import AnswerError, Capabilities, Client, EventFilter, ServerError, UnreachableError
from cdb_desktop.events.result import readable_events
from cdb_desktop.ui.events.browser import event_requests
from cdb_desktop.ui.events.browser.event_requests import FullPages, with_retries
from tests.desktop.ui.conftest import SignIn

CHOSEN = EventFilter(type=("SCHEMA_COMMIT", "MAPPING_INSERT"))
_CLIENT = Client("http://localhost:1")  # never called


def _shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses a retry policy of three attempts without delays."""
    for name, value in (("_PAUSE", 0.0), ("_PATIENCE", 0.0), ("_TRIES", 3)):
        monkeypatch.setattr(event_requests, name, value)


async def test_an_old_service_returns_complete_events_one_by_one(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 5.140 lists contain short records only (§9 rule 2); backups are complete nevertheless."""
    async with sign_in() as client:
        usual = readable_events(await FullPages(client, CHOSEN).fetch(0))
        monkeypatch.setattr(Client, "capabilities", Capabilities(full_list=False))
        old = readable_events(await FullPages(client, CHOSEN).fetch(0))
    assert usual
    assert [event.info_value for event in old] == [event.info_value for event in usual]


@pytest.mark.generation5("lists have short records")
async def test_short_records_come_without_info(sign_in: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are fetched with one request, whatever the version of the service."""
    async with sign_in() as client:
        for capabilities in (client.capabilities, Capabilities(full_list=False)):
            monkeypatch.setattr(Client, "capabilities", capabilities)
            short = readable_events(await FullPages(client, CHOSEN, short=True).fetch(0))
            assert short
            assert all(event.info is None for event in short)


async def test_unlimited_retries_continue_after_all_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries continue while the service is unreachable; an error response is raised."""
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


async def test_an_unreachable_service_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each retry is reported; after the last one the failure is raised."""
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
