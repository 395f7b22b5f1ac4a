"""Tests of running tasks in the status bar: which are shown, when, and without flickering."""

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
    """A row that is shown when it has items."""
    row = RunningTasks(appearance)
    qtbot.addWidget(row)
    return row


def titles(row: RunningTasks) -> list[str]:
    """The titles of the shown tasks, from the left."""
    shown = [label for label in row.findChildren(QLabel) if label.isVisible() and label.text()]
    return [label.text() for label in sorted(shown, key=lambda one: one.mapTo(row, QPoint()).x())]


def test_short_tasks_are_not_shown_beside_long_ones(qtbot: QtBot, row: RunningTasks) -> None:
    """They do not replace the long task; a task that becomes long is added."""
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


def test_each_task_has_its_own_cancel_button(qtbot: QtBot, row: RunningTasks) -> None:
    """Also after the previous task has ended."""
    row.show_running((EXPORT, COUNT))
    qtbot.waitUntil(lambda: len(titles(row)) == 2)
    row.show_running((COUNT,))
    (cross,) = (button for button in row.findChildren(QToolButton) if button.isVisible())
    assert cross.accessibleName() == "Cancel: Counting"
    with qtbot.waitSignal(row.cancel_requested) as blocker:
        cross.click()
    assert blocker.args == ["count"]


async def test_a_newer_task_of_the_same_name_keeps_the_item(qtbot: QtBot, row: RunningTasks) -> None:
    """To the user it is the same task: its time continues, and its item does not flicker."""
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
