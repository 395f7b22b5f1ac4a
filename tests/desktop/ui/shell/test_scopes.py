"""Tests that shortcuts of a page are inactive while a widget beside the page has the focus."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.shell.main_window import MainWindow
from cdb_desktop.ui.theme.appearance import Appearance
from tests.desktop.ui.shell.builders import open_workspace


@pytest.mark.parametrize(("name", "key"), [("element_delete", "Delete"), ("element_rename", "F2")])
def test_shortcuts_of_the_schema_apply_to_the_schema_only(
    qtbot: QtBot, appearance: Appearance, settings: QSettings, name: str, key: str
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
    done: list[str] = []
    actions[name].triggered.connect(lambda: done.append(name))
    in_dock = (one for one in workspace.feed_title.findChildren(QWidget) if one.isVisible())
    _press(next(one for one in in_dock if one.focusPolicy() & Qt.FocusPolicy.TabFocus), key)
    assert done == []
    _press(workspace.schema.view.tables.tree, key)
    assert done == [name]


def _press(widget: QWidget, key: str) -> None:
    widget.setFocus()
    assert widget.hasFocus()
    QTest.keyClick(widget, getattr(Qt.Key, f"Key_{key}"))
