"""Tests of the feed in German."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, Qt
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import Language
from cdb_desktop.ui.shell.settings.language import use_locale
from tests.desktop.ui.live.conftest import Pane


def test_another_language_reaches_everything_in_sight(qtbot: QtBot, pane: Pane) -> None:
    """Without a restart, and back again."""
    pane.actions["pause"].trigger()
    pane.view.set_filter(pane.view.model.feed.filter.without("SEARCH"))
    before = QLocale()
    try:
        _use(pane, "de", QLocale(QLocale.Language.German))
        assert pane.banner.text().startswith("Angehalten, noch nichts Neues")
        assert pane.view.strip.status.startswith("Angehalten · ")
        assert pane.view.strip.counts == "85 von 100 gezeigt"
        assert pane.view.strip.chip.text == "ohne SEARCH"
        assert pane.view.model.headerData(0, Qt.Orientation.Horizontal) == "Id"
    finally:
        _use(pane, "en", before)
    assert pane.banner.text().startswith("Paused, nothing new yet")


def _use(pane: Pane, language: Language, locale: QLocale) -> None:
    use_locale(language, locale)
    QCoreApplication.sendEvent(pane.window, QEvent(QEvent.Type.LanguageChange))
