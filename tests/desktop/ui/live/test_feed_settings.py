"""Tests of changing the interval and the capacity of running feeds."""

import asyncio

import pytest
from PySide6.QtCore import QLocale, QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live import feed_model as model_module
from cdb_desktop.ui.live.recording import RecordingController
from cdb_desktop.ui.widgets.settings import FeedSettings
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.live.conftest import Follow, LiveWindow


async def _polls(service: ModelService, seconds: float) -> int:
    before = len(service.cursors)
    await asyncio.sleep(seconds)
    return len(service.cursors) - before


async def test_an_interval_applies_at_once(follow: Follow, settings: QSettings) -> None:
    """Also while the follower waits half a minute; the strip shows the next poll."""
    service, setting = ModelService(), FeedSettings.of(settings)
    setting.choose_interval(30.0)
    async with follow(service) as running:
        assert await _polls(service, 1.5) == 0
        running.view.ticked.emit()
        running.view._on_tick()
        assert "next in 2" in running.view.strip.status.text()
        setting.choose_interval(0.5)
        assert 4 <= await _polls(service, 2.4) <= 6
        setting.choose_capacity(10_000)
        setting.choose_interval(30.0)
        await asyncio.sleep(0.2)
        assert await _polls(service, 1.0) == 0


async def test_a_smaller_capacity_removes_the_oldest_at_once(
    qtbot: QtBot, live: LiveWindow, settings: QSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In steps, in every feed, with a notice, and into the file if there is one."""
    monkeypatch.setattr(model_module, "_REMOVED_AT_ONCE", 500)
    live.actions["live_new"].trigger()
    live.add(100, 12_400)
    await until(lambda: all(feed.model.rowCount() == 12_500 for feed in live.view.panes))
    leaving: list[int] = []
    live.view.removing.connect(lambda oldest: leaving.append(len(oldest())))
    RecordingController(live.view, live.actions)
    FeedSettings.of(settings).choose_capacity(10_000)
    await until(lambda: all(feed.model.rowCount() == 10_000 for feed in live.view.panes))
    assert sum(leaving) == 2_500
    assert max(leaving) == 500
    assert live.ids == list(range(2_500, 12_500))
    assert QLocale().toString(10_000) in live.view.notices.text
    live.add(12_500, 1)
    await until(lambda: live.ids[-1] == 12_500)
    assert live.view.model.rowCount() <= 10_000
