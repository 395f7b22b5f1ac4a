"""Tests that contents and messages do not enlarge the window."""

from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import QSettings, QSize
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.connection.profile import ConnectionProfile
from cdb_desktop.ui.live.recording import RecordingNotice
from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.tasks import RunningTask
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.labels import ElidedLabel
from tests.desktop.conftest import SetLanguage
from tests.desktop.ui.finding import child_of
from tests.desktop.ui.shell.builders import open_workspace

SMALL = QSize(900, 600)
LONG = "What happened takes many words to tell, so that they need more than one line. " * 3


@pytest.mark.parametrize("spoken", ["en", "de"])
@pytest.mark.parametrize("feeds", [1, 4])
def test_notices_and_feeds_do_not_enlarge_it(
    qtbot: QtBot,
    appearance: Appearance,
    settings: QSettings,
    set_language: SetLanguage,
    feeds: int,
    spoken: Literal["en", "de"],
) -> None:
    """Tables and views shrink; status bar and rail stay on the screen."""
    set_language(spoken)
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.start.choices.show_profiles([ConnectionProfile(f"https://{place}.example") for place in range(5)])
    window.show()
    workspace = open_workspace(window, appearance, settings)
    workspace.schema.view.bottom.open(1)
    window.resize(SMALL)
    qtbot.waitUntil(lambda: window.size() == SMALL)
    for _ in range(feeds - 1):
        workspace.live_view.open_feed()
    notice = RecordingNotice("live.record.notice", appearance, workspace.live_view)
    workspace.live_view.add_notice(notice)
    notice.show_not_begun(Path("/a/file"), OSError(28, LONG))
    window.notice.show_notice("warning", "A title", LONG)

    def is_small() -> bool:
        window.resize(SMALL)  # again, since wrapped lines need their width before they need less height
        return window.size() == SMALL

    drawing = workspace.schema.view.diagram_panel
    tools = child_of(drawing, QAbstractButton).parentWidget()  # over the diagram, in no layout
    assert tools is not None
    for page in ("events", "schema"):
        window.actions_by_name[page].setChecked(True)
        qtbot.waitUntil(is_small)
        assert window.minimumSizeHint().height() <= SMALL.height(), page
        assert window.status.geometry().bottom() < SMALL.height(), page
    assert drawing.rect().contains(tools.geometry())


def test_concurrent_tasks_do_not_widen_it(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, set_language: SetLanguage
) -> None:
    """Their titles are elided with a tooltip; their cancel buttons stay visible."""
    set_language("de")
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    window.show()
    window.status.show_connection("museum", "Root")
    window.resize(SMALL)
    qtbot.waitUntil(lambda: window.size() == SMALL)
    title = "Export: 124.876 von 1.000.003 Zeilen · 33,8 MB · noch 25 s"
    window.status.work.show_running(tuple(RunningTask(f"work.{number}", title, 0.1) for number in range(3)))
    crosses: list[QAbstractButton] = []

    def all_there() -> bool:
        crosses[:] = [one for one in window.status.findChildren(QAbstractButton) if one.isVisible()]
        return len(crosses) == 3

    qtbot.waitUntil(all_there)
    qtbot.wait(50)
    assert window.size() == SMALL
    assert window.minimumSizeHint().width() <= SMALL.width()
    rights = [one.mapTo(window, one.rect().bottomRight()).x() for one in crosses]
    assert max(rights) < SMALL.width()
    titles = {one.text(): one.toolTip() for one in window.status.findChildren(ElidedLabel)}
    assert titles == {title: title}
