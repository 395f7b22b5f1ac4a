"""Tests of the feed in German."""

from __future__ import annotations

import ast
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cdb_desktop.ui.language.texts import german_texts
from cdb_desktop.ui.language.translator import Translator
from cdb_desktop.ui.live import view
from tests.desktop.ui.live.conftest import Pane


def test_another_language_reaches_everything_in_sight(qtbot: QtBot, qapp: QApplication, pane: Pane) -> None:
    """Without a restart, and back again."""
    pane.actions["pause"].trigger()
    pane.view.set_filter(pane.view.model.feed.filter.without("SEARCH"))
    german = Translator(german_texts(), pane.window)
    qapp.installTranslator(german)
    try:
        qtbot.waitUntil(lambda: pane.banner.text().startswith("Angehalten, noch nichts Neues"))
        assert pane.view.strip.words.startswith("Angehalten · ")
        assert pane.view.strip.counts == "85 von 100 gezeigt"
        assert pane.view.strip.chip.words == "ohne SEARCH"
        assert pane.view.model.headerData(0, Qt.Orientation.Horizontal) == "Id"
    finally:
        qapp.removeTranslator(german)
    qtbot.waitUntil(lambda: pane.banner.text().startswith("Paused, nothing new yet"))


def test_every_text_of_the_feed_is_there_in_german() -> None:
    """None is missing, and none is kept that nobody shows."""
    files = Path(view.__file__).parent.glob("*.py")
    shown = {text for file in files for text in _texts(ast.parse(file.read_text("utf-8")))}
    assert shown == {source for context, source in german_texts() if context == "Live"}


def _texts(tree: ast.AST) -> set[str]:
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 2]
    return {
        str(call.args[1].value)
        for call in calls
        if ast.unparse(call.func).endswith("translate") and isinstance(call.args[1], ast.Constant)
    }
