"""Tests of the request panel and of copying requests for other programs, with the reference server."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import msgspec
import pytest
import shiboken6
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Exchange, RequestForm
from cdb_desktop.client.request import Request
from cdb_desktop.events.request_log import MAX_REQUESTS
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.events.requests import ADDRESS, RESULT, ROWS, RequestController, RequestPanel
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until
from tests.desktop.ui.events.conftest import Browse
from tests.desktop.ui.finding import child_of


def token_of(view: EventsView) -> str:
    """The session token of the browser."""
    found = child_of(view, RequestController)
    session = found._client.session
    assert session is not None
    return session.token


def shown(view: EventsView, column: int) -> list[str]:
    """The texts of a column."""
    model = view.panels.requests.table.model()
    return [str(model.data(model.index(row, column))) for row in range(model.rowCount())]


@pytest.mark.generation5("the token is in the address")
async def test_the_request_of_the_query_is_copied(browse: Browse, actions: Actions) -> None:
    """With its filters and without the token, which a notice mentions."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH", "DETAIL_VIEW")))
        await until(lambda: "of" in view.count.text)
        for name in ("request_url", "request_curl", "request_httpx"):
            view.count.show_message("")
            actions[name].trigger()
            text = QGuiApplication.clipboard().text()
            assert token_of(view) not in text, name
            assert "TOKEN" in text, name
            assert "SEARCH%2CDETAIL_VIEW" in text or "'SEARCH,DETAIL_VIEW'" in text, name
            assert "without the token" in view.count.text, name


async def test_a_closed_browser_copies_nothing(browse: Browse, actions: Actions) -> None:
    """Actions outlive a connection; only the next browser handles them."""
    async with browse() as (first, _controller):
        await until(lambda: first.has_rows)
    assert not shiboken6.isValid(first)
    async with browse() as (_view, _controller):
        QGuiApplication.clipboard().clear()
        actions["request_url"].trigger()
        assert QGuiApplication.clipboard().text().startswith("http")


async def test_the_copied_python_code_returns_the_shown_events(browse: Browse, actions: Actions) -> None:
    """The code is run unchanged."""
    async with browse() as (view, controller):
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        actions["request_httpx"].trigger()
        given = {**os.environ, "TOKEN": token_of(view)}
        command = [sys.executable, "-c", QGuiApplication.clipboard().text()]
        ran = subprocess.run(command, env=given, check=True, capture_output=True, timeout=60)  # noqa: ASYNC221
        assert msgspec.json.decode(ran.stdout)["count"] == view.model.rowCount()


async def test_requests_are_listed_newest_first(browse: Browse, actions: Actions) -> None:
    """Also those sent before the panel was opened; each is copied as it was sent."""
    async with browse() as (view, controller):
        actions["requests"].setChecked(True)
        assert view.panels.requests.isVisible()
        before = len(shown(view, ADDRESS))
        assert before >= 2
        assert "1,000" in shown(view, ROWS) or "1000" in shown(view, ROWS)
        controller.show_query(Query(types=("SEARCH",)))
        await until(lambda: "of" in view.count.text)
        assert len(shown(view, ADDRESS)) > before
        assert any("type=SEARCH" in text for text in shown(view, ADDRESS)[:3])
        assert token_of(view) not in "".join(shown(view, ADDRESS))
        panel = view.panels.requests
        panel.table.selectRow(0)
        chosen = panel.chosen
        assert chosen is not None
        panel.copy_requested.emit(chosen, RequestForm.CURL)
        assert QGuiApplication.clipboard().text().startswith("curl ")
        assert token_of(view) not in QGuiApplication.clipboard().text()
        panel.close_requested.emit()
        assert not actions["requests"].isChecked()
        assert panel.isHidden()


async def test_an_error_is_shown_in_its_row(browse: Browse, actions: Actions, generation: int) -> None:
    """Status and code."""
    code = "error.user.no_system_right" if generation == 5 else "SystemRightRequired"
    async with browse("viewer", "viewer") as (view, _controller):
        await until(view.empty_page.isVisible)
        actions["requests"].setChecked(True)
        assert any(code in text for text in shown(view, RESULT))
        actions["requests"].setChecked(False)


def successful_request(path: str) -> Exchange:
    """A successful request."""
    return Exchange(Request("GET", path), False, datetime.now(UTC), 0.01, 200, 10, None, "")


async def test_polls_are_shown_on_request(browse: Browse, actions: Actions) -> None:
    """They occur every few seconds; the list is bounded."""
    async with browse() as (view, _controller):
        actions["requests"].setChecked(True)
        panel = view.panels.requests
        for number in range(MAX_REQUESTS + 10):
            panel.add(successful_request(f"api/v1/event/{number}"))
            panel.add(successful_request(f"api/v1/event/poll/{number}"))
        assert len(shown(view, ADDRESS)) == MAX_REQUESTS
        assert not any("poll" in text for text in shown(view, ADDRESS))
        panel.polls.setChecked(True)
        assert shown(view, ADDRESS)[0] == f"/api/v1/event/poll/{MAX_REQUESTS + 9}"
        assert shown(view, ADDRESS)[1] == f"/api/v1/event/{MAX_REQUESTS + 9}"
        panel.clear.click()
        assert shown(view, ADDRESS) == []
        actions["requests"].setChecked(False)


def test_a_selected_request_stays_selected(qtbot: QtBot, appearance: Appearance) -> None:
    """While others are added, and with other colors; until it is dropped as the oldest one."""
    panel = RequestPanel(appearance)
    qtbot.addWidget(panel)
    panel.show()
    for number in range(MAX_REQUESTS):
        panel.add(successful_request(str(number)))
    panel.table.selectRow(MAX_REQUESTS - 2)
    chosen = panel.chosen
    panel.add(successful_request("next"))
    appearance.changed.emit()
    assert panel.chosen is chosen is not None
    panel.add(successful_request("last"))
    assert panel.chosen is not chosen
