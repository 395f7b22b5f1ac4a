"""The sections of the settings page: language and appearance, live feeds, and folders."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFont, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.i18n import number_text, tr, visible
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.fonts import scaled
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import CAPTION, GAP, GROUP, HEAD, TIGHT
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.settings import FEED_CAPACITIES, FEED_INTERVALS

_NAME_WIDTH = 200


class SettingsSection(QWidget):
    """A title, and rows of a name and widgets."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = Label(self)
        self.head.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        self.rows = QGridLayout()
        self.rows.setHorizontalSpacing(GROUP)
        self.rows.setVerticalSpacing(GAP)
        self.rows.setColumnMinimumWidth(0, _NAME_WIDTH)
        self.rows.setColumnStretch(1, 1)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(GAP)
        self.column.addWidget(self.head)
        self.column.addLayout(self.rows)

    def add_row(self, *widgets: QWidget, hint: QLabel | None = None) -> QLabel:
        """Adds a row and returns the label of its name; ``hint`` is placed below the widgets."""
        row = self.rows.rowCount()
        name = Label(self)
        name.setBuddy(widgets[0])
        self.rows.addWidget(name, row, 0, Qt.AlignmentFlag.AlignVCenter)
        for place, widget in enumerate(widgets, start=1):
            # A widget of fixed width must not keep its column from growing.
            fixed = widget.minimumWidth() == widget.maximumWidth()
            side = Qt.AlignmentFlag.AlignLeft if fixed else Qt.AlignmentFlag(0)
            self.rows.addWidget(widget, row, place, side)
        if hint is not None:
            hint.setWordWrap(True)
            hint.setFont(scaled(self.font(), CAPTION))
            hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
            hint.setContentsMargins(0, 0, 0, TIGHT)
            self.rows.addWidget(hint, row + 1, 1)
        return name


_WIDTH = 240


class GeneralSection(SettingsSection):
    """Language, time zone, colors, row height and motion.

    Signals, each with the name of the choice, such as ``dark``: ``language_chosen`` · ``zone_chosen`` ·
    ``colours_chosen`` · ``density_chosen`` · ``motion_chosen``.
    """

    language_chosen = Signal(str)
    zone_chosen = Signal(str)
    colours_chosen = Signal(str)
    density_chosen = Signal(str)
    motion_chosen = Signal(str)
    pages_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes: dict[str, QComboBox] = {}
        for name, chosen in (
            ("language", self.language_chosen),
            ("zone", self.zone_chosen),
            ("colours", self.colours_chosen),
            ("density", self.density_chosen),
            ("motion", self.motion_chosen),
            ("pages", self.pages_chosen),
        ):
            box = ignore_wheel(QComboBox(self))
            box.setObjectName(f"settings.{name}")
            box.setFixedWidth(_WIDTH)
            for choice, text in general_choices()[name].items():
                box.addItem(text, choice)
            title, hint = general_titles()[name]
            box.setAccessibleName(title)
            box.setAccessibleDescription(hint)
            box.activated.connect(lambda _row, box=box, chosen=chosen: chosen.emit(box.currentData()))
            self._boxes[name] = box
            self.add_row(box, hint=Label(hint, self)).setText(title)
        self.head.setText(tr("Settings"))

    def show_choices(self, **chosen: str) -> None:
        """Shows the current choices by the names of their rows, such as ``language``."""
        for name, choice in chosen.items():
            box = self._boxes[name]
            box.setCurrentIndex(box.findData(choice))

    def choose(self, name: str, choice: str) -> None:
        """Chooses as the user does, for example ``dark`` for ``colours``."""
        box = self._boxes[name]
        box.setCurrentIndex(box.findData(choice))
        box.activated.emit(box.currentIndex())


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


_MEGABYTES = 150  # of memory per million events at most, as measured


