"""Tests of the live view with the reference server."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client, Event, EventPage
from cdb_desktop.live.log_follower import EventBatch, EventsReceived, LogReplaced, PollRetried
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live import controller as controller_module
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.chaos import Chaos
from tests.desktop.failures import raise_error
from tests.desktop.patience import until
from tests.desktop.ui.conftest import SignIn
from tests.desktop.ui.live.servers import Server


class _Running(NamedTuple):
    """A live view that runs, with its client."""

    view: LiveView
    controller: LiveController
    client: Client

    @property
    def types(self) -> list[str]:
        """The types of the shown events."""
        return [self.view.model.event_at(row).type for row in range(self.view.model.rowCount())]

    @property
    def ids(self) -> list[int]:
        """Their ids."""
        return [self.view.model.event_at(row).id for row in range(self.view.model.rowCount())]


Run = Callable[[Client], AbstractAsyncContextManager[_Running]]


@pytest.fixture
def run(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> Run:
    """A context with the live view of a client that is signed in."""

    @asynccontextmanager
    async def running(client: Client) -> AsyncIterator[_Running]:
        view = LiveView(appearance, settings, actions := Actions(appearance))
        qtbot.addWidget(view)
        qtbot.addWidget(view.strip)
        view.resize(800, 200)
        view.show()
        async with Tasks(raise_error) as tasks:
            assert client.session is not None
            controller = LiveController(view, client, client.session, tasks, actions)
            controller.load()
            yield _Running(view, controller, client)

    return running


@pytest.mark.parametrize("most", [200, 2])
@pytest.mark.generation5("polls bring short records")
async def test_visible_rows_have_the_summaries_of_the_browser(
    run: Run, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Polls bring short records: whole ones of the visible rows are listed in one call, once a second.

    Those that a full page does not have are read one by one.
    """
    monkeypatch.setattr(controller_module, "_MOST", most)
    calls: list[dict[str, object]] = []
    began = time.monotonic()
    async with sign_in() as client:
        ask = client.list_events

        async def listed(*args: Any, **options: Any) -> EventPage:
            if options.get("full"):
                calls.append(options)
            return await ask(*args, **options)

        monkeypatch.setattr(client, "list_events", listed)
        async with run(client) as running:
            await until(lambda: running.view.is_following and running.view.has_rows)
            view, place = running.view, running.view.model.columns[-1]
            assert place.name == "summary"

            def shown() -> list[Event]:
                first, last = view.table.visible_rows()
                return [view.model.record_at(row) for row in range(first, last + 1)]

            def are_whole() -> bool:
                return bool(shown()) and all(event.info is not None for event in shown())

            await until(are_whole)
            assert [place.text(event) for event in shown()] == [
                place.text(await client.event(event.id)) for event in shown()
            ]
            view.table.verticalScrollBar().setValue(0)
            await until(lambda: view.table.visible_rows()[0] == 0 and are_whole())
            assert view.model.event_at(0).info is None  # the feed itself stays small
            kept = sum(view.model.record_at(row).info is not None for row in range(view.model.rowCount()))
            assert kept < view.model.rowCount()
    rows = view.height() // view.table.verticalHeader().defaultSectionSize()
    assert all(int(str(options["limit"])) <= 2 * rows for options in calls)
    assert len(calls) - 1 <= time.monotonic() - began


async def test_it_begins_with_the_newest_events(run: Run, sign_in: SignIn) -> None:
    """A log-in elsewhere arrives after them."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following and running.view.has_rows)
        before = running.types
        async with sign_in("support", "support"):
            await until(lambda: len(running.types) > len(before))
        assert running.types[: len(before)] == before
        assert running.types[-1] == "USER_LOGIN"


async def test_it_follows_without_the_right_to_list(run: Run, sign_in: SignIn) -> None:
    """Polling requires only a session (§4.2)."""
    async with sign_in("viewer", "viewer") as client, run(client) as running:
        await until(lambda: running.view.is_following)
        assert not running.view.has_rows
        async with sign_in("support", "support"):
            await until(lambda: running.types == ["USER_LOGIN"])


async def test_a_commit_arrives_after_the_server_was_killed(run: Run, tmp_path: Path) -> None:
    """Nothing is missed, nothing comes twice."""
    with Server(tmp_path / "log.sqlite") as server:
        async with Client(server.url) as client:
            await client.authenticate("root", "admin")
            async with run(client) as running:
                await until(lambda: running.view.is_following)
                before = running.ids
                server.kill()
                await until(lambda: "trying again" in running.view.strip.status.text())
                assert running.ids == before
                server.start()
                await client.commit_schema()
                running.controller.try_now()
                await until(lambda: "SCHEMA_COMMIT" in running.types[len(before) :])
                assert running.view.is_following
                assert running.ids[: len(before)] == before
                assert len(set(running.ids)) == len(running.ids)


@pytest.mark.generation5("a session knows the newest event")
async def test_signing_in_again_keeps_the_rows(run: Run, sign_in: SignIn) -> None:
    """The new session fills the gap."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following)
        before = running.ids
        await client.deauthenticate()
        session = await client.authenticate("root", "admin")
        running.controller.renew(session)
        await until(lambda: running.ids[-1] == session.current_max_event_id)
        assert running.ids[: len(before)] == before
        assert running.view.notices.title == "A gap was filled"


