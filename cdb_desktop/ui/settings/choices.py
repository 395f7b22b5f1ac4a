"""The choices of language, zone and look; tells what is chosen, applies nothing itself."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from cdb_desktop.ui.settings.section import Section
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.labels import Label

_WIDTH = 240


class ChoicesSection(Section):
    """One row for each choice.

    Signals, each with the word for what was chosen: ``language_chosen`` · ``zone_chosen`` ·
    ``colours_chosen`` · ``density_chosen`` · ``motion_chosen``.
    """

    language_chosen = Signal(str)
    zone_chosen = Signal(str)
    colours_chosen = Signal(str)
    density_chosen = Signal(str)
    motion_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes: dict[str, QComboBox] = {}
        self._names: dict[str, QLabel] = {}
        self._hints: dict[str, QLabel] = {}
        for name, chosen in (
            ("language", self.language_chosen),
            ("zone", self.zone_chosen),
            ("colours", self.colours_chosen),
            ("density", self.density_chosen),
            ("motion", self.motion_chosen),
        ):
            box = ignore_wheel(QComboBox(self))
            box.setObjectName(f"settings.{name}")
            box.setFixedWidth(_WIDTH)
            for choice in _choices()[name]:
                box.addItem("", choice)
            box.activated.connect(lambda _row, box=box, chosen=chosen: chosen.emit(box.currentData()))
            self._boxes[name] = box
            self._hints[name] = Label(self)
            self._names[name] = self.add_row(box, hint=self._hints[name])
        self.retranslate()

    def show_choices(self, **chosen: str) -> None:
        """Shows what is in force, by the names of the rows, such as ``language``."""
        for name, choice in chosen.items():
            box = self._boxes[name]
            box.setCurrentIndex(box.findData(choice))

    def retranslate(self) -> None:
        """Fetches the texts in the language of now."""
        self.head.setText(self.tr("Settings"))
        for name, texts in _choices().items():
            for choice, text in texts.items():
                box = self._boxes[name]
                box.setItemText(box.findData(choice), text)
        for name, (title, hint) in self._titles().items():
            self._names[name].setText(title)
            self._boxes[name].setAccessibleName(title)
            self._boxes[name].setAccessibleDescription(hint)
            self._hints[name].setText(hint)

    def _titles(self) -> dict[str, tuple[str, str]]:
        return {
            "language": (self.tr("Language"), self.tr("Takes effect at once, in numbers and dates too.")),
            "zone": (self.tr("Time zone"), self.tr("For the times of events and for days in filters.")),
            "colours": (
                self.tr("Colors"),
                self.tr("Light, dark, high contrast, or as in the system."),
            ),
            "density": (self.tr("Rows of tables"), self.tr("The height of rows in tables.")),
            "motion": (self.tr("Motion"), self.tr("Whether diagrams animate to a new arrangement.")),
        }


def _choices() -> dict[str, dict[str, str]]:
    translate = QCoreApplication.translate
    return {
        # The languages have their own names, so that everybody finds the way back.
        "language": {"system": translate("Settings", "As the system"), "en": "English", "de": "Deutsch"},
        "zone": {"local": translate("Settings", "Local time"), "utc": "UTC"},
        "colours": {
            "system": translate("Settings", "As the system"),
            "light": translate("Settings", "Light"),
            "dark": translate("Settings", "Dark"),
            "contrast": translate("Settings", "High contrast"),
        },
        "density": {
            "compact": translate("Settings", "Compact"),
            "normal": translate("Settings", "Normal"),
            "roomy": translate("Settings", "Roomy"),
        },
        "motion": {
            "system": translate("Settings", "As the system"),
            "none": translate("Settings", "None"),
        },
    }
