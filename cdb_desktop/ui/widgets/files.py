"""Folders of file dialogs and the system's file manager."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices


def documents_folder() -> str:
    """The user's folder for documents, else the home: not everybody has one."""
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if found and Path(found).is_dir() else str(Path.home())


class LastFolder:
    """The folder in which files of a kind were put the last time, from one start to the next."""

    def __init__(self, settings: QSettings, key: str) -> None:
        self._settings = settings
        self._key = key

    @property
    def path(self) -> str:
        """It, or the user's documents where it is gone or there was none."""
        kept = str(self._settings.value(self._key, ""))
        return kept if kept and Path(kept).is_dir() else documents_folder()

    def keep(self, target: Path) -> None:
        """Dialogs begin where ``target`` lies from now on."""
        self._settings.setValue(self._key, str(target.parent))


def show_folder_of(file: Path) -> bool:
    """Opens the folder in which ``file`` lies; whether anything on this desktop does that."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
