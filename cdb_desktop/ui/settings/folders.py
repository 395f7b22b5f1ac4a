"""Where the program keeps what is its own, with a way into each folder."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QWidget

from cdb_desktop.ui.settings.section import Section
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.widgets.labels import Label


class FoldersSection(Section):
    """One row for each folder."""

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
        self.retranslate()

    def show_folders(self, settings: Path, logs: Path, data: Path) -> None:
        """Shows the folders."""
        self._folders = {"settings": settings, "logs": logs, "data": data}
        for name, folder in self._folders.items():
            self._paths[name].setText(str(folder))
            self._paths[name].setToolTip(str(folder))

    def retranslate(self) -> None:
        """Fetches the texts in the language of now."""
        self.head.setText(self.tr("Folders"))
        titles = {"settings": self.tr("Settings"), "logs": self.tr("Logs"), "data": self.tr("Demo data")}
        for name, title in titles.items():
            self._names[name].setText(title)
            self._buttons[name].setText(self.tr("Open folder"))
            self._buttons[name].setAccessibleName(self.tr("Open folder: %1").replace("%1", title))

    def _open(self, name: str) -> None:
        folder = self._folders[name]
        # What has not been made yet lies in the first folder above that has.
        there = next(each for each in (folder, *folder.parents) if each.exists())
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(there)))
