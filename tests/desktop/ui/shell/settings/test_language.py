"""Tests of choosing the language."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QSettings
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from cdb_desktop.foundation.i18n import language as language_in_use
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.language import LanguageSetting


@pytest.fixture
def german(qapp: QApplication, settings: QSettings) -> Iterator[LanguageSetting]:
    """The setting of a program that was started in German."""
    settings.setValue("language", "de")
    setting = LanguageSetting(qapp, settings)
    yield setting
    delete(setting)


def test_texts_numbers_and_qt_use_the_language(german: LanguageSetting) -> None:
    """Also in the context menu of a text field and in the names of keys."""
    assert (german.choice, german.language, language_in_use()) == ("de", "de", "de")
    assert tr("&File") == "&Datei"
    assert QLocale().toString(1234567) == "1.234.567"
    assert QCoreApplication.translate("QWidgetTextControl", "&Copy") == "&Kopieren"
    assert QCoreApplication.translate("QShortcut", "Ctrl") == "Strg"


def test_another_language_is_used_from_the_next_start(german: LanguageSetting, settings: QSettings) -> None:
    """Until then all texts stay as they are."""
    assert not german.choose("de")
    assert german.choose("en")
    assert settings.value("language") == "en"
    assert (german.language, language_in_use(), tr("&File")) == ("en", "de", "&Datei")


def test_an_unknown_language_means_that_of_the_system(qapp: QApplication, settings: QSettings) -> None:
    """The settings may come from another version."""
    settings.setValue("language", "tlh")
    assert LanguageSetting(qapp, settings).choice == "system"
