"""Tests of the colors of JSON in the inspector."""

from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.events.inspector.inspector import LONGEST, Inspector, JsonColors
from cdb_desktop.ui.theme.appearance import Appearance, Choice


def colors(editor: QPlainTextEdit, line: int) -> dict[str, str]:
    """The colored parts of a line and their colors."""
    block = editor.document().findBlockByNumber(line)
    return {
        block.text()[one.start : one.start + one.length]: one.format.foreground().color().name().upper()
        for one in block.layout().formats()
    }


def test_parts_have_the_colors_of_the_theme(qtbot: QtBot, appearance: Appearance) -> None:
    """They follow the theme; numbers and words in texts stay part of the text."""
    editor = QPlainTextEdit()
    qtbot.addWidget(editor)
    JsonColors(editor, appearance)
    editor.setPlainText('{\n"a \\"b\\": 1": "true: 2",\n"c": -1.5e3, "d": null\n}')
    themes: tuple[Choice, ...] = ("light", "dark")
    for theme in themes:
        appearance.choose(theme)
        tokens = appearance.tokens
        assert colors(editor, 0) == {}
        assert colors(editor, 1) == {'"a \\"b\\": 1"': tokens.accent, '"true: 2"': tokens.good}
        assert colors(editor, 2) == {
            '"c"': tokens.accent,
            "-1.5e3": tokens.export,
            '"d"': tokens.accent,
            "null": tokens.session,
        }


def test_long_texts_are_not_colored(qtbot: QtBot, appearance: Appearance) -> None:
    """That would take longer than to lay them out."""
    editor = QPlainTextEdit()
    qtbot.addWidget(editor)
    JsonColors(editor, appearance)
    editor.setPlainText('"a"\n' * (LONGEST // 4 + 1))
    assert colors(editor, 0) == {}


def test_the_inspector_wraps_json(qtbot: QtBot, appearance: Appearance) -> None:
    """Long values need no scrolling sideways."""
    inspector = Inspector(appearance)
    qtbot.addWidget(inspector)
    inspector.resize(300, 600)
    inspector.show()
    inspector._tabs.setCurrentWidget(inspector.json)
    inspector.json.show_text('{"key": "' + "x" * 500 + '"}')
    assert inspector.json.horizontalScrollBar().maximum() == 0
    assert inspector.json.document().firstBlock().layout().lineCount() > 3
