"""Tests of running work in the status bar: what is mentioned, when, and that nothing flickers."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.status_bar import RunningTasks
from cdb_desktop.ui.tasks import RunningTask, Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.patience import until

EXPORT, COUNT = RunningTask("export", "Exporting", 0.2), RunningTask("count", "Counting")


@pytest.fixture
def row(qtbot: QtBot, appearance: Appearance) -> RunningTasks:
    """A row on the screen, which shows itself as soon as there is something."""
    row = RunningTasks(appearance)
    qtbot.addWidget(row)
    return row


def titles(row: RunningTasks) -> list[str]:
    """What is mentioned, from the left."""
    shown = [label for label in row.findChildren(QLabel) if label.isVisible() and label.text()]
    return [label.text() for label in sorted(shown, key=lambda one: one.mapTo(row, QPoint()).x())]


def test_short_work_is_not_mentioned_beside_long_work(qtbot: QtBot, row: RunningTasks) -> None:
    """Nor does it push the long one away; what becomes long comes beside it."""
    row.show_running((EXPORT,))
    assert not row.isVisible()
    qtbot.waitUntil(lambda: titles(row) == ["Exporting"])
    row.show_running((EXPORT, COUNT))
    qtbot.wait(100)
    assert titles(row) == ["Exporting"]
    row.show_running((EXPORT,))
    qtbot.wait(400)
    assert titles(row) == ["Exporting"]
    row.show_running((EXPORT, COUNT))
    qtbot.waitUntil(lambda: titles(row) == ["Exporting", "Counting"])
    row.show_running((COUNT,))
    assert titles(row) == ["Counting"]
    row.show_running(())
    assert titles(row) == []
    assert not row.isVisible()


def test_each_piece_of_work_has_its_own_way_to_end_it(qtbot: QtBot, row: RunningTasks) -> None:
    """Also after the one before it has gone."""
    row.show_running((EXPORT, COUNT))
    qtbot.waitUntil(lambda: len(titles(row)) == 2)
    row.show_running((COUNT,))
    (cross,) = (button for button in row.findChildren(QToolButton) if button.isVisible())
    assert cross.accessibleName() == "Cancel: Counting"
    with qtbot.waitSignal(row.cancel_requested) as asked:
        cross.click()
    assert asked.args == ["count"]


async def test_newer_work_of_the_same_name_goes_on_in_its_place(qtbot: QtBot, row: RunningTasks) -> None:
    """To the user it is the same work; its time does not begin anew, nor does its item come and go."""
    async with Tasks(_never) as tasks:
        tasks.running_changed.connect(row.show_running)
        for _turn in range(4):
            tasks.start("count", asyncio.sleep(60), title="Counting")
            await asyncio.sleep(0.1)
        await until(lambda: titles(row) == ["Counting"])
        (item,) = row._items.values()
        tasks.start("count", asyncio.sleep(60), title="Counting")
        assert list(row._items.values()) == [item]
        tasks.give_up("count")
        assert titles(row) == []


def _never(error: Exception) -> None:
    raise AssertionError(error)
