"""Why a file could not be read or written, as title, sentence and what to do; knows no widget."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.vocabulary.error_messages import ErrorMessage


def unread(path: Path, error: Exception) -> ErrorMessage:
    """Why a model file could not be opened; names the place in it where something else was expected."""
    translate = QCoreApplication.translate
    if isinstance(error, DocumentError):
        title = translate("Files", "%1 is no data model")
        text = f"{error.path}: {error.message}" if error.path else str(error.message)
        remedy = translate("Files", "Nothing was opened. Choose a model that was exported as JSON or XML.")
    else:
        title = translate("Files", "%1 cannot be read")
        text = _reason(error)
        remedy = translate("Files", "See whether the file is there and may be read, and open it again.")
    return _sentence(title, path, text, remedy)


def unwritten(path: Path, error: Exception) -> ErrorMessage:
    """Why a file could not be written."""
    translate = QCoreApplication.translate
    title = translate("Files", "%1 cannot be written")
    remedy = translate("Files", "Choose another folder, or make room. What you see here is kept.")
    return _sentence(title, path, _reason(error), remedy)


def _reason(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or f"{type(error).__name__}: {error}"
    return f"{text}."


def _sentence(title: str, path: Path, text: str, remedy: str) -> ErrorMessage:
    named = title.replace("%1", path.name)
    return ErrorMessage(named, text, remedy, details="\n".join((named, str(path), text)))
