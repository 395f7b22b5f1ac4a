"""Tests of a feed whose service answers in ways that nobody expects: all is shown or told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot
from starlette.responses import HTMLResponse, JSONResponse, Response

from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.live.running_feed import Desk, following


@pytest.fixture
def service() -> ModelService:
    """A service that is not served yet."""
    return ModelService()


def _ids(desk: Desk) -> list[int]:
    model = desk.view.model
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
async def test_an_answer_that_cannot_be_read_is_told(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings, answer: Response
) -> None:
    """The rows stay, and what was behind it comes with the next answer."""
    service.write(1)
    async with following(service, qtbot, appearance, settings) as desk:
        await until(lambda: _ids(desk) == [1])
        service.unruly = [answer]
        service.write(2)
        desk.controller.try_now()
        await until(lambda: "trying again" in desk.view.strip.status)
        assert _ids(desk) == [1]
        desk.controller.try_now()
        await until(lambda: _ids(desk) == [1, 2])


async def test_a_record_that_is_no_event_keeps_no_other_from_being_shown(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """It is told once, however often it comes, and can be looked at; the feed goes on."""
    nameless = {"event": {"type": "SEARCH", "note": "nobody knows me"}, "_session": {"token": "tok-1"}}
    async with following(service, qtbot, appearance, settings) as desk:
        service.write(1)
        service.unruly = [JSONResponse([nameless, {"event": {"_id": 1}}, 7]) for _ in range(3)]
        desk.controller.try_now()
        await until(lambda: _ids(desk) == [1])
        await until(lambda: desk.view.notices.title == "Records that could not be read: 2")
        assert "Ctrl+Shift+U" in desk.view.notices.text
        for number in (2, 3):
            service.write(number)
            desk.controller.try_now()
            await until(lambda: len(service.unruly) == 3 - number)  # noqa: B023
        await until(lambda: _ids(desk) == [1, 2, 3])
        assert desk.view.strip.status.startswith("Following")
        desk.view.ticked.emit()
        assert desk.view.strip.report_button.text().endswith(" · 2 unreadable")
        desk.actions["live_account"].trigger()
        await until(desk.view.gap_report.isVisible)
        desk.view.ticked.emit()
        shown = desk.view.gap_report.findChild(QPlainTextEdit, "live.account.unread")
        assert shown is not None
        assert "nobody knows me" in shown.toPlainText()
        assert "tok-1" not in shown.toPlainText()


async def test_events_with_too_little_and_too_much_are_shown(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """A row for each, whatever stands in it, and none twice."""
    landing = {"event": {"_id": 5, "type": "MOON_LANDING", "crew": ["a"], "object_id": "seven"}}
    bare, flat = {"event": {"_id": 3}}, {"_id": 4, "base_type": "user"}
    service.unruly = [JSONResponse([landing, bare, flat, landing, bare])]
    async with following(service, qtbot, appearance, settings) as desk:
        await until(lambda: _ids(desk) == [5, 3, 4])
        assert desk.controller.ledger.counts.received == 3


async def test_a_hundred_times_the_limit_comes_whole(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """In changes of rows that are small enough for the window to go on."""
    async with following(service, qtbot, appearance, settings) as desk:
        changes: list[int] = []
        desk.view.model.rowsInserted.connect(lambda _parent, first, last: changes.append(last - first + 1))
        service.write(*range(1, 100_001))
        service.unruly = [JSONResponse(service.log)]
        desk.controller.try_now()
        await until(lambda: desk.view.model.rowCount() == 100_000, 40)
        assert max(changes) <= 2000
        assert desk.controller.ledger.counts.received == 100_000


@pytest.mark.parametrize(("hours", "word"), [(-1, "slow"), (1, "fast")])
async def test_a_clock_that_is_off_is_told(
    service: ModelService,
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    hours: int,
    word: str,
) -> None:
    """Once, and the lag is told without it."""
    async with following(service, qtbot, appearance, settings) as desk:
        moment = datetime.now(UTC) + timedelta(hours=hours)
        service.write(1, timestamp=moment.isoformat(timespec="seconds"))
        desk.controller.try_now()
        await until(lambda: desk.view.notices.title.endswith(f"60 min {word}"))
        desk.view.ticked.emit()
        assert "lag" in desk.view.strip.status
        assert "3600" not in desk.view.strip.status


async def test_a_wrong_id_far_above_the_others_does_not_take_the_feed_along(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """It is shown and told; what goes on below it comes at once, also long after."""
    service.write(1, 4_000_000_000)
    async with following(service, qtbot, appearance, settings) as desk:
        await until(lambda: _ids(desk) == [1, 4_000_000_000])
        watch = desk.controller._follower
        clock = watch._clock
        for minutes in (1, 10, 60):
            watch._clock = watch.gap_check._clock = lambda: clock() + minutes * 60  # noqa: B023
            service.write(1 + minutes)
            desk.controller.try_now()
            await until(lambda: _ids(desk)[-1] == 1 + minutes)  # noqa: B023
        assert desk.controller.ledger.counts.last == 61
        desk.actions["live_account"].trigger()
        await until(desk.view.gap_report.isVisible)
        desk.view.ticked.emit()
        assert "far above all others: 1." in desk.text()


async def test_an_id_beyond_all_counting_does_not_take_the_feed_along(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """It is shown, and what follows the others comes all the same."""
    service.write(1, 2**62 + 5)
    async with following(service, qtbot, appearance, settings) as desk:
        await until(lambda: _ids(desk) == [1, 2**62 + 5])
        service.write(2)
        desk.controller.try_now()
        await until(lambda: _ids(desk)[-1] == 2)
        assert desk.controller.ledger.counts.total == 2
