"""Tests of the feed in German."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, Qt
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import Language
from cdb_desktop.live.feed_filter import without_type
from cdb_desktop.ui.shell.settings.language import use_locale
from tests.desktop.ui.live.conftest import LiveWindow


def test_everything_is_translated_without_a_restart(qtbot: QtBot, live: LiveWindow) -> None:
    """And back again."""
    live.actions["pause"].trigger()
    live.view.set_filter(without_type(live.view.model.feed.filter, "SEARCH"))
    before = QLocale()
    try:
        _use(live, "de", QLocale(QLocale.Language.German))
        assert live.banner.text().startswith("Angehalten, noch nichts Neues")
        assert live.view.strip.status.startswith("Angehalten · ")
        assert live.view.strip.counts == "85 von 100 gezeigt"
        assert live.view.strip.chip.text == "ohne SEARCH"
        assert live.view.model.headerData(0, Qt.Orientation.Horizontal) == "Id"
    finally:
        _use(live, "en", before)
    assert live.banner.text().startswith("Paused, nothing new yet")


def _use(live: LiveWindow, language: Language, locale: QLocale) -> None:
    use_locale(language, locale)
    QCoreApplication.sendEvent(live.window, QEvent(QEvent.Type.LanguageChange))
