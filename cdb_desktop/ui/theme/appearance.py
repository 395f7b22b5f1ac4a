"""Colours, density and motion as chosen: keeps the choices, paints the application and tells its measures."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from cdb_desktop.ui.theme.measures import ROWS, Density
from cdb_desktop.ui.theme.palette import CONTROLS, LISTS, focused, listed, palette
from cdb_desktop.ui.theme.style import FocusRing, RowHighStyle
from cdb_desktop.ui.theme.tokens import DARK, HIGH_CONTRAST, LIGHT, Tokens

Choice = Literal["system", "light", "dark", "contrast"]
Motion = Literal["system", "none"]

_COLOURS, _DENSITY, _MOTION = "appearance", "density", "motion"
_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
    "contrast": Qt.ColorScheme.Dark,
}
_TABLES = {"light": LIGHT, "dark": DARK, "contrast": HIGH_CONTRAST}


def table_of_system(scheme: Qt.ColorScheme, contrast: Qt.ContrastPreference) -> Tokens:
    """The colour table for what the platform tells about itself."""
    if contrast == Qt.ContrastPreference.HighContrast:
        return HIGH_CONTRAST
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


class Appearance(QObject):
    """The look of the moment.

    Signals: ``changed`` after other colours are in force, or any other choice was made.
    """

    changed = Signal()

    def __init__(self, app: QApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._hints = app.styleHints()
        self._access = self._hints.accessibility()
        app.setStyle(RowHighStyle())
        self._focus_ring = FocusRing(app)
        self._hints.setColorScheme(_SCHEMES[self.choice])
        self._apply()
        self._hints.colorSchemeChanged.connect(self._apply)
        self._access.contrastPreferenceChanged.connect(self._apply)

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
        """The colour table in force; asked for with every cell that is painted, so it is kept."""
        return self._tokens

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
        sheets = self._lifted_sheets()
        self._tokens = tokens = self._table()
        self._app.setPalette(palette(tokens))
        for kinds, made in ((LISTS, listed(tokens)), (CONTROLS, focused(tokens))):
            for kind in kinds:
                # The stubs want bytes, which the call itself refuses.
                self._app.setPalette(made, kind)  # type: ignore[arg-type]
        for widget, sheet in sheets:
            widget.setStyleSheet(sheet)
        self.changed.emit()

    def _lifted_sheets(self) -> list[tuple[QWidget, str]]:
        """Takes all style sheets off: below one, Qt lets no change of the palette through."""
        widgets = self._app.allWidgets()
        sheets = [(widget, widget.styleSheet()) for widget in widgets if widget.styleSheet()]
        for widget, _sheet in sheets:
            widget.setStyleSheet("")
        # A tab widget stays marked when the sheet of its tab bar has gone.
        for widget in widgets:
            widget.setAttribute(Qt.WidgetAttribute.WA_StyleSheet, False)
        return sheets

    def _table(self) -> Tokens:
        # Some platforms cannot be asked for a scheme, so the choice counts before what they tell.
        choice = self.choice
        if choice != "system":
            return _TABLES[choice]
        return table_of_system(self._hints.colorScheme(), self._access.contrastPreference())
