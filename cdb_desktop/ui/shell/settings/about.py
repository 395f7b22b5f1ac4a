"""The section About: versions and licenses of the program and its libraries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.sections import SettingsSection
from cdb_desktop.ui.theme.style import RINGED
from cdb_desktop.ui.widgets.labels import Label

_OWN = "cdb-desktop"
_NAME = re.compile(r"[\w.-]+")
_LICENSE = "License :: "
_LONGEST = 60  # some packages have the whole text in place of its name


@dataclass(frozen=True, slots=True)
class Library:
    """An installed library; ``license`` is empty if its metadata names none."""

    name: str
    version: str
    license: str


def own_version() -> str:
    """The version of this program, or an empty string if it is not installed."""
    try:
        return metadata.version(_OWN)
    except metadata.PackageNotFoundError:
        return ""


def libraries() -> tuple[Library, ...]:
    """The required libraries that are installed."""
    try:
        asked = metadata.requires(_OWN) or []
    except metadata.PackageNotFoundError:
        return ()
    needed = (line for line in asked if "extra ==" not in line)
    names = dict.fromkeys(found.group() for line in needed if (found := _NAME.match(line)))
    return tuple(library for name in names if (library := _library(name)))


def _library(name: str) -> Library | None:
    try:
        found = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    return Library(found["Name"], found["Version"], _license(found))


def _license(found: metadata.PackageMetadata) -> str:
    license_name = next((found[name] for name in ("License-Expression", "License") if name in found), "")
    if license_name and len(license_name) <= _LONGEST:
        return license_name
    classified = (line for line in found.get_all("Classifier") or () if line.startswith(_LICENSE))
    return next((line.rpartition(" :: ")[2] for line in classified), "")


class AboutSection(SettingsSection):
    """Version, license, Graphviz and libraries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._graphviz: str | None = None
        self._libraries: tuple[Library, ...] = ()
        self._values = {name: self._value(name) for name in ("version", "license", "graphviz", "libraries")}
        self._names = {name: self.add_row(value) for name, value in self._values.items()}
        self.rows.setAlignment(self._names["libraries"], Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty(RINGED, True)
        self.retranslate()

    def show_libraries(self) -> None:
        """Looks up the installed libraries, which takes a moment the first time."""
        if not self._libraries:
            self._libraries = libraries()
            self.retranslate()

    def show_graphviz(self, version: str) -> None:
        """Shows the version of Graphviz, empty if it is not installed."""
        self._graphviz = version
        self.retranslate()

    def retranslate(self) -> None:
        """Shows all texts in the language in use."""
        self.head.setText(tr("About"))
        self.setAccessibleName(tr("About"))
        self._names["version"].setText(tr("Content Database Desktop"))
        self._names["license"].setText(tr("License"))
        self._names["graphviz"].setText(tr("Graphviz"))
        self._names["libraries"].setText(tr("Libraries"))
        self._values["version"].setText(own_version() or tr("not installed, runs from its sources"))
        self._values["license"].setText("MIT")
        self._values["graphviz"].setText(self._graphviz_text())
        self._values["libraries"].setText("\n".join(map(_line, self._libraries)))

    def _graphviz_text(self) -> str:
        if self._graphviz is None:
            return tr("looking for it…")
        return self._graphviz or tr("not found; diagrams cannot be drawn")

    def _value(self, name: str) -> QLabel:
        label = Label(self)
        label.setObjectName(f"settings.{name}")
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label


def _line(library: Library) -> str:
    return " · ".join(filter(None, (f"{library.name} {library.version}", library.license)))
