"""Tests of stored columns."""

from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.widgets.event_table.columns import persist_columns
from cdb_desktop.ui.widgets.event_table.table import EventTable
from tests.desktop.ui.widgets.builders import EndlessModel


def test_width_and_order_are_restored(qtbot: QtBot, appearance: Appearance, settings: QSettings) -> None:
    """At the next start."""
    for _start in (1, 2):
        table = EventTable(EndlessModel(5), appearance)
        qtbot.addWidget(table)
        header = table.horizontalHeader()
        persist_columns(header, settings, "events/columns", when=lambda: True)
        if _start == 1:
            header.resizeSection(1, 321)
            header.moveSection(3, 0)
    assert header.sectionSize(1) == 321
    assert header.visualIndex(3) == 0
