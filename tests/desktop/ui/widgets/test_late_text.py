"""Tests of a text that waits until somebody sees it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from cdb_desktop.ui.widgets.late_text import LateText


def test_a_text_is_laid_out_when_it_is_seen(qtbot: QtBot) -> None:
    """Out of sight it is known and costs nothing; in sight another one is there at once."""
    text = LateText()
    qtbot.addWidget(text)
    text.show_text("one")
    assert (text.text, text.toPlainText()) == ("one", "")
    with qtbot.waitExposed(text):
        text.show()
    assert text.toPlainText() == "one"
    text.show_text("two")
    assert text.toPlainText() == "two"
