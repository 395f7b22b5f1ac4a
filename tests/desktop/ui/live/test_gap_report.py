"""Tests of how the feed tells what became of every id, with a service that hides and is late."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from cdb_desktop.live import id_ledger as ledger_module
from cdb_desktop.live.id_ledger import IdCounts
from cdb_desktop.ui.live import gap_report
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.live.model_service import RIGHT, ModelService
from tests.desktop.patience import until
from tests.desktop.ui.live.running_feed import following


@pytest.fixture
def service() -> ModelService:
    """A service that is not served yet."""
    return ModelService()


async def test_with_the_right_ids_are_explained_by_themselves(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """Those that polls leave out are looked up, and the popup tells what they are."""
    service.rights = {RIGHT: {}}
    async with following(service, qtbot, appearance, settings) as desk:
        desk.controller.ledger._schedule.settle_time = 0.1
        service.write(1)
        service.write(2, kind="UNPOLLABLE")
        service.write(3, kind="OBJECT_INSERT")
        service.write(5)
        desk.controller.try_now()
        await until(lambda: desk.controller.ledger.counts.total == 5)
        await until(lambda: not desk.controller.ledger.counts.open)
        assert desk.controller.ledger.counts == IdCounts(1, 5, 2, 1, 1, 1)
        desk.view.ticked.emit()
        assert desk.view.strip.report_button.text() == "ids: 0 unexplained"
        desk.actions["live_account"].trigger()
        await until(desk.view.gap_report.isVisible)
        desk.view.ticked.emit()
        assert "Ids 1 to 5" in desk.text()
        assert "Nothing is missing." in desk.text()


async def test_without_the_right_it_is_said_what_nobody_can_know(
    service: ModelService, qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """Nothing is guessed; the button for checking names the right."""
    async with following(service, qtbot, appearance, settings) as desk:
        desk.controller.ledger._schedule.settle_time = 0.1
        service.write(1, 5)
        desk.controller.try_now()
        await until(lambda: desk.controller.ledger.counts.unexplained == 3)
        desk.view.ticked.emit()
        assert desk.view.strip.report_button.text() == "ids: 3 unknown"
        desk.actions["live_account"].trigger()
        await until(desk.view.gap_report.isVisible)
        desk.view.ticked.emit()
        assert RIGHT in desk.text()
        assert "2 – 4" in desk.text()
        check = desk.view.gap_report.findChild(QPushButton, "live.account.check")
        assert check is not None
        assert not check.isEnabled()
        assert RIGHT in check.toolTip()


async def test_what_polls_do_not_bring_is_brought_by_checking(
    service: ModelService,
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An event that became visible far too late stands in the feed after one step of the user."""
    monkeypatch.setattr(ledger_module, "_OVERLAP", 0)
    service.rights = {RIGHT: {}}
    async with following(service, qtbot, appearance, settings) as desk:
        service.write(1, 9)
        desk.controller.try_now()
        await until(lambda: desk.view.model.rowCount() == 2)
        service.write(4)
        desk.actions["live_check"].trigger()
        await until(lambda: desk.view.model.rowCount() == 3)
        await until(lambda: desk.view.notices.title == "Every id is accounted for")
        balance = desk.controller.ledger.counts
        assert (balance.received, balance.deleted, balance.recovered) == (3, 6, 1)
        assert "read from the list" in gap_report.verdict(balance, is_checkable=True)


async def test_the_key_of_checking_works_while_the_popup_is_open(
    service: ModelService,
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is being checked is said in quiet words; the key looks it up at once."""
    monkeypatch.setattr(ledger_module, "_OVERLAP", 0)
    service.rights = {RIGHT: {}}
    async with following(service, qtbot, appearance, settings) as desk:
        service.write(1, 9)
        desk.controller.try_now()
        await until(lambda: desk.view.model.rowCount() == 2)
        desk.view.ticked.emit()
        assert desk.view.strip.report_button.text() == "ids: checking 7"
        assert appearance.tokens.warning not in desk.view.strip.report_button.styleSheet()
        desk.actions["live_account"].trigger()
        await until(desk.view.gap_report.isVisible)
        check = desk.view.gap_report.findChild(QPushButton, "live.account.check")
        assert check is not None
        QTest.keyClick(check, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: not desk.controller.ledger.counts.open)
        assert desk.controller.ledger.counts.deleted == 7


async def test_a_list_that_fails_leaves_ids_unexplained_and_says_so(
    service: ModelService,
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Never a verdict that was not read."""
    service.rights = {RIGHT: {}}
    async with following(service, qtbot, appearance, settings) as desk:
        service.write(1, 5)
        desk.controller.try_now()
        await until(lambda: desk.controller.ledger.counts.total == 5)
        service.fails_to_list = True
        desk.actions["live_check"].trigger()
        await until(lambda: desk.view.notices.title == "Not every id could be explained")
        desk.view.ticked.emit()
        assert desk.view.strip.report_button.text() == "ids: 3 unexplained"
        assert desk.controller.ledger.counts.open == 3
