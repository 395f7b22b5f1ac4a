"""The settings of language and time zone, which take effect without a restart."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QObject, QSettings, QTranslator

from cdb_desktop.foundation.i18n import Language, language, use_language
from cdb_desktop.vocabulary.times import Zone, choose_zone

LanguageChoice = Literal["system", "en", "de"]

_KEY = "language"
_QT_TEXTS = "qtbase_de"  # Qt's own texts, such as in the context menu of a text field
_ZONE_KEY = "zone"
_QT_LANGUAGES = {"en": QLocale.Language.English, "de": QLocale.Language.German}


class LanguageSetting(QObject):
    """The language in use. Widgets get a change as Qt's event LanguageChange."""

    def __init__(self, app: QCoreApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._translator = QTranslator(self)
        self._apply()

    @property
    def choice(self) -> LanguageChoice:
        """The user's choice, ``system`` by default."""
        kept = str(self._settings.value(_KEY, "system"))
        return next((known for known in get_args(LanguageChoice) if known == kept), "system")

    @property
    def language(self) -> Language:
        """The language in use."""
        choice = self.choice
        if choice != "system":
            return choice
        return "de" if QLocale.system().language() == QLocale.Language.German else "en"

    def store(self, choice: LanguageChoice) -> bool:
        """Stores ``choice`` for the next start. Returns whether that brings another language."""
        self._settings.setValue(_KEY, choice)
        return self.language != language()

    def choose(self, choice: LanguageChoice) -> None:
        """Applies and stores ``choice``."""
        self._settings.setValue(_KEY, choice)
        self._apply()

    def _apply(self) -> None:
        has_changed = self.language != language()
        # Before the event, on which widgets translate texts and format numbers.
        use_locale(self.language, _locale(self.language))
        if has_changed and not self._switch_translator():
            _send_language_change(self._app)

    def _switch_translator(self) -> bool:
        """Installs or removes Qt's own German texts. Returns whether that has sent LanguageChange."""
        if self.language == "en":
            return self._app.removeTranslator(self._translator)
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        return self._translator.load(_QT_TEXTS, folder) and self._app.installTranslator(self._translator)


def use_locale(language: Language, locale: QLocale) -> None:
    """Translates into ``language`` and formats numbers and dates as ``locale`` does."""
    QLocale.setDefault(locale)
    use_language(language, lambda value, decimals: _number(locale, value, decimals))


def _number(locale: QLocale, value: float, decimals: int) -> str:
    return locale.toString(float(value), "f", decimals) if decimals else locale.toString(round(value))


def _locale(language: Language) -> QLocale:
    """The system's locale if its language is ``language``, so that dates have the form of the country."""
    system = QLocale.system()
    return system if system.language() == _QT_LANGUAGES[language] else QLocale(_QT_LANGUAGES[language])


class ZoneSetting(QObject):
    """The time zone in use. Widgets get a change as Qt's event LanguageChange, as times are texts."""

    def __init__(self, app: QCoreApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        choose_zone(self.choice)

    @property
    def choice(self) -> Zone:
        """The user's choice, ``local`` by default."""
        kept = str(self._settings.value(_ZONE_KEY, "local"))
        return next((known for known in get_args(Zone) if known == kept), "local")

    def choose(self, choice: Zone) -> None:
        """Applies and stores ``choice``."""
        self._settings.setValue(_ZONE_KEY, choice)
        choose_zone(choice)
        _send_language_change(self._app)


def _send_language_change(app: QCoreApplication) -> None:
    QCoreApplication.sendEvent(app, QEvent(QEvent.Type.LanguageChange))
