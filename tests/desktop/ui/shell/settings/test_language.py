"""Tests of choosing the language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QSettings
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from cdb_desktop.foundation.i18n import language as language_in_use
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.language import LanguageSetting


def test_texts_and_numbers_change_immediately(language: LanguageSetting) -> None:
    """Without a restart, and back again."""
    language.choose("de")
    assert tr("&File") == "&Datei"
    assert QLocale().toString(1234567) == "1.234.567"
    assert language_in_use() == "de"
    language.choose("en")
    assert tr("&File") == "&File"
    assert QLocale().toString(1234567) == "1,234,567"


def test_qt_uses_the_same_language(language: LanguageSetting) -> None:
    """In the context menu of a text field and in the names of keys."""
    language.choose("de")
    assert QCoreApplication.translate("QWidgetTextControl", "&Copy") == "&Kopieren"
    assert QCoreApplication.translate("QShortcut", "Ctrl") == "Strg"


def test_every_window_receives_an_event(qtbot: QtBot, language: LanguageSetting) -> None:
    """It is Qt's LanguageChange event, so that views do not depend on the setting."""
    heard: list[int] = []

    class LanguageWidget(QLabel):
        def changeEvent(self, event: object) -> None:  # noqa: N802
            heard.append(event.type().value)  # type: ignore[attr-defined]

    window = LanguageWidget()
    qtbot.addWidget(window)
    language.choose("de")
    qtbot.waitUntil(lambda: len(heard) == 1)


def test_the_choice_is_remembered(language: LanguageSetting, qapp: QApplication, settings: QSettings) -> None:
    """The next start uses it from the first text."""
    language.choose("de")
    again = LanguageSetting(qapp, settings)
    assert (again.choice, again.language) == ("de", "de")
    again.choose("en")


def test_an_unknown_language_means_that_of_the_system(qapp: QApplication, settings: QSettings) -> None:
    """The settings may come from another version."""
    settings.setValue("language", "tlh")
    assert LanguageSetting(qapp, settings).choice == "system"
