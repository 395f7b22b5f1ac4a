"""The settings page: choices, live feeds, sign-ins at proxies, folders, and versions and licenses."""

import platform
import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSysInfo, Qt, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices, QFont, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.bundle import installed_version
from cdb_desktop.foundation.i18n import number_text, tr, visible
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, HEAD, MARGIN, scaled
from cdb_desktop.ui.theme.style import RINGED
from cdb_desktop.ui.widgets.form import Choice, Field, Form, tool_button
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.settings import FEED_CAPACITIES, FEED_INTERVALS

_PAGE_WIDTH, _NAME_WIDTH, _CHOICE_WIDTH = 720, 200, 240
_MEGABYTES = 150  # of memory per million events at most, as measured
_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
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


class SettingsSection(QWidget):
    """A title and a form.

    Signals: ``chosen`` with the name of a setting and the value that the user has chosen.
    """

    chosen = Signal(str, object)

    def __init__(self, appearance: Appearance, title: str, *fields: Field, name: str = "settings") -> None:
        """``name`` is the prefix of the object names."""
        super().__init__()
        head = Label(title, self)
        head.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self.form = Form(appearance, name, *fields, parent=self)
        self.form.set_label_width(_NAME_WIDTH)
        for field in fields:
            widget = field.widget
            decided = widget.decided if isinstance(widget, Choice) else None
            if isinstance(widget, QCheckBox):
                decided = widget.clicked
            if decided is not None:
                decided.connect(lambda value, name=field.name: self.chosen.emit(name, value))
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(GAP)
        self.column.addWidget(head)
        self.column.addWidget(self.form)

    def choose(self, name: str, value: object) -> None:
        """Chooses as the user does, for example ``dark`` for ``colours``."""
        choice = self.findChild(Choice, f"settings.{name}")
        if isinstance(choice, Choice):
            choice.choose(value)


def _choice(choices: Mapping[Any, str]) -> Choice:
    choice = Choice(choices)
    choice.setFixedWidth(_CHOICE_WIDTH)
    return choice


def general_titles() -> dict[str, tuple[str, str]]:
    """The titles and hints of the settings by their names."""
    return {
        "language": (tr("Language"), tr("Used from the next start, also for numbers and dates.")),
        "zone": (tr("Time zone"), tr("For the times of events and for days in filters.")),
        "colours": (tr("Colors"), tr("Light, dark, high contrast, or as in the system.")),
        "density": (tr("Rows of tables"), tr("The height of rows in tables.")),
        "motion": (tr("Motion"), tr("Whether diagrams animate to a new arrangement.")),
        "pages": (tr("Pages"), tr("The buttons on the left side of the window.")),
    }


def live_titles() -> dict[str, str]:
    """The titles of the settings of live feeds by their names."""
    return {
        "interval": tr("Poll interval"),
        "adaptive": tr("More often while there is much activity"),
        "capacity": tr("Each feed keeps"),
    }


def general_choices() -> dict[str, dict[str, str]]:
    """The choices of each setting with their texts."""
    return {
        # Each language is named in itself, so that everybody finds the way back.
        "language": {"system": tr("As the system"), "en": "English", "de": "Deutsch"},
        "zone": {"local": tr("Local time"), "utc": "UTC"},
        "colours": {
            "system": tr("As the system"),
            "light": tr("Light"),
            "dark": tr("Dark"),
            "contrast": tr("High contrast"),
        },
        "density": {
            "compact": tr("Compact"),
            "normal": tr("Normal"),
            "roomy": tr("Roomy"),
        },
        "motion": {
            "system": tr("As the system"),
            "none": tr("None"),
        },
        "pages": {
            "names": tr("Icons with names"),
            "icons": tr("Icons only"),
        },
    }


