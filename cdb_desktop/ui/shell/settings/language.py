"""The choice of the language: kept, applied without a restart, and told to whoever puts things into words."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QObject, QSettings

from cdb_desktop.foundation.i18n import Language, use_language
from cdb_desktop.ui.language.texts import german_texts
from cdb_desktop.ui.language.translator import Translator
from cdb_desktop.vocabulary.times import Zone, choose_zone

LanguageChoice = Literal["system", "en", "de"]

_KEY = "language"
_ZONE_KEY = "zone"
_SPOKEN = {"en": QLocale.Language.English, "de": QLocale.Language.German}


class LanguageSetting(QObject):
    """The language in force; every change reaches the windows as Qt's LanguageChange event."""

    def __init__(self, app: QCoreApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._german: Translator | None = None
        self._apply()

    @property
    def choice(self) -> LanguageChoice:
        """What the user has chosen, ``system`` if nothing."""
        kept = str(self._settings.value(_KEY, "system"))
        return next((known for known in get_args(LanguageChoice) if known == kept), "system")

    @property
    def language(self) -> Language:
        """The language that is spoken."""
        choice = self.choice
        if choice != "system":
            return choice
        return "de" if QLocale.system().language() == QLocale.Language.German else "en"

    def choose(self, choice: LanguageChoice) -> None:
        """Speaks ``choice`` from now on and after the next start."""
        self._settings.setValue(_KEY, choice)
        self._apply()

    def _apply(self) -> None:
        # First the numbers, then the words: who hears of the change writes both anew.
        use_locale(self.language, _locale(self.language))
        if self.language == "de" and self._german is None:
            self._german = Translator(german_texts(), self)
            self._app.installTranslator(self._german)
        elif self.language == "en" and self._german is not None:
            self._app.removeTranslator(self._german)
            self._german = None


def use_locale(language: Language, locale: QLocale) -> None:
    """Translates into ``language`` and formats numbers and dates as ``locale`` does."""
    QLocale.setDefault(locale)
    use_language(language, lambda value, decimals: _number(locale, value, decimals))


def _number(locale: QLocale, value: float, decimals: int) -> str:
    return locale.toString(float(value), "f", decimals) if decimals else locale.toString(round(value))


def _locale(language: Language) -> QLocale:
    """The system's own locale where it speaks ``language``, so that dates stay as the country has them."""
    system = QLocale.system()
    return system if system.language() == _SPOKEN[language] else QLocale(_SPOKEN[language])


class ZoneSetting(QObject):
    """The zone in force; times are texts, so every change reaches the windows as Qt's LanguageChange."""

    def __init__(self, app: QCoreApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        choose_zone(self.choice)

    @property
    def choice(self) -> Zone:
        """What the user has chosen, ``local`` if nothing."""
        kept = str(self._settings.value(_ZONE_KEY, "local"))
        return next((known for known in get_args(Zone) if known == kept), "local")

    def choose(self, choice: Zone) -> None:
        """Tells times in this zone from now on and after the next start."""
        self._settings.setValue(_ZONE_KEY, choice)
        choose_zone(choice)
        QCoreApplication.sendEvent(self._app, QEvent(QEvent.Type.LanguageChange))
