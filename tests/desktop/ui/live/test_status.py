"""Tests of how the feed tells how it stands with its service."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import SessionLostError, UnreachableError
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.live.reports import PollGap
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live import status as status_module
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.labels import StatusDot
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.live.conftest import Pane
from tests.desktop.ui.live.running_feed import following


def refused() -> ErrorMessage:
    """What is said about a service that is not there."""
    return error_message(UnreachableError("refused", "x"))


def lost() -> ErrorMessage:
    """What is said about a session that has expired."""
    return error_message(SessionLostError("user", "error.user.session_invalid"))


def test_a_service_that_is_away_is_counted_down(qtbot: QtBot, pane: Pane) -> None:
    """The seconds go down in sight, the rows stay, and nobody has to wait."""
    strip = pane.view.strip
    pane.view.show_connection(ConnectionState("waiting", due=time.monotonic() + 2), refused)
    assert strip.status == "Nobody answers at this address · trying again in 2 s"
    qtbot.waitUntil(lambda: "in 1 s" in strip.status)
    assert pane.view.table.isVisible()
    with qtbot.waitSignal(pane.view.signals.retry_requested):
        _step(pane).click()
    pane.view.show_connection(ConnectionState("retrying"), refused)
    assert strip.status.endswith("trying again…")
    # A try may wait for others of the same connection; nobody has to wait for that either.
    assert (_step(pane).isVisible(), _step(pane).text()) == (True, "Try now")


def test_a_service_that_stands_still_is_not_said_to_be_followed(pane: Pane) -> None:
    """It may be there and do nothing; how long it has done nothing is told."""
    pane.view.show_connection(ConnectionState("silent", answered=time.monotonic() - 20), refused)
    assert pane.view.strip.status == "The service does not answer · last poll 20 s ago"
    assert not pane.view.is_following


def test_a_poll_that_is_not_answered_is_told_before_anybody_knows_why(pane: Pane) -> None:
    """From five seconds on, in the tone of a warning; a long interval and a held request are no trouble."""
    now = time.monotonic()
    pane.view.show_connection(ConnectionState("open", answered=now - 4))
    assert pane.view.strip.status.startswith("Following")
    pane.view.show_connection(ConnectionState("open", answered=now - 6))
    assert pane.view.strip.status == "No answer for 6 s"
    assert _tone(pane) == "warning"
    pane.view.show_connection(ConnectionState("open", answered=now - 6, holds=True))
    assert pane.view.strip.status.startswith("Following")
    pane.view.show_connection(ConnectionState("open", answered=now - 30))
    for due in (now - 1, None):
        pane.view.show_due(due)
        pane.view._on_tick()
        assert pane.view.strip.status.startswith("Following")


async def test_a_service_that_stands_still_is_noticed(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the poll and says nothing; with its answer all is well again."""
    monkeypatch.setattr(status_module, "_LATE", 1.5)
    service = ModelService()
    async with following(service, qtbot, appearance, settings) as desk:
        await until(lambda: desk.view.strip.status.startswith("Following"))
        service.stands_still = True
        await until(lambda: desk.view.strip.status.startswith("No answer for"))
        service.stands_still = False
        await until(lambda: desk.view.strip.status.startswith("Following"))


@pytest.mark.parametrize("width", [330, 560, 1200])
def test_where_there_is_little_room_the_countdown_is_what_stays(pane: Pane, width: int) -> None:
    """And the way out beside it; how many events there are can wait."""
    strip = pane.view.strip
    strip.setParent(None)
    strip.resize(width, strip.height())
    strip.show()
    pane.view.show_connection(ConnectionState("waiting", due=time.monotonic() + 12), refused)
    assert strip._status._elided_text().endswith(" · trying again in 12 s")
    QApplication.processEvents()
    step = _step(pane)
    assert step.geometry().left() - strip._status.geometry().right() < 24
    counts = strip.findChild(QLabel, "live.counts")
    assert counts is not None
    assert counts.isVisible() is (width >= 1200)
    pane.view.show_connection(ConnectionState("open"))
    assert counts.isVisible() is (width >= 760)
    strip.deleteLater()


