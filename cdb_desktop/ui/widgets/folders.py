"""Where dialogs for files begin."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths


def documents() -> str:
    """The user's folder for documents, else the home: not everybody has one."""
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if found and Path(found).is_dir() else str(Path.home())
