"""Tests of remembered columns."""

from __future__ import annotations

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.columns import persist_columns
from cdb_desktop.ui.widgets.event_table.table import EventTable
from tests.desktop.ui.widgets.builders import Endless


def test_width_and_order_are_as_they_were(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> None:
    """The next start shows the columns as somebody has put them."""
    for _start in (1, 2):
        table = EventTable(Endless(5), appearance)
        qtbot.addWidget(table)
        header = table.horizontalHeader()
        persist_columns(header, settings, "events/columns")
        if _start == 1:
            header.resizeSection(1, 321)
            header.moveSection(3, 0)
    assert header.sectionSize(1) == 321
    assert header.visualIndex(3) == 0
