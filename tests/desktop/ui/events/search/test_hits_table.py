"""Tests of painting a hit."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.client import Event
from cdb_desktop.ui.events.search.hits_table import shortened
from cdb_desktop.ui.events.view import EventsView
from cdb_desktop.ui.shell.settings.language import LanguageChoice, LanguageSetting
from cdb_desktop.vocabulary.pattern import Hit


@pytest.mark.usefixtures("qapp")
def test_a_match_is_always_visible_in_its_column() -> None:
    """The text before it is elided at the beginning."""
    metrics = QFontMetrics(QFont())
    before = "sftp.catalogue.example: permission "
    whole = metrics.horizontalAdvance(before)
    assert shortened(before, metrics, whole) == before
    cut = shortened(before, metrics, whole // 2)
    assert cut.startswith("…")
    assert before.endswith(cut[1:])
    assert metrics.horizontalAdvance(cut) <= whole // 2
    assert len(shortened(before, metrics, -20)) <= 1


@pytest.mark.parametrize("width", [620, 900, 1_232])
def test_the_column_of_the_match_has_priority(view: EventsView, width: int) -> None:
    """The other columns become narrower, and there is no horizontal scroll bar."""
    panel = view.panels.search
    view.resize(width, 600)
    view.panels.open_search()
    event = Event(id=20_003, type="COLLECTION_OWNER_RIGHTS_ERROR")
    panel.model.add([Hit(event, "info.exception.message", "x" * 40 + "denied" + "y" * 300, 40, 46)])
    QApplication.processEvents()
    table, last = panel.table, panel.model.columnCount() - 1
    assert table.columnWidth(last) >= min(260, width - 120)
    assert table.columnViewportPosition(last) + table.columnWidth(last) <= table.viewport().width()


def test_numbers_in_rows_follow_the_language_at_once(view: EventsView, language: LanguageSetting) -> None:
    """Cached rows are painted again, and accessible texts change."""
    panel = view.panels.search
    view.resize(1_232, 600)
    view.panels.open_search()
    panel.model.add([Hit(Event(id=20_003, type="SEARCH"), "type", "SEARCH", 0, 6)])
    QApplication.processEvents()
    english = panel.table.viewport().grab().toImage()
    language.choose("de")
    german = panel.table.viewport().grab().toImage()
    assert german != english
    language.choose("en")
    assert panel.table.viewport().grab().toImage() == english


@pytest.mark.parametrize("choice", ["en", "de"])
@pytest.mark.parametrize("width", [760, 976, 1_232])
def test_search_options_are_not_clipped(
    view: EventsView, qtbot: QtBot, language: LanguageSetting, choice: LanguageChoice, width: int
) -> None:
    """In a narrow window they have their own line."""
    language.choose(choice)
    view.resize(width, 600)
    view.panels.open_search()
    panel = view.panels.search
    qtbot.waitUntil(lambda: panel.ignore_case.width() >= panel.ignore_case.sizeHint().width())
    assert view.width() == width
    for box in (panel.kind, panel.scope):
        assert box.width() >= box.sizeHint().width()
    assert panel.text.width() >= 120
