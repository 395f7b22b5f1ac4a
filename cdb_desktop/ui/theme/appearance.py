"""Light, dark or as the platform has it: keeps the choice, paints the application and tells the colours."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication

from cdb_desktop.ui.theme.palette import palette
from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens

Choice = Literal["system", "light", "dark"]

_KEY = "appearance"
_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


class Appearance(QObject):
    """The colours of the moment.

    Signals: ``changed`` after light became dark or the other way round.
    """

    changed = Signal()

    def __init__(self, app: QApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._hints = app.styleHints()
        app.setStyle("Fusion")
        self._hints.setColorScheme(_SCHEMES[self.choice])
        self._apply()
        self._hints.colorSchemeChanged.connect(self._apply)

    @property
    def choice(self) -> Choice:
        """What the user has chosen, ``system`` if nothing."""
        kept = str(self._settings.value(_KEY, "system"))
        return next((known for known in get_args(Choice) if known == kept), "system")

    @property
    def tokens(self) -> Tokens:
        """The colour table in force."""
        # Some platforms cannot be asked for a scheme, so the choice counts before what they tell.
        asked = _SCHEMES[self.choice]
        scheme = self._hints.colorScheme() if asked == Qt.ColorScheme.Unknown else asked
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT

    def choose(self, choice: Choice) -> None:
        """Takes ``choice`` from now on and after the next start."""
        self._settings.setValue(_KEY, choice)
        self._hints.setColorScheme(_SCHEMES[choice])
        self._apply()

    def _apply(self) -> None:
        self._app.setPalette(palette(self.tokens))
        self.changed.emit()
