"""The settings of language and time zone."""

from typing import Literal, get_args

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QObject, QSettings, QTranslator
from PySide6.QtWidgets import QApplication

from cdb_desktop.foundation.i18n import Language, language, use_language
from cdb_desktop.vocabulary.times import Zone, choose_zone

LanguageChoice = Literal["system", "en", "de"]

_KEY = "language"
_QT_TEXTS = "qtbase_de"  # Qt's own texts, such as in the context menu of a text field
_ZONE_KEY = "zone"
_QT_LANGUAGES = {"en": QLocale.Language.English, "de": QLocale.Language.German}


class LanguageSetting(QObject):
    """The user's choice of a language, which is used from the creation of this object on."""

    def __init__(self, app: QCoreApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._settings = settings
        use_locale(self.language, _locale(self.language))
        if self.language == "de":
            translator, folder = (
                QTranslator(self),
                QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath),
            )
            if translator.load(_QT_TEXTS, folder):
                app.installTranslator(translator)

    @property
    def choice(self) -> LanguageChoice:
        """The user's choice, ``system`` by default."""
        kept = str(self._settings.value(_KEY, "system"))
        return next((known for known in get_args(LanguageChoice) if known == kept), "system")

    @property
    def language(self) -> Language:
        """The chosen language."""
        choice = self.choice
        if choice != "system":
            return choice
        return "de" if QLocale.system().language() == QLocale.Language.German else "en"

    def choose(self, choice: LanguageChoice) -> bool:
        """Stores ``choice`` for the next start. Returns whether the language in use is another one."""
        self._settings.setValue(_KEY, choice)
        return self.language != language()


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
    """The time zone in use. Widgets with texts of times get a change as Qt's event LanguageChange."""

    def __init__(self, app: QApplication, settings: QSettings) -> None:
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
        QCoreApplication.sendEvent(self._app, QEvent(QEvent.Type.LanguageChange))
        for widget in self._app.allWidgets():  # others paint times
            widget.update()