class LiveSection(SettingsSection):
    """How often the live feeds poll, and how many events they keep."""

    def __init__(self, appearance: Appearance) -> None:
        titles = live_titles()
        intervals = {
            seconds: tr("Every {seconds:second|{seconds} s}", seconds=seconds) for seconds in FEED_INTERVALS
        }
        capacities = {events: tr("The newest {events} events", events=events) for events in FEED_CAPACITIES}
        super().__init__(
            appearance,
            tr("Live feeds"),
            Field(
                "interval",
                _choice(intervals),
                titles["interval"],
                tr("Takes effect immediately in all feeds."),
            ),
            Field(
                "adaptive",
                QCheckBox(titles["adaptive"]),
                hint=tr("Halves the interval with each full answer, down to 0.5 s."),
            ),
            Field("capacity", _choice(capacities), titles["capacity"]),
            name="settings.live",
        )

    def show_choices(self, interval: float, capacity: int, *, is_adaptive: bool) -> None:
        """Shows the current choices, and the memory that they take."""
        self.form.show_values({"interval": interval, "capacity": capacity, "adaptive": is_adaptive})
        taken = number_text(max(1, round(capacity * _MEGABYTES / 1_000_000)))
        text = tr(
            "Takes up to {taken} MB of memory. When a feed is full, its oldest events are "
            "removed with a notice; “Archive dropped events” in the menu Live writes them to a "
            "file.",
            taken=taken,
        )
        self.form.show_hint("capacity", text)


class ProxySection(SettingsSection):
    """The remembered sign-ins at proxies, each with a button that forgets it.

    Signals: ``forget_requested`` with the address of a proxy.
    """

    forget_requested = Signal(str)

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance, tr("Sign-ins at proxies"))
        self._appearance = appearance
        self._users: Mapping[str, str] = {}
        self._none = Label(tr("No sign-ins are saved."), self)
        self._none.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.column.addWidget(self._none)

    def show_logins(self, users: Mapping[str, str]) -> None:
        """Shows the user of each proxy by its address."""
        if users == self._users:
            return
        self._users = users
        self.form.hide()
        self.form.deleteLater()
        self.form = Form(self._appearance, "settings.proxy", *map(self._field, users), parent=self)
        self.form.set_label_width(_NAME_WIDTH)
        self.column.addWidget(self.form)
        self._none.setHidden(bool(users))

    def _field(self, proxy: str) -> Field:
        button = QPushButton(tr("Forget"))
        button.setAccessibleName(tr("Forget the sign-in at {proxy}", proxy=proxy))
        button.clicked.connect(partial(self.forget_requested.emit, proxy))
        title = visible(proxy).replace("&", "&&")
        return Field(f"{proxy}.user", Label(self._users[proxy]), title, beside=[Field(proxy, button)])


class FoldersSection(SettingsSection):
    """The folders of the program, each with a button that opens it."""

    def __init__(self, appearance: Appearance) -> None:
        self._folders: dict[str, Path] = {}
        titles = {"settings": tr("Settings"), "logs": tr("Logs"), "data": tr("Demo data")}
        self._paths = {name: Label() for name in titles}
        fields = []
        for name, title in titles.items():
            path = self._paths[name]
            path.setTextInteractionFlags(_SELECTABLE)
            path.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            button = _icon_button(appearance, "folder", tr("Open folder"), partial(self._open, name))
            button.setAccessibleName(tr("Open folder: {title}", title=title))
            fields.append(Field(f"path.{name}", path, title, beside=[Field(f"open.{name}", button)]))
        super().__init__(appearance, tr("Folders"), *fields)

    def show_folders(self, settings: Path, logs: Path, data: Path) -> None:
        """Shows the folders."""
        self._folders = {"settings": settings, "logs": logs, "data": data}
        for name, folder in self._folders.items():
            self._paths[name].setText(str(folder))
            self._paths[name].setToolTip(str(folder))

    def _open(self, name: str) -> None:
        folder = self._folders[name]
        # A folder that does not exist yet will be in the first parent that does.
        there = next(each for each in (folder, *folder.parents) if each.exists())
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(there)))


