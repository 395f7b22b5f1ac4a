"""Tests of the status in the strip and of what is shown instead of rows."""

import time

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.client import SessionLostError, UnreachableError
from cdb_desktop.live.feed_status import ConnectionState
from cdb_desktop.live.log_follower import PollGap
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live import strip as strip_module
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.empty_state import EmptyState
from cdb_desktop.ui.widgets.labels import StatusDot
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import Follow, LiveWindow


def refused() -> ErrorMessage:
    """The message for a service that is not there."""
    return error_message(UnreachableError("refused", "x"))


def lost() -> ErrorMessage:
    """The message for a session that has expired."""
    return error_message(SessionLostError("user", "error.user.session_invalid"))


def test_the_time_until_the_next_try_is_counted_down(qtbot: QtBot, live: LiveWindow) -> None:
    """The rows stay, and the user need not wait."""
    strip = live.view.strip
    live.view.show_connection(ConnectionState("waiting", due=time.monotonic() + 2), refused())
    assert strip.status.text() == "Nobody answers at this address · trying again in 2 s"
    qtbot.waitUntil(lambda: "in 1 s" in strip.status.text())
    assert live.view.table.isVisible()
    with qtbot.waitSignal(live.view.signals.retry_requested):
        _step(live).click()
    live.view.show_connection(ConnectionState("retrying"), refused())
    assert strip.status.text().endswith("trying again…")
    # A try may wait for others of the same connection; nobody has to wait for that either.
    assert (_step(live).isVisible(), _step(live).text()) == (True, "Try now")


def test_a_silent_service_is_not_followed(live: LiveWindow) -> None:
    """The time since the last poll is shown."""
    live.view.show_connection(ConnectionState("silent", answered=time.monotonic() - 20), refused())
    assert live.view.strip.status.text() == "The service does not answer · last poll 20 s ago"
    assert not live.view.is_following


def test_an_unanswered_poll_is_shown_after_five_seconds(live: LiveWindow) -> None:
    """Unless it is held, or the interval is long."""
    now = time.monotonic()
    live.view.show_connection(ConnectionState("open", answered=now - 4))
    assert live.view.strip.status.text().startswith("Following")
    live.view.show_connection(ConnectionState("open", answered=now - 6))
    assert live.view.strip.status.text() == "No answer for 6 s"
    assert _tone(live) == "warning"
    live.view.show_connection(ConnectionState("open", answered=now - 6, holds=True))
    assert live.view.strip.status.text().startswith("Following")
    live.view.show_connection(ConnectionState("open", answered=now - 30))
    for due in (now - 1, None):
        live.view.show_due(due)
        live.view._on_tick()
        assert live.view.strip.status.text().startswith("Following")


def test_where_events_come_from(live: LiveWindow) -> None:
    """A stream needs no times of polls; where one is refused, that is said beside them."""
    state = ConnectionState("open", answered=time.monotonic())
    live.view.show_connection(replace(state, stream="open"))
    assert live.view.strip.status.text().endswith("/s · the service sends events at once")
    live.view.show_connection(replace(state, stream="refused", refusal="HTTP 502"))
    assert "no event stream opens: HTTP 502 · last poll" in live.view.strip.status.text()


