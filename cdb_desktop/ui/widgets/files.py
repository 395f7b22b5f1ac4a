"""Folders of file dialogs and the system's file manager."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QSettings, QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices


def documents_folder() -> str:
    """The user's folder for documents, or the home folder if it does not exist."""
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if found and Path(found).is_dir() else str(Path.home())


class LastFolder:
    """The last folder that files of a kind were saved to, stored in the settings."""

    def __init__(self, settings: QSettings, key: str) -> None:
        self._settings = settings
        self._key = key

    @property
    def path(self) -> str:
        """The folder, or that for documents if it does not exist any more."""
        stored = str(self._settings.value(self._key, ""))
        return stored if stored and Path(stored).is_dir() else documents_folder()

    def keep(self, target: Path) -> None:
        """Stores the folder of ``target``."""
        self._settings.setValue(self._key, str(target.parent))


def short_path(path: Path) -> str:
    """A path to be read, which begins with ``~`` in the user's home."""
    with suppress(ValueError, RuntimeError):
        return str(Path("~") / path.relative_to(Path.home()))
    return str(path)


def show_folder_of(file: Path) -> bool:
    """Opens the folder of ``file`` in the file manager; returns False if the system cannot."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
