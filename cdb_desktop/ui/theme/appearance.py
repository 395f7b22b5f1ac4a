"""Colors, density, motion and names of pages: stores the choices and applies them to the application."""

from typing import Literal, get_args

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication, QStyle, QWidget

from cdb_desktop.ui.theme.measures import ROWS, Density
from cdb_desktop.ui.theme.style import FocusRing, RowHighStyle
from cdb_desktop.ui.theme.tokens import (
    CONTROLS,
    DARK,
    HIGH_CONTRAST,
    LIGHT,
    LISTS,
    Tokens,
    focused,
    listed,
    palette,
)

Choice = Literal["system", "light", "dark", "contrast"]
Motion = Literal["system", "none"]

_COLORS, _DENSITY, _MOTION = "appearance", "density", "motion"
_PAGE_NAMES = "window/page_names"
_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
    "contrast": Qt.ColorScheme.Dark,
}
_TABLES = {"light": LIGHT, "dark": DARK, "contrast": HIGH_CONTRAST}


def table_of_system(scheme: Qt.ColorScheme, contrast: Qt.ContrastPreference) -> Tokens:
    """The colors that fit the settings of the platform."""
    if contrast == Qt.ContrastPreference.HighContrast:
        return HIGH_CONTRAST
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


class Appearance(QObject):
    """The look in use.

    Signals: ``changed`` after any choice, or after the platform has changed its colors.
    """

    changed = Signal()

    def __init__(self, app: QApplication, settings: QSettings) -> None:
        super().__init__(app)
        self._app = app
        self._settings = settings
        self._hints = app.styleHints()
        self._access = self._hints.accessibility()
        app.setStyle(RowHighStyle())
        self._focus_ring = FocusRing(app, self)
        self._hints.setColorScheme(_SCHEMES[self.choice])
        self._apply()
        self._hints.colorSchemeChanged.connect(self._apply)
        self._access.contrastPreferenceChanged.connect(self._apply)

    @property
    def choice(self) -> Choice:
        """The chosen colors, ``system`` by default."""
        stored = str(self._settings.value(_COLORS, "system"))
        return next((known for known in get_args(Choice) if known == stored), "system")

    @property
    def density(self) -> Density:
        """The chosen height of table rows."""
        stored = str(self._settings.value(_DENSITY, "normal"))
        return next((known for known in get_args(Density) if known == stored), "normal")

    @property
    def motion(self) -> Motion:
        """The choice whether there are animations."""
        stored = str(self._settings.value(_MOTION, "system"))
        return next((known for known in get_args(Motion) if known == stored), "system")

    @property
    def has_page_names(self) -> bool:
        """Whether the navigation rail shows the names of the pages, which it does by default."""
        return self._settings.value(_PAGE_NAMES, True, type=bool) is True

    @property
    def tokens(self) -> Tokens:
        """The colors in use; an attribute, since every painted cell reads it."""
        return self._tokens

    @property
    def row(self) -> int:
        """The height of a table row in pixels."""
        return ROWS[self.density]

    def duration(self, milliseconds: int) -> int:
        """``milliseconds`` for an animation, 0 if there are to be none."""
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        moves = self.motion == "system" and self._app.style().styleHint(hint) > 0
        return milliseconds if moves else 0

    def choose(self, choice: Choice) -> None:
        """Sets and stores the colors."""
        self._settings.setValue(_COLORS, choice)
        self._hints.setColorScheme(_SCHEMES[choice])
        self._apply()

    def choose_density(self, density: Density) -> None:
        """Sets and stores the height of table rows."""
        self._settings.setValue(_DENSITY, density)
        self.changed.emit()

    def choose_motion(self, motion: Motion) -> None:
        """Sets and stores whether there are animations."""
        self._settings.setValue(_MOTION, motion)
        self.changed.emit()

    def choose_page_names(self, shown: bool) -> None:
        """Sets and stores whether the navigation rail shows the names of the pages."""
        self._settings.setValue(_PAGE_NAMES, shown)
        self.changed.emit()

    def _apply(self) -> None:
        sheets = self._lifted_sheets()
        self._tokens = tokens = self._table()
        self._app.setPalette(palette(tokens))
        for kinds, made in ((LISTS, listed(tokens)), (CONTROLS, focused(tokens))):
            for kind in kinds:
                # The stubs expect bytes, which the call refuses.
                self._app.setPalette(made, kind)  # type: ignore[arg-type]
        for widget, sheet in sheets:
            widget.setStyleSheet(sheet)
        self.changed.emit()

    def _lifted_sheets(self) -> list[tuple[QWidget, str]]:
        """Removes and returns all style sheets, below which a new palette would have no effect."""
        widgets = self._app.allWidgets()
        sheets = [(widget, widget.styleSheet()) for widget in widgets if widget.styleSheet()]
        for widget, _sheet in sheets:
            widget.setStyleSheet("")
        # A tab widget keeps the attribute after the sheet of its tab bar was removed.
        for widget in widgets:
            widget.setAttribute(Qt.WidgetAttribute.WA_StyleSheet, False)
        return sheets

    def _table(self) -> Tokens:
        # Some platforms report no scheme.
        choice = self.choice
        if choice != "system":
            return _TABLES[choice]
        return table_of_system(self._hints.colorScheme(), self._access.contrastPreference())
