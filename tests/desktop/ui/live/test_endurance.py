"""Tests of a live view that is open for hours, at full speed."""

import asyncio
import gc
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Client
from cdb_desktop.live import log_follower as follower_module
from cdb_desktop.live.log_follower import LogFollower
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.live.controller import LiveController
from cdb_desktop.ui.live.view import LiveView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.failures import raise_error
from tests.desktop.live.model_log import ModelLog

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks the system for the memory in use")
_EIGHT_HOURS = 28_800  # polls at one a second
_STALL = 0.5  # seconds of work in one step: it must not grow with the length of the feed
_FORMS = ("plain", "unpollable", "insert", "plain", "user update")


@asynccontextmanager
async def _feed(
    model: ModelLog, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> AsyncIterator[tuple[LiveView, LogFollower]]:
    actions = Actions(appearance)
    view = LiveView(appearance, settings, actions)
    qtbot.addWidget(view)
    qtbot.addWidget(view.strip)
    view.model.feed.capacity = 2_000
    view.resize(900, 300)
    view.show()
    async with Tasks(raise_error) as tasks:
        client = cast("Client", model)
        controller = LiveController(view, client, model.session, tasks, actions)
        # One step after the other, in place of the pace of a clock.
        follower = LogFollower(
            client,
            model.session,
            controller._on_report,
            clock=lambda: model.now,
            time_of_day=lambda: model.now,
        )
        controller._follower, controller.ledger = follower, follower.ledger
        yield view, follower


@pytest.mark.timeout(900)
@pytest.mark.parametrize("polls", [_EIGHT_HOURS // 20, pytest.param(_EIGHT_HOURS, marks=pytest.mark.long)])
async def test_memory_and_references_stay_flat(
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    polls: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Within 5 % from when the feed is full; nothing is lost, and no step blocks the window."""
    # A timer for each poll, which the loop keeps until it is due: at this speed they would be thousands.
    monkeypatch.setattr(follower_module, "_LATE", 0.02)
    model = ModelLog(has_right=True, most=1000)
    async with _feed(model, qtbot, appearance, settings) as (view, follower):
        sizes: list[tuple[int, int]] = []
        longest = 0.0
        for number in range(polls):
            for place in range(3):
                model.write(_FORMS[(number + place) % 5], mine=False, delay=0.0)
            _forget_the_old(model)
            model.now += 1.0
            begun = time.thread_time()
            await follower.poll_once()
            await follower.gap_check.check_due()
            if number % 20 == 0:
                view.ticked.emit()
                await asyncio.sleep(0.001)
            longest = max(longest, time.thread_time() - begun)
            if number + 1 in {polls * part // 6 for part in (4, 5, 6)}:
                await asyncio.sleep(0.1)
                view.model.feed._store._cache.clear()  # of some hundred events, more or fewer
                sizes.append(_measured())
        (memory, references), (_, references_between), (memory_later, references_later) = sizes
        assert memory_later < memory * 1.05
        assert longest < _STALL
        # A binding that loses a reference to None with each call loses thousands in each sixth of the polls.
        # Objects of earlier tests that are freed meanwhile lose references, too, but those become fewer.
        changes = references_between - references, references_later - references_between
        # Since 3.12, None is immortal, and references to it are no longer counted reliably.
        assert min(changes) < polls // 6 or sys.version_info >= (3, 12)
        assert view.model.feed.kept <= 2_000
        assert follower.ledger.counts.unexplained == 0


def _forget_the_old(model: ModelLog) -> None:
    # The model would otherwise be what grows.
    for number in [one for one in model.log if one < model.last - 60]:
        del model.log[number], model.ever[number]


def _measured() -> tuple[int, int]:
    gc.collect()
    with open("/proc/self/statm") as file:  # noqa: PTH123
        pages = int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), sys.getrefcount(None)