async def test_a_new_session_that_retries_shows_no_empty_error(run: Run, sign_in: SignIn) -> None:
    """The error of the session before is not shown, so that nothing stands before “trying again”."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following)
        session = await client.authenticate("root", "admin")
        running.controller.renew(session)
        running.controller._on_report(PollRetried())
        assert running.view.strip.status.text()
        assert not running.view.strip.status.text().startswith(" ")
        await until(lambda: running.view.is_following)


async def test_a_burst_is_delivered_in_parts(run: Run, sign_in: SignIn) -> None:
    """The window handles other events meanwhile; nothing is lost, doubled or out of order."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following)
        delivered: list[list[int]] = []
        running.controller.events_received.connect(
            lambda events: delivered.append([one.id for one in events])
        )
        running.view.set_filter(Query(types=("BURST",)))
        for first, number in ((10**6, 4500), (10**6 + 4500, 20)):
            events = tuple(Event(id=first + place, type="BURST") for place in range(number))
            running.controller._on_report(EventsReceived(EventBatch(0, events), 1.0))
        assert [len(one) for one in delivered] == [1000]
        running.controller._on_report(LogReplaced(0))
        assert [number for part in delivered for number in part] == list(range(10**6, 10**6 + 4520))
        assert max(map(len, delivered)) == 1000
        await until(lambda: running.view.model.rowCount() == 4520)
        assert running.ids == list(range(10**6, 10**6 + 4520))


async def test_a_retry_signs_in_again_if_the_session_is_lost(qtbot: QtBot, run: Run, sign_in: SignIn) -> None:
    """Else it polls at once."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following)
        polled: list[float] = []
        running.controller.answered.connect(polled.append)
        with qtbot.assertNotEmitted(running.controller.sign_in_requested):
            running.view.signals.retry_requested.emit()
            await until(lambda: bool(polled))
        running.controller.sign_out()
        requested: list[int] = []
        running.controller.sign_in_requested.connect(lambda *_: requested.append(1))
        running.view.signals.retry_requested.emit()
        await until(lambda: requested == [1])


@pytest.mark.generation5("polls bring the events, no stream")
async def test_a_late_event_is_inserted_once(run: Run, sign_in: SignIn, chaos: Chaos) -> None:
    """An event that a poll returns only after a later one is shown, and is not reported as missing."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following)
        before = running.ids
        chaos.inject({"fault": "poll-gap", "times": 1})
        async with sign_in("support", "support"):
            await until(lambda: chaos.injected)
        assert running.ids == before
        async with sign_in("viewer", "viewer"):
            await until(lambda: len(running.ids) >= len(before) + 2)
        new = running.ids[len(before) :]
        assert len(set(new)) == len(new)
        await until(lambda: not running.controller.ledger.counts.unexplained)


@pytest.mark.parametrize("fault", ["poll-duplicates", "poll-reversed"])
async def test_disordered_polls_show_each_event_once(
    run: Run, sign_in: SignIn, chaos: Chaos, fault: str
) -> None:
    """Whatever a poll repeats or turns around."""
    async with sign_in() as client, run(client) as running:
        await until(lambda: running.view.is_following)
        before = running.ids
        chaos.inject({"fault": fault})
        for _ in range(2):
            async with sign_in("support", "support"):
                pass
        # Two log-ins and two log-outs.
        await until(lambda: len(running.ids) >= len(before) + 2)
        assert len(set(running.ids)) == len(running.ids)
        assert running.view.is_following
