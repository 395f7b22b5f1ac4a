"""Says in the user's language why a file was not opened as a view."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.view_files import VERSION, NotJsonError, OtherVersionError, PartError, ViewFileError
from cdb_desktop.ui.language.numbers import number_text

translate = QCoreApplication.translate


def reason_words(error: OSError | ViewFileError) -> str:
    """One sentence."""
    if isinstance(error, OSError):
        return f"{error.strerror or error}."
    if isinstance(error, NotJsonError):
        told = translate("ViewFile", "It is no JSON: line %1 cannot be read.")
        return told.replace("%1", number_text(error.line))
    if isinstance(error, OtherVersionError):
        told = translate("ViewFile", "It was written by another version of the program (format %1, here %2).")
        return told.replace("%1", str(error.version)).replace("%2", str(VERSION))
    if isinstance(error, PartError):
        return _part_words(error)
    return translate("ViewFile", "It is the file of something else, not a view of events.")


def _part_words(error: PartError) -> str:
    if error.is_missing:
        told = translate("ViewFile", "“%1” is missing in it.")
    elif error.is_unknown:
        told = translate("ViewFile", "This program does not know its “%1”.")
    elif error.value:
        told = translate("ViewFile", "This program does not know “%2” as its “%1”.")
    else:
        told = translate("ViewFile", "Its “%1” is not of the kind that it should be.")
    return told.replace("%1", error.path).replace("%2", error.value)
