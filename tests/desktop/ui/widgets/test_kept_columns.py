"""Tests of remembered columns."""

from __future__ import annotations

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table import EventTable
from cdb_desktop.ui.widgets.kept_columns import keep_columns
from tests.desktop.ui.widgets.builders import Endless


def test_width_and_order_are_as_they_were(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> None:
    """The next start shows the columns as somebody has put them."""
    for _start in (1, 2):
        table = EventTable(Endless(5), appearance)
        qtbot.addWidget(table)
        header = table.horizontalHeader()
        keep_columns(header, settings, "events/columns")
        if _start == 1:
            header.resizeSection(1, 321)
            header.moveSection(3, 0)
    assert header.sectionSize(1) == 321
    assert header.visualIndex(3) == 0