class AboutSection(SettingsSection):
    """Versions of the program and of what it runs on, license and libraries; a button copies the versions."""

    def __init__(self, appearance: Appearance) -> None:
        self._graphviz = ""
        self._libraries: tuple[Library, ...] = ()
        rows = {
            "version": (
                tr("Content Database Desktop"),
                installed_version() or tr("not installed, runs from its sources"),
            ),
            "license": (tr("License"), "MIT"),
            "python": ("Python", platform.python_version()),
            "qt": ("Qt", qVersion()),
            "sqlite": ("SQLite", sqlite3.sqlite_version),
            "graphviz": ("Graphviz", tr("looking for it…")),
            "system": (tr("System"), _system()),
            "libraries": (tr("Libraries"), ""),
        }
        self._values = {
            name: Label(text, wordWrap=name == "libraries") for name, (_title, text) in rows.items()
        }
        for value in self._values.values():
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        copy = _icon_button(appearance, "copy", tr("Copy versions"), self._copy_versions)
        tip = tr("Copy all versions, in English, as for a report")
        beside = {"version": [Field("copy_versions", copy, tip=tip)]}
        fields = (
            Field(name, self._values[name], title, beside=beside.get(name, ()))
            for name, (title, _text) in rows.items()
        )
        super().__init__(appearance, tr("About"), *fields)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty(RINGED, True)
        self.setAccessibleName(tr("About"))

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
            f"Content Database Desktop {installed_version() or '(not installed, runs from its sources)'}",
            f"Python {platform.python_version()}",
            f"Qt {qVersion()}",
            f"SQLite {sqlite3.sqlite_version}",
            f"Graphviz {self._graphviz or '(not found)'}",
            _system(),
            *(f"{library.name} {library.version}" for library in self._libraries),
        )
        QApplication.clipboard().setText("\n".join(lines))


def _icon_button(appearance: Appearance, sign: str, text: str, does: Callable[[], object]) -> QToolButton:
    button = tool_button(text, does)
    button.setAutoRaise(True)
    button.setIcon(icon(sign, appearance))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button


def _system() -> str:
    return f"{QSysInfo.prettyProductName()}, {QSysInfo.currentCpuArchitecture()}"


def _line(library: Library) -> str:
    return " · ".join(filter(None, (f"{library.name} {library.version}", library.license)))


class SettingsView(QWidget):
    """The page of settings.

    Signals: ``shown`` whenever the page is shown · ``leave_requested`` on Escape.
    """

    shown = Signal()
    leave_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        choices = general_choices()
        general = (
            Field(name, _choice(choices[name]), title, hint)
            for name, (title, hint) in general_titles().items()
        )
        self.choices = SettingsSection(appearance, tr("Settings"), *general)
        self.feeds = LiveSection(appearance)
        self.proxies = ProxySection(appearance)
        self.folders = FoldersSection(appearance)
        self.about = AboutSection(appearance)
        self._create_layout((self.choices, self.feeds, self.proxies, self.folders, self.about))
        on_key("Escape", self, self.leave_requested.emit, inside=True)

    def show_folders(self, settings: Path, logs: Path, data: Path) -> None:
        """Shows the folders of the program."""
        self.folders.show_folders(settings, logs, data)

    def show_setting(self, name: str) -> None:
        """Scrolls to a setting, such as ``zone``, and gives it the focus."""
        for prefix in ("settings", "settings.live"):
            widget = self.findChild(QWidget, f"{prefix}.{name}")
            if isinstance(widget, QWidget):
                self._scroll.ensureWidgetVisible(widget)
                widget.setFocus()

    def show_about(self) -> None:
        """Scrolls to the section About."""
        self._scroll.ensureWidgetVisible(self.about, 0, 0)
        self.about.setFocus()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Looks up the libraries, which would delay the creation of the page."""
        super().showEvent(event)
        self.about.show_libraries()
        self.shown.emit()

    def _create_layout(self, sections: tuple[SettingsSection, ...]) -> None:
        content, column = QWidget(), QWidget()
        content.setAutoFillBackground(True)
        content.setBackgroundRole(self.backgroundRole().Base)
        column.setMaximumWidth(_PAGE_WIDTH)
        lines = lay_out(QVBoxLayout(column), *sections, spacing=MARGIN)
        lines.addStretch(1)
        # In a horizontal layout, so that the height is computed for the actual width.
        row = QHBoxLayout(content)
        row.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        row.addWidget(column, stretch=1)
        row.addStretch()
        self._scroll = QScrollArea(self, widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setAccessibleName(tr("Settings"))
        self._scroll.setWidget(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._scroll)
