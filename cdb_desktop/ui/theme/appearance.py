"""Colours, density and motion as chosen: keeps the choices, paints the application and tells its measures."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication, QStyle

from cdb_desktop.ui.theme.measures import ROWS, Density
from cdb_desktop.ui.theme.palette import palette
from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens

Choice = Literal["system", "light", "dark"]
Motion = Literal["system", "none"]

_COLOURS, _DENSITY, _MOTION = "appearance", "density", "motion"
_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


class Appearance(QObject):
    """The look of the moment.

    Signals: ``changed`` after light became dark or the other way round, or any other choice was made.
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
        """The colours that the user has chosen, ``system`` if none."""
        kept = str(self._settings.value(_COLOURS, "system"))
        return next((known for known in get_args(Choice) if known == kept), "system")

    @property
    def density(self) -> Density:
        """How close the rows of tables stand, as the user has chosen."""
        kept = str(self._settings.value(_DENSITY, "normal"))
        return next((known for known in get_args(Density) if known == kept), "normal")

    @property
    def motion(self) -> Motion:
        """Whether things may move, as the user has chosen."""
        kept = str(self._settings.value(_MOTION, "system"))
        return next((known for known in get_args(Motion) if known == kept), "system")

    @property
    def tokens(self) -> Tokens:
        """The colour table in force."""
        # Some platforms cannot be asked for a scheme, so the choice counts before what they tell.
        asked = _SCHEMES[self.choice]
        scheme = self._hints.colorScheme() if asked == Qt.ColorScheme.Unknown else asked
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT

    @property
    def row(self) -> int:
        """The height of a table's row in pixels."""
        return ROWS[self.density]

    def duration(self, milliseconds: int) -> int:
        """How long a movement takes that should take ``milliseconds``: 0 where nothing is to move."""
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        moves = self.motion == "system" and self._app.style().styleHint(hint) > 0
        return milliseconds if moves else 0

    def choose(self, choice: Choice) -> None:
        """Takes these colours from now on and after the next start."""
        self._settings.setValue(_COLOURS, choice)
        self._hints.setColorScheme(_SCHEMES[choice])
        self._apply()

    def choose_density(self, density: Density) -> None:
        """Sets the rows of tables this close from now on and after the next start."""
        self._settings.setValue(_DENSITY, density)
        self.changed.emit()

    def choose_motion(self, motion: Motion) -> None:
        """Lets things move as the system has it, or not at all."""
        self._settings.setValue(_MOTION, motion)
        self.changed.emit()

    def _apply(self) -> None:
        # Below a style sheet Qt lets no change of the palette through, so they are lifted meanwhile.
        sheets = [(widget, widget.styleSheet()) for widget in self._app.allWidgets() if widget.styleSheet()]
        for widget, _sheet in sheets:
            widget.setStyleSheet("")
        self._app.setPalette(palette(self.tokens))
        for widget, sheet in sheets:
            widget.setStyleSheet(sheet)
        self.changed.emit()