async def test_a_service_that_hangs_is_noticed(follow: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    """The strip says so; the feed follows again when the service answers."""
    monkeypatch.setattr(strip_module, "_LATE", 1.5)
    service = ModelService()
    async with follow(service) as running:
        await until(lambda: running.view.strip.status.text().startswith("Following"))
        service.stands_still = True
        await until(lambda: running.view.strip.status.text().startswith("No answer for"))
        service.stands_still = False
        await until(lambda: running.view.strip.status.text().startswith("Following"))


def test_a_narrow_strip_shows_the_countdown(live: LiveWindow) -> None:
    """The button stays; the counts are hidden."""
    strip, step = live.view.strip, _step(live)
    counts = child_of(strip, QLabel, "live.counts")
    strip.setParent(None)
    strip.show()
    for width in (330, 560, 1200):
        strip.resize(width, strip.height())
        live.view.show_connection(ConnectionState("waiting", due=time.monotonic() + 12), refused())
        assert strip.status._elided_text().endswith(" · trying again in 12 s"), width
        QApplication.processEvents()
        assert step.geometry().left() - strip.status.geometry().right() < 24, width
        assert counts.isVisible() is (width >= 1200), width
        live.view.show_connection(ConnectionState("open"))
        assert counts.isVisible() is (width >= 760), width
    strip.deleteLater()


def test_a_lost_session_keeps_the_rows(qtbot: QtBot, live: LiveWindow) -> None:
    """The strip offers to sign in again."""
    live.scroll_to(10)
    live.view.show_connection(ConnectionState("lost"), lost())
    assert _step(live).text() == "Sign in again"
    assert live.top == 10
    with qtbot.waitSignal(live.view.signals.retry_requested):
        _step(live).click()


def test_a_slow_rate_is_shown_by_the_minute(monkeypatch: pytest.MonkeyPatch, live: LiveWindow) -> None:
    later = time.monotonic() + 30
    monkeypatch.setattr(time, "monotonic", lambda: later)
    live.view.show_connection(ConnectionState("open", answered=later))
    assert live.view.strip.status.text() == "Following · 100/min · last poll 0 s ago"


def test_rate_delay_and_polls_are_shown(live: LiveWindow) -> None:
    """A hundred events in five seconds are 20 a second; a service that holds polls has no next one."""
    live.view.show_connection(ConnectionState("open", answered=time.monotonic() - 3))
    assert live.view.strip.status.text() == "Following · 20/s · last poll 3.0 s ago"
    now = time.monotonic()
    live.view.show_connection(ConnectionState("open", answered=now, due=now + 2.5), delay=0.4)
    assert " · lag 0.4 s · " in live.view.strip.status.text()
    assert " · next in 2." in live.view.strip.status.text()
    live.view.show_connection(ConnectionState("open", answered=now - 1, due=now + 1.5))
    assert " · next in 1." in live.view.strip.status.text()
    live.view.show_connection(ConnectionState("open", answered=now, holds=True))
    assert live.view.strip.status.text().endswith(" · the service answers when something happens")


def test_only_long_waits_are_counted_down(live: LiveWindow) -> None:
    """Numbers of a second and less would only flicker."""
    told = []
    for wait in (0.5, 0.99, 1.25, 1.95, 2.0, 30.0):
        answered = time.monotonic() - wait / 2
        live.view.show_connection(ConnectionState("open", answered=answered, due=answered + wait))
        told.append("next in" in live.view.strip.status.text())
    assert told == [False, False, False, True, True, True]


def test_a_gap_has_a_notice(live: LiveWindow) -> None:
    """Filled or not."""
    live.view.notices.show_gap(PollGap(10, 20, 4))
    assert live.view.notices.isVisible()
    assert live.view.notices.title == "A gap was filled"
    live.view.notices.show_gap(PollGap(10, 20, None))
    assert live.view.notices.title == "A gap in the feed"


@pytest.mark.parametrize(
    ("phase", "text"), [("connecting", "Requesting the latest"), ("open", "The feed is open.")]
)
def test_there_is_an_empty_state_without_rows(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, phase: str, text: str
) -> None:
    """Connecting, empty, failed and lost look different."""
    view = LiveView(appearance, settings, Actions(appearance))
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    view.show()
    picture = child_of(view, EmptyState)
    view.show_connection(ConnectionState(phase))  # type: ignore[arg-type]
    assert picture.text.startswith(text)
    view.show_connection(ConnectionState("stopped"), refused())
    assert picture.text.startswith("The host is there")
    assert picture.step == "Try now"
    view.show_connection(ConnectionState("lost"), lost())
    assert picture.step == "Sign in again"


def _tone(live: LiveWindow) -> str:
    dot = child_of(live.view.strip, StatusDot)
    return dot._tone


def _step(live: LiveWindow) -> QPushButton:
    return child_of(live.view.strip, QPushButton, "live.step")
