"""Tests of the choice of the language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QSettings
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import language as language_in_use
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.language import LanguageSetting


def test_words_and_numbers_change_at_once(language: LanguageSetting) -> None:
    """No restart, and back again."""
    language.choose("de")
    assert tr("&File") == "&Datei"
    assert QLocale().toString(1234567) == "1.234.567"
    assert language_in_use() == "de"
    language.choose("en")
    assert tr("&File") == "&File"
    assert QLocale().toString(1234567) == "1,234,567"


def test_qt_speaks_the_same_language(language: LanguageSetting) -> None:
    """The menu of a text field, and the names of keys."""
    language.choose("de")
    assert QCoreApplication.translate("QWidgetTextControl", "&Copy") == "&Kopieren"
    assert QCoreApplication.translate("QShortcut", "Ctrl") == "Strg"


def test_every_window_is_told(qtbot: QtBot, language: LanguageSetting) -> None:
    """As Qt's own event, so that no view has to know the setting."""
    heard: list[int] = []

    class Listening(QLabel):
        def changeEvent(self, event: object) -> None:  # noqa: N802
            heard.append(event.type().value)  # type: ignore[attr-defined]

    window = Listening()
    qtbot.addWidget(window)
    language.choose("de")
    qtbot.waitUntil(lambda: len(heard) == 1)


def test_the_choice_is_remembered(language: LanguageSetting, qapp: QApplication, settings: QSettings) -> None:
    """The next start speaks it from the first word."""
    language.choose("de")
    again = LanguageSetting(qapp, settings)
    assert (again.choice, again.language) == ("de", "de")
    again.choose("en")


def test_a_choice_that_nobody_knows_is_the_systems(qapp: QApplication, settings: QSettings) -> None:
    """A settings file may come from another version."""
    settings.setValue("language", "tlh")
    assert LanguageSetting(qapp, settings).choice == "system"