class LiveSection(SettingsSection):
    """How often the live feeds poll, and how many events they keep.

    Signals: ``interval_chosen`` (seconds) · ``adaptive_chosen`` · ``capacity_chosen`` (events).
    """

    interval_chosen = Signal(float)
    adaptive_chosen = Signal(bool)
    capacity_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._interval = self._box("settings.live.interval", FEED_INTERVALS)
        self._capacity = self._box("settings.live.capacity", FEED_CAPACITIES)
        self._adaptive = QCheckBox(self)
        self._adaptive.setObjectName("settings.live.adaptive")
        self._hints = {name: Label(self) for name in ("interval", "adaptive", "capacity")}
        self._names = {
            "interval": self.add_row(self._interval, hint=self._hints["interval"]),
            "adaptive": self.add_row(self._adaptive, hint=self._hints["adaptive"]),
            "capacity": self.add_row(self._capacity, hint=self._hints["capacity"]),
        }
        self._interval.activated.connect(self._choose_interval)
        self._adaptive.clicked.connect(self.adaptive_chosen)
        self._capacity.activated.connect(self._choose_capacity)
        self.head.setText(tr("Live feeds"))
        for row, seconds in enumerate(FEED_INTERVALS):
            self._interval.setItemText(row, tr("Every {seconds:second|{seconds} s}", seconds=seconds))
        for row, events in enumerate(FEED_CAPACITIES):
            text = tr("The newest {events} events", events=events)
            self._capacity.setItemText(row, text)
        own_titles = live_titles()
        self._adaptive.setText(own_titles["adaptive"])
        titles = {
            "interval": (own_titles["interval"], tr("Takes effect immediately in all feeds.")),
            "adaptive": (
                "",
                tr("Halves the interval with each full answer, down to 0.5 s."),
            ),
            "capacity": (own_titles["capacity"], self._memory_hint()),
        }
        controls = {"interval": self._interval, "adaptive": self._adaptive, "capacity": self._capacity}
        for name, (title, hint) in titles.items():
            self._names[name].setText(title)
            self._hints[name].setText(hint)
            controls[name].setAccessibleName(title or self._adaptive.text())
            controls[name].setAccessibleDescription(hint)

    def show_choices(self, interval: float, capacity: int, *, is_adaptive: bool) -> None:
        """Shows the current choices."""
        self._interval.setCurrentIndex(self._interval.findData(interval))
        self._adaptive.setChecked(is_adaptive)
        self._capacity.setCurrentIndex(self._capacity.findData(capacity))
        self._hints["capacity"].setText(self._memory_hint())

    def _memory_hint(self) -> str:
        events = self._capacity.currentData() or FEED_CAPACITIES[0]
        taken = number_text(max(1, round(events * _MEGABYTES / 1_000_000)))
        return tr(
            "Takes up to {taken} MB of memory. When a feed is full, its oldest events are "
            "removed with a notice; “Archive dropped events” in the menu Live writes them to a "
            "file.",
            taken=taken,
        )

    def _box(self, name: str, choices: tuple[float, ...]) -> QComboBox:
        box = ignore_wheel(QComboBox(self))
        box.setObjectName(name)
        box.setFixedWidth(_WIDTH)
        for choice in choices:
            box.addItem("", choice)
        return box

    def _choose_interval(self) -> None:
        self.interval_chosen.emit(self._interval.currentData())

    def _choose_capacity(self) -> None:
        self.capacity_chosen.emit(self._capacity.currentData())


class ProxySection(SettingsSection):
    """The remembered sign-ins at proxies, each with a button that forgets it.

    Signals: ``forget_requested`` with the address of a proxy.
    """

    forget_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._users: Mapping[str, str] = {}
        self._lines: list[QWidget] = []
        self._none = Label(tr("No sign-ins are saved."), self)
        self._none.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.column.addWidget(self._none)
        self.head.setText(tr("Sign-ins at proxies"))

    def show_logins(self, users: Mapping[str, str]) -> None:
        """Shows the user of each proxy by its address."""
        if users == self._users:
            return
        self._users = users
        for widget in self._lines:
            self.rows.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._lines = []
        for proxy, user in users.items():
            name, button = Label(user, self), QPushButton(tr("Forget"), self)
            button.setObjectName(f"settings.proxy.{proxy}")
            button.setAccessibleName(tr("Forget the sign-in at {proxy}", proxy=proxy))
            button.clicked.connect(partial(self.forget_requested.emit, proxy))
            title = self.add_row(name, button)
            title.setText(visible(proxy))
            self._lines += [title, name, button]
        self._none.setHidden(bool(users))


class FoldersSection(SettingsSection):
    """The folders of the program, each with a button that opens it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folders: dict[str, Path] = {}
        self._paths: dict[str, QLabel] = {}
        self._names: dict[str, QLabel] = {}
        self._buttons: dict[str, QToolButton] = {}
        for name in ("settings", "logs", "data"):
            path, button = Label(self), QToolButton(self, autoRaise=True)
            path.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            path.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            path.setObjectName(f"settings.path.{name}")
            button.setIcon(icon("folder", appearance))
            button.setObjectName(f"settings.open.{name}")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.clicked.connect(partial(self._open, name))
            self._paths[name], self._buttons[name] = path, button
            self._names[name] = self.add_row(path, button)
        self.head.setText(tr("Folders"))
        titles = {"settings": tr("Settings"), "logs": tr("Logs"), "data": tr("Demo data")}
        for name, title in titles.items():
            self._names[name].setText(title)
            self._buttons[name].setText(tr("Open folder"))
            self._buttons[name].setAccessibleName(tr("Open folder: {title}", title=title))

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
