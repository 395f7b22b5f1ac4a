"""Says in the user's language why a file was not opened as a view."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.view_files import VERSION, NotJsonError, OtherVersionError, PartError, ViewFileError
from cdb_desktop.foundation.i18n import number_text

translate = QCoreApplication.translate


def reason_words(error: OSError | ViewFileError) -> str:
    """One sentence."""
    if isinstance(error, OSError):
        return f"{error.strerror or error}."
    if isinstance(error, NotJsonError):
        told = translate("ViewFile", "It is not valid JSON: error in line %1.")
        return told.replace("%1", number_text(error.line))
    if isinstance(error, OtherVersionError):
        told = translate(
            "ViewFile", "It was written by another version of the program (format %1, expected %2)."
        )
        return told.replace("%1", str(error.version)).replace("%2", str(VERSION))
    if isinstance(error, PartError):
        return _part_words(error)
    return translate("ViewFile", "It is not a saved view of events.")


def _part_words(error: PartError) -> str:
    if error.is_missing:
        told = translate("ViewFile", "It lacks “%1”.")
    elif error.is_unknown:
        told = translate("ViewFile", "It has an unknown field “%1”.")
    elif error.value:
        told = translate("ViewFile", "“%2” is not a known value of “%1”.")
    else:
        told = translate("ViewFile", "The field “%1” has the wrong type.")
    return told.replace("%1", error.path).replace("%2", error.value)
