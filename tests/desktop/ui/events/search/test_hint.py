"""Tests of the hint below the search text: it is never clipped."""

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
def hint_parent(qtbot: QtBot) -> QWidget:
    """What is above and below it."""
    hint_parent = QWidget()
    qtbot.addWidget(hint_parent)
    hint_parent.resize(900, 300)
    hint_parent.show()
    return hint_parent


def test_the_hint_is_not_clipped(qtbot: QtBot, hint_parent: QWidget, appearance: Appearance) -> None:
    """When it appears, when its text changes, and in another width."""
    hint = SearchHint(appearance, hint_parent)
    layout = QVBoxLayout(hint_parent)
    layout.addWidget(hint)
    layout.addWidget(QTableWidget(hint_parent))
    label = hint.findChild(QLabel)
    assert label is not None
    for width, text in ((900, SHORT), (900, LONG), (500, LONG), (900, SHORT), (900, ""), (900, SHORT)):
        hint_parent.resize(width, 300)
        hint.show_text(lambda text=text: text)  # type: ignore[misc]
        qtbot.wait(20)
        assert hint.isVisible() == bool(text)
        if text:
            assert hint.rect().contains(label.geometry())
            assert label.height() >= label.heightForWidth(label.width()) > 0


def test_a_button_searches_for_a_key_value_pair(
    qtbot: QtBot, hint_parent: QWidget, appearance: Appearance
) -> None:
    """It appears while the text is typed, and not for plain text."""
    panel = SearchPanel(appearance, hint_parent)
    panel.show()
    patterns: list[Pattern] = []
    panel.search_requested.connect(lambda pattern, _scope: patterns.append(pattern))
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
    assert [(one.text, one.kind) for one in patterns] == [("object_id=77", PatternKind.KEY)]
    assert not panel.hint.button.isVisible()
