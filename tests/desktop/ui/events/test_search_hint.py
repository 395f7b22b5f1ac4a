"""Tests of the line below what is searched for: its words are seen as a whole."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QTableWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.events.search_hint import SearchHint
from cdb_desktop.ui.theme.appearance import Appearance

SHORT, LONG = "No regular expression: missing ]", "What happened takes many words to tell. " * 8


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
        hint.tell(lambda told=text: told)  # type: ignore[misc]
        qtbot.wait(20)
        assert hint.isVisible() == bool(text)
        if text:
            assert hint.rect().contains(label.geometry())
            assert label.height() >= label.heightForWidth(label.width()) > 0
