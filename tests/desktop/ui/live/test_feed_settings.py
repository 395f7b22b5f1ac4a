"""Tests of feeds that run while somebody chooses how often they ask and how much they keep."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import QLocale, QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.live import feed_model as model_module
from cdb_desktop.ui.live.recording import RecordingController
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.settings import FeedSettings
from tests.desktop.live.model_service import ModelService
from tests.desktop.patience import until
from tests.desktop.ui.live.conftest import Pane
from tests.desktop.ui.live.running_feed import following


async def _polls(service: ModelService, seconds: float) -> int:
    before = len(service.cursors)
    await asyncio.sleep(seconds)
    return len(service.cursors) - before


async def test_an_interval_is_in_force_at_once(
    qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """Also for a feed that waits for half a minute; the strip tells when it asks next."""
    service, setting = ModelService(), FeedSettings.of(settings)
    setting.choose_interval(30.0)
    async with following(service, qtbot, appearance, settings) as desk:
        assert await _polls(service, 1.5) == 0
        desk.view.ticked.emit()
        desk.view._on_tick()
        assert "next in 2" in desk.view.strip.status
        setting.choose_interval(0.5)
        assert 4 <= await _polls(service, 2.4) <= 6
        setting.choose_capacity(10_000)
        setting.choose_interval(30.0)
        await asyncio.sleep(0.2)
        assert await _polls(service, 1.0) == 0


async def test_a_smaller_feed_lets_the_oldest_go_at_once(
    qtbot: QtBot, pane: Pane, settings: QSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In steps, in every feed, told, and into the file if there is one; the newest stay."""
    monkeypatch.setattr(model_module, "_REMOVED_AT_ONCE", 500)
    pane.actions["live_new"].trigger()
    pane.add(100, 12_400)
    await until(lambda: all(feed.model.rowCount() == 12_500 for feed in pane.view.panes))
    leaving: list[int] = []
    pane.view.removing.connect(lambda oldest: leaving.append(len(oldest())))
    RecordingController(pane.view, pane.actions)
    FeedSettings.of(settings).choose_capacity(10_000)
    await until(lambda: all(feed.model.rowCount() == 10_000 for feed in pane.view.panes))
    assert sum(leaving) == 2_500
    assert max(leaving) == 500
    assert pane.ids == list(range(2_500, 12_500))
    assert QLocale().toString(10_000) in pane.view.notices.text
    pane.add(12_500, 1)
    await until(lambda: pane.ids[-1] == 12_500)
    assert pane.view.model.rowCount() <= 10_000
