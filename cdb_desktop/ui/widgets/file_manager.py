"""Shows a file where it lies, in the file manager of the desktop. Knows no program of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def show_folder_of(file: Path) -> bool:
    """Opens the folder in which ``file`` lies; whether anything on this desktop does that."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(file.parent)))
