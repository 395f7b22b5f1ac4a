"""Tests of a feed whose service answers in ways that nobody expects: all is shown or told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot
from starlette.responses import HTMLResponse, JSONResponse, Response

from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.live.desk import Desk, following


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
        JSONResponse([{"event": {"type": "SEARCH"}}]),
        JSONResponse([7]),
        Response(b"\xff\xfe[", media_type="application/json"),
    ],
    ids=["html", "an object", "a record without id", "a number", "no text"],
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
        await until(lambda: "trying again" in desk.view.strip.words)
        assert _ids(desk) == [1]
        desk.controller.try_now()
        await until(lambda: _ids(desk) == [1, 2])


async def test_events_with_too_little_and_too_much_are_shown(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """A row for each, whatever stands in it, and none twice."""
    landing = {"event": {"_id": 5, "type": "MOON_LANDING", "crew": ["a"], "object_id": "seven"}}
    bare, flat = {"event": {"_id": 3}}, {"_id": 4, "base_type": "user"}
    service.unruly = [JSONResponse([landing, bare, flat, landing, bare])]
    async with following(service, qtbot, appearance, settings) as desk:
        await until(lambda: _ids(desk) == [5, 3, 4])
        assert desk.controller.ledger.balance.seen == 3


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
        assert desk.controller.ledger.balance.seen == 100_000


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
        assert "lag" in desk.view.strip.words
        assert "3600" not in desk.view.strip.words


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
        assert desk.controller.ledger.balance.total == 2