def test_a_lost_session_asks_for_another_and_keeps_the_rows(qtbot: QtBot, pane: Pane) -> None:
    """Signing in is somebody else's; rows, choice and place stay."""
    pane.scroll_to(10)
    pane.view.show_connection(ConnectionState("lost"), lost)
    assert _step(pane).text() == "Sign in again"
    assert pane.top == 10
    with qtbot.waitSignal(pane.view.signals.retry_requested):
        _step(pane).click()


def test_rate_and_age_of_the_last_poll_are_told(pane: Pane) -> None:
    """A hundred events in five seconds are 20 a second."""
    pane.view.show_connection(ConnectionState("open", answered=time.monotonic() - 3))
    assert pane.view.strip.status == "Following · 20/s · last poll 3.0 s ago"


def test_a_slow_rate_is_told_by_the_minute(monkeypatch: pytest.MonkeyPatch, pane: Pane) -> None:
    """A log that goes on is not said to stand still."""
    later = time.monotonic() + 30
    monkeypatch.setattr(time, "monotonic", lambda: later)
    pane.view.show_connection(ConnectionState("open", answered=later))
    assert pane.view.strip.status == "Following · 100/min · last poll 0 s ago"


def test_lag_and_the_next_poll_are_told(pane: Pane) -> None:
    """A service that keeps requests until something happens has no next poll."""
    now = time.monotonic()
    pane.view.show_connection(ConnectionState("open", answered=now, due=now + 2.5), delay=0.4)
    assert " · lag 0.4 s · " in pane.view.strip.status
    assert " · next in 2." in pane.view.strip.status
    pane.view.show_connection(ConnectionState("open", answered=now - 1, due=now + 1.5))
    assert " · next in 1." in pane.view.strip.status
    pane.view.show_connection(ConnectionState("open", answered=now, holds=True))
    assert pane.view.strip.status.endswith(" · the service answers when something happens")


@pytest.mark.parametrize(
    ("wait", "is_told"), [(0.5, False), (0.99, False), (1.25, False), (1.95, True), (2.0, True), (30.0, True)]
)
def test_only_a_wait_that_is_worth_it_is_counted_down(pane: Pane, wait: float, *, is_told: bool) -> None:
    """Figures of a second and less would only flicker; what is told stays until the poll."""
    answered = time.monotonic() - wait / 2
    pane.view.show_connection(ConnectionState("open", answered=answered, due=answered + wait))
    assert ("next in" in pane.view.strip.status) is is_told


def test_a_gap_is_told_above_the_rows(pane: Pane) -> None:
    """With what became of it."""
    pane.view.notices.show_gap(PollGap(10, 20, 4))
    assert pane.view.notices.isVisible()
    assert pane.view.notices.title == "A gap was filled"
    pane.view.notices.show_gap(PollGap(10, 20, None))
    assert pane.view.notices.title == "A gap in the feed"


@pytest.mark.parametrize(
    ("phase", "text"), [("connecting", "Requesting the latest"), ("open", "The feed is open.")]
)
def test_without_rows_there_is_a_picture(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, phase: str, text: str
) -> None:
    """Opening, empty, failed and lost look different and offer the way out."""
    view = LiveView(appearance, settings, Actions(appearance))
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    view.show()
    picture = view.findChild(EmptyState)
    assert picture is not None
    view.show_connection(ConnectionState(phase))  # type: ignore[arg-type]
    assert picture.text.startswith(text)
    view.show_connection(ConnectionState("stopped"), refused)
    assert picture.text.startswith("The host is there")
    assert picture.step == "Try now"
    view.show_connection(ConnectionState("lost"), lost)
    assert picture.step == "Sign in again"


def _tone(pane: Pane) -> str:
    dot = pane.view.strip.findChild(StatusDot)
    assert dot is not None
    return dot._tone


def _step(pane: Pane) -> QPushButton:
    button = pane.view.strip.findChild(QPushButton, "live.step")
    assert button is not None
    return button
