"""Tests of the status bar."""

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.status_bar import StatusBar
from cdb_desktop.ui.tasks import RunningTask
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.finding import child_of

EXPORT = RunningTask("export", "Exporting")


@pytest.fixture
def bar(qtbot: QtBot, appearance: Appearance) -> StatusBar:
    """A visible status bar."""
    bar = StatusBar(appearance)
    qtbot.addWidget(bar)
    bar.show()
    return bar


def test_it_shows_the_latency(bar: StatusBar) -> None:
    """Of the last response, or that there was none."""
    bar.show_connection("museum", "Root")
    bar.show_latency(3.4)
    assert (bar.who.text(), bar.latency.text()) == ("museum · Root", "· 3 ms")
    bar.show_away()
    assert bar.latency.text() == "· no answer"
    bar.show_nobody("Not connected")
    assert (bar.who.text(), bar.latency.text()) == ("Not connected", "")


def test_a_lost_session_has_a_button_to_sign_in(qtbot: QtBot, bar: StatusBar) -> None:
    """Until the user is signed in; the bar does not become higher."""
    bar.show_connection("museum", "Root")
    again = child_of(bar, QPushButton, "status.sign_in")
    assert not again.isVisible()
    height = bar.sizeHint().height()
    bar.show_signed_out()
    assert again.isVisible()
    assert bar.sizeHint().height() == height
    with qtbot.waitSignal(bar.sign_in_requested):
        again.click()
    bar.show_latency(3)
    assert not again.isVisible()


def test_a_long_task_is_shown_and_can_be_cancelled(qtbot: QtBot, bar: StatusBar) -> None:
    """With its title and its own button, until it has ended."""
    bar.work.show_running((EXPORT,))
    qtbot.waitUntil(lambda: _titles(bar) == ["Exporting"])
    with qtbot.waitSignal(bar.cancel_requested) as blocker:
        bar.findChildren(QToolButton)[0].click()
    assert blocker.args == ["export"]
    bar.work.show_running(())
    assert _titles(bar) == []


def _titles(bar: StatusBar) -> list[str]:
    return [
        label.text()
        for label in bar.findChildren(QLabel)
        if label.text() == EXPORT.title and label.isVisible()
    ]
