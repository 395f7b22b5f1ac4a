"""Tests of the gap report, with a service that hides and delays events."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from cdb_desktop.live import gap_detection as ledger_module
from cdb_desktop.live.gap_detection import IdCounts
from cdb_desktop.ui.live import gap_report
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.live.model_service import RIGHT, ModelService
from tests.desktop.patience import until
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.live.conftest import Follow


async def test_with_the_right_ids_are_explained_automatically(service: ModelService, follow: Follow) -> None:
    service.rights = {RIGHT: {}}
    async with follow(service) as running:
        running.controller.ledger.schedule.settle_time = 0.1
        service.write(1)
        service.write(2, kind="UNPOLLABLE")
        service.write(3, kind="OBJECT_INSERT")
        service.write(5)
        running.controller.try_now()
        await until(lambda: running.controller.ledger.counts.total == 5)
        await until(lambda: not running.controller.ledger.counts.open)
        assert running.controller.ledger.counts == IdCounts(1, 5, 2, 1, 1, 1)
        running.view.ticked.emit()
        assert running.view.strip.report_button.text() == "0 unexplained ids"
        running.actions["live_account"].trigger()
        await until(running.view.gap_report.isVisible)
        running.view.ticked.emit()
        assert "Ids 1 to 5" in running.text()
        assert "Nothing is missing." in running.text()


async def test_without_the_right_ids_are_unknown(service: ModelService, follow: Follow) -> None:
    """The button for checking names the right."""
    async with follow(service) as running:
        running.controller.ledger.schedule.settle_time = 0.1
        service.write(1, 5)
        running.controller.try_now()
        await until(lambda: running.controller.ledger.counts.unexplained == 3)
        running.view.ticked.emit()
        assert running.view.strip.report_button.text() == "3 unknown ids"
        running.actions["live_account"].trigger()
        await until(running.view.gap_report.isVisible)
        running.view.ticked.emit()
        assert RIGHT in running.text()
        assert "2 – 4" in running.text()
        check = child_of(running.view.gap_report, QPushButton, "live.account.check")
        assert not check.isEnabled()
        assert RIGHT in check.toolTip()


async def test_checking_finds_what_polls_have_not_brought(
    service: ModelService, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event that became visible far too late."""
    monkeypatch.setattr(ledger_module, "_OVERLAP", 0)
    service.rights = {RIGHT: {}}
    async with follow(service) as running:
        service.write(1, 9)
        running.controller.try_now()
        await until(lambda: running.view.model.rowCount() == 2)
        service.write(4)
        running.actions["live_check"].trigger()
        await until(lambda: running.view.model.rowCount() == 3)
        await until(lambda: running.view.notices.title == "Every id is accounted for")
        balance = running.controller.ledger.counts
        assert (balance.received, balance.deleted, balance.recovered) == (3, 6, 1)
        assert "read from the list" in gap_report.verdict(balance, is_checkable=True)


async def test_the_shortcut_for_checking_works_in_the_popup(
    service: ModelService, follow: Follow, appearance: Appearance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "_OVERLAP", 0)
    service.rights = {RIGHT: {}}
    async with follow(service) as running:
        service.write(1, 9)
        running.controller.try_now()
        await until(lambda: running.view.model.rowCount() == 2)
        running.view.ticked.emit()
        assert running.view.strip.report_button.text() == "checking 7 ids"
        assert appearance.tokens.warning not in running.view.strip.report_button.styleSheet()
        running.actions["live_account"].trigger()
        await until(running.view.gap_report.isVisible)
        check = child_of(running.view.gap_report, QPushButton, "live.account.check")
        QTest.keyClick(check, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: not running.controller.ledger.counts.open)
        assert running.controller.ledger.counts.deleted == 7


async def test_a_list_that_fails_leaves_ids_unexplained(
    service: ModelService, follow: Follow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a notice."""
    service.rights = {RIGHT: {}}
    async with follow(service) as running:
        service.write(1, 5)
        running.controller.try_now()
        await until(lambda: running.controller.ledger.counts.total == 5)
        service.fails_to_list = True
        running.actions["live_check"].trigger()
        await until(lambda: running.view.notices.title == "Not every id could be explained")
        running.view.ticked.emit()
        assert running.view.strip.report_button.text() == "3 unexplained ids"
        assert running.controller.ledger.counts.open == 3
