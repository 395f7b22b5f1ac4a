"""Tests of the line below what is searched for: its words are seen as a whole."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTableWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.events.search.panel import SearchHint, SearchPanel
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.vocabulary.pattern import Pattern, PatternKind

SHORT, LONG = "Invalid regular expression: missing ]", "What happened takes many words to tell. " * 8


@pytest.fixture
def place(qtbot: QtBot) -> QWidget:
    """What is above and below it."""
    place = QWidget()
    qtbot.addWidget(place)
    place.resize(900, 300)
    place.show()
    return place


def test_its_words_stand_inside_it(qtbot: QtBot, place: QWidget, appearance: Appearance) -> None:
    """When they come for the first time, when there are more or fewer, and in another width."""
    hint = SearchHint(appearance, place)
    layout = QVBoxLayout(place)
    layout.addWidget(hint)
    layout.addWidget(QTableWidget(place))
    label = hint.findChild(QLabel)
    assert label is not None
    for width, text in ((900, SHORT), (900, LONG), (500, LONG), (900, SHORT), (900, ""), (900, SHORT)):
        place.resize(width, 300)
        hint.show_text(lambda told=text: told)  # type: ignore[misc]
        qtbot.wait(20)
        assert hint.isVisible() == bool(text)
        if text:
            assert hint.rect().contains(label.geometry())
            assert label.height() >= label.heightForWidth(label.width()) > 0


def test_what_looks_like_a_pair_is_looked_for_as_one_by_a_button(
    qtbot: QtBot, place: QWidget, appearance: Appearance
) -> None:
    """It stands there as soon as it is typed, and not for what is plainly a text."""
    panel = SearchPanel(appearance, place)
    panel.show()
    asked: list[Pattern] = []
    panel.search_requested.connect(lambda pattern, _scope: asked.append(pattern))
    for text, is_offered in (
        ("Vase", False),
        ("object_id=77", True),
        ("Vase", False),
        ("object_id=77", True),
    ):
        panel.text.clear()
        QTest.keyClicks(panel.text, text)
        assert panel.hint.isVisible() is panel.hint.button.isVisible() is is_offered
    QTest.keyClick(panel.hint.button, Qt.Key.Key_Space)
    assert [(one.text, one.kind) for one in asked] == [("object_id=77", PatternKind.KEY)]
    assert not panel.hint.button.isVisible()
