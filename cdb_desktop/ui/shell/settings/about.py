"""The section About: versions and licenses of the program and its libraries."""

from __future__ import annotations

import platform
import re
import sqlite3
from dataclasses import dataclass
from importlib import metadata

from PySide6.QtCore import QSysInfo, Qt, qVersion
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.shell.settings.sections import SettingsSection
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
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
    """Versions of the program and of what it runs on, license and libraries; a button copies the versions."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._graphviz = ""
        self._libraries: tuple[Library, ...] = ()
        self._copy = QToolButton(self, autoRaise=True)
        self._copy.setObjectName("settings.copy_versions")
        self._copy.setIcon(icon("copy", appearance))
        self._copy.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._copy.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._copy.clicked.connect(self._copy_versions)
        names = ("version", "license", "python", "qt", "sqlite", "graphviz", "system", "libraries")
        self._values = {name: self._value(name) for name in names}
        self._names = {
            name: self.add_row(value, *((self._copy,) if name == "version" else ()))
            for name, value in self._values.items()
        }
        self.rows.setAlignment(self._names["libraries"], Qt.AlignmentFlag.AlignTop)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty(RINGED, True)
        self.head.setText(tr("About"))
        self.setAccessibleName(tr("About"))
        self._copy.setText(tr("Copy versions"))
        self._copy.setToolTip(tr("Copy all versions, in English, as for a report"))
        self._names["version"].setText(tr("Content Database Desktop"))
        self._names["license"].setText(tr("License"))
        self._names["python"].setText("Python")
        self._names["qt"].setText("Qt")
        self._names["sqlite"].setText("SQLite")
        self._names["graphviz"].setText("Graphviz")
        self._names["system"].setText(tr("System"))
        self._names["libraries"].setText(tr("Libraries"))
        self._values["version"].setText(own_version() or tr("not installed, runs from its sources"))
        self._values["license"].setText("MIT")
        self._values["python"].setText(platform.python_version())
        self._values["qt"].setText(qVersion())
        self._values["sqlite"].setText(sqlite3.sqlite_version)
        self._values["graphviz"].setText(tr("looking for it…"))
        self._values["system"].setText(_system())

    def show_libraries(self) -> None:
        """Looks up the installed libraries, which takes a moment the first time."""
        if not self._libraries:
            self._libraries = libraries()
            self._values["libraries"].setText("\n".join(map(_line, self._libraries)))

    def show_graphviz(self, version: str) -> None:
        """Shows the version of Graphviz, empty if it is not installed."""
        self._graphviz = version
        self._values["graphviz"].setText(version or tr("not found; diagrams cannot be drawn"))

    def _copy_versions(self) -> None:
        lines = (
            f"Content Database Desktop {own_version() or '(not installed, runs from its sources)'}",
            f"Python {platform.python_version()}",
            f"Qt {qVersion()}",
            f"SQLite {sqlite3.sqlite_version}",
            f"Graphviz {self._graphviz or '(not found)'}",
            _system(),
            *(f"{library.name} {library.version}" for library in self._libraries),
        )
        QApplication.clipboard().setText("\n".join(lines))

    def _value(self, name: str) -> QLabel:
        label = Label(self)
        label.setObjectName(f"settings.{name}")
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label


def _system() -> str:
    return f"{QSysInfo.prettyProductName()}, {QSysInfo.currentCpuArchitecture()}"


def _line(library: Library) -> str:
    return " · ".join(filter(None, (f"{library.name} {library.version}", library.license)))
