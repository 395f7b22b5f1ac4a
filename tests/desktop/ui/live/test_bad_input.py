"""Tests of a live view whose service answers in unexpected ways."""

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from starlette.responses import HTMLResponse, JSONResponse, Response

from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import Follow
from tests.desktop.ui.live.running_feed import RunningFeed


def _ids(running: RunningFeed) -> list[int]:
    model = running.view.model
    return [model.event_at(row).id for row in range(model.rowCount())]


@pytest.mark.parametrize(
    "answer",
    [
        HTMLResponse("<html>Welcome to the proxy</html>"),
        JSONResponse({"objects": []}),
        Response(b"\xff\xfe[", media_type="application/json"),
    ],
    ids=["html", "an object", "no text"],
)
async def test_an_unreadable_answer_is_shown(service: ModelService, follow: Follow, answer: Response) -> None:
    """The rows stay, and the events come with the next answer."""
    service.write(1)
    async with follow(service) as running:
        await until(lambda: _ids(running) == [1])
        service.unruly = [answer]
        service.write(2)
        running.controller.try_now()
        await until(lambda: "trying again" in running.view.strip.status.text())
        assert _ids(running) == [1]
        running.controller.try_now()
        await until(lambda: _ids(running) == [1, 2])


async def test_an_unreadable_record_does_not_stop_the_feed(service: ModelService, follow: Follow) -> None:
    """It is shown once, however often it comes, and its data can be read."""
    nameless = {"event": {"type": "SEARCH", "note": "nobody knows me"}, "_session": {"token": "tok-1"}}
    async with follow(service) as running:
        service.write(1)
        service.unruly = [JSONResponse([nameless, {"event": {"_id": 1}}, 7]) for _ in range(3)]
        running.controller.try_now()
        await until(lambda: _ids(running) == [1])
        await until(lambda: running.view.notices.title == "Records that could not be read: 2")
        assert "Ctrl+Shift+U" in running.view.notices.text
        for number in (2, 3):
            service.write(number)
            running.controller.try_now()
            await until(lambda: len(service.unruly) == 3 - number)  # noqa: B023
        await until(lambda: _ids(running) == [1, 2, 3])
        assert running.view.strip.status.text().startswith("Following")
        running.view.ticked.emit()
        assert running.view.strip.report_button.text().endswith(" · 2 unreadable")
        running.actions["live_account"].trigger()
        await until(running.view.gap_report.isVisible)
        running.view.ticked.emit()
        shown = child_of(running.view.gap_report, QPlainTextEdit, "live.account.unread")
        assert "nobody knows me" in shown.toPlainText()
        assert "tok-1" not in shown.toPlainText()


async def test_events_with_missing_and_unknown_fields_are_shown(
    service: ModelService, follow: Follow
) -> None:
    """Each once."""
    landing = {"event": {"_id": 5, "type": "MOON_LANDING", "crew": ["a"], "object_id": "seven"}}
    bare, flat = {"event": {"_id": 3}}, {"_id": 4, "base_type": "user"}
    service.unruly = [JSONResponse([landing, bare, flat, landing, bare])]
    async with follow(service) as running:
        await until(lambda: _ids(running) == [5, 3, 4])
        assert running.controller.ledger.counts.received == 3


async def test_a_huge_answer_is_shown_completely(service: ModelService, follow: Follow) -> None:
    """In insertions that are small enough for the window to stay responsive."""
    async with follow(service) as running:
        changes: list[int] = []
        running.view.model.rowsInserted.connect(lambda _parent, first, last: changes.append(last - first + 1))
        service.write(*range(1, 20_001))
        service.unruly = [JSONResponse(service.log)]
        running.controller.try_now()
        await until(lambda: running.view.model.rowCount() == 20_000, 40)
        assert max(changes) <= 2000
        assert running.controller.ledger.counts.received == 20_000


@pytest.mark.parametrize(("hours", "word"), [(-1, "slow"), (1, "fast")])
async def test_a_clock_skew_is_shown(service: ModelService, follow: Follow, hours: int, word: str) -> None:
    """Once, and it is not part of the delay."""
    async with follow(service) as running:
        moment = datetime.now(UTC) + timedelta(hours=hours)
        service.write(1, timestamp=moment.isoformat(timespec="seconds"))
        running.controller.try_now()
        await until(lambda: running.view.notices.title.endswith(f"60 min {word}"))
        running.view.ticked.emit()
        assert "lag" in running.view.strip.status.text()
        assert "3600" not in running.view.strip.status.text()


async def test_a_single_far_id_does_not_stop_the_feed(service: ModelService, follow: Follow) -> None:
    """It is shown and counted; later events with lower ids arrive at once."""
    service.write(1, 4_000_000_000)
    async with follow(service) as running:
        await until(lambda: _ids(running) == [1, 4_000_000_000])
        follower = running.controller._follower
        clock = follower._clock
        for minutes in (1, 10, 60):
            follower._clock = follower.gap_check._clock = lambda: clock() + minutes * 60  # noqa: B023
            service.write(1 + minutes)
            running.controller.try_now()
            await until(lambda: _ids(running)[-1] == 1 + minutes)  # noqa: B023
        assert running.controller.ledger.counts.last == 61
        running.actions["live_account"].trigger()
        await until(running.view.gap_report.isVisible)
        running.view.ticked.emit()
        assert "far above all others: 1." in running.text()


async def test_an_id_too_large_for_the_ledger_does_not_stop_the_feed(
    service: ModelService, follow: Follow
) -> None:
    service.write(1, 2**62 + 5)
    async with follow(service) as running:
        await until(lambda: _ids(running) == [1, 2**62 + 5])
        service.write(2)
        running.controller.try_now()
        await until(lambda: _ids(running)[-1] == 2)
        assert running.controller.ledger.counts.total == 2
