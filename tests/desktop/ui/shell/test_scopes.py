"""Tests that shortcuts of a page are inactive while a widget beside the page has the focus."""

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.shell.builders import open_workspace


def test_shortcuts_of_the_schema_apply_to_the_schema_only(
    qtbot: QtBot, appearance: Appearance, settings: QSettings
) -> None:
    """Delete in the feed deletes no table."""
    window = MainWindow(appearance, settings)
    qtbot.addWidget(window)
    actions = window.actions_by_name
    workspace = open_workspace(window, appearance, settings)
    actions["schema"].setChecked(True)
    actions["live"].setChecked(True)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    in_dock = (one for one in workspace.live_view.strip.findChildren(QWidget) if one.isVisible())
    feed = next(one for one in in_dock if one.focusPolicy() & Qt.FocusPolicy.TabFocus)
    for name, key in (("element_delete", "Delete"), ("element_rename", "F2")):
        done: list[bool] = []
        actions[name].triggered.connect(lambda _checked, done=done: done.append(True))
        _press(feed, key)
        assert done == [], name
        _press(workspace.schema.view.tables.tree, key)
        assert len(done) == 1, name


def _press(widget: QWidget, key: str) -> None:
    widget.setFocus()
    assert widget.hasFocus()
    QTest.keyClick(widget, getattr(Qt.Key, f"Key_{key}"))
