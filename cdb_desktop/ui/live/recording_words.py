"""What is said of files that events are recorded to: how far they have come, and why they end. No widget."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication

from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.live.exclusive_file import FileInUseError
from cdb_desktop.live.recording import FileChangedError, Recording
from cdb_desktop.vocabulary.error_messages import ErrorMessage

translate = QCoreApplication.translate


def complete(recording: Recording) -> ErrorMessage:
    """It has ended because somebody wanted it."""
    title = translate("Live", "Events written: %1").replace("%1", number_text(recording.events))
    text = translate("Live", "Lines in the file: %1.").replace("%1", number_text(recording.lines))
    return ErrorMessage(title, f"{recording.path} · {text}", "")


def unwritten(path: Path, error: OSError) -> ErrorMessage:
    """A file cannot be begun."""
    if isinstance(error, FileInUseError):
        text = translate("Live", "%1 is being recorded to already, here or in another window.")
        remedy = translate("Live", "The file was not changed; choose another one.")
    else:
        text = f"%1: {_reason(error)}."
        remedy = translate("Live", "The feed continues.")
    text = text.replace("%1", str(path))
    return ErrorMessage(translate("Live", "Not recorded"), text, remedy)


def broken(recording: Recording, error: OSError) -> ErrorMessage:
    """A file cannot be written on; what is in it, and what will be missing."""
    if isinstance(error, FileChangedError):
        lines = translate("Live", "Lines written to it before: %1.")
    else:
        lines = translate("Live", "Whole lines in the file: %1.")
    cause = _cause(recording.path, error)
    parts = cause, lines.replace("%1", number_text(recording.lines)), _missing(recording)
    text = " ".join(part for part in parts if part)
    remedy = translate("Live", "The feed continues.")
    return ErrorMessage(translate("Live", "The recording has ended"), text, remedy)


def going_on(recording: Recording, *, is_leaving: bool) -> tuple[str, str]:
    """How far it is, short and whole; ``is_leaving`` where only what leaves the feed is written."""
    if is_leaving:
        short = translate("Live", "● archiving %1")
        whole = translate("Live", "Dropped events are archived in %2. Events so far: %1")
    else:
        short = translate("Live", "● recording %1")
        whole = translate(
            "Live", "All incoming events are recorded to %2, regardless of filters. Events so far: %1"
        )
    number = number_text(recording.events)
    return short.replace("%1", number), whole.replace("%1", number).replace("%2", str(recording.path))


def _cause(path: Path, error: OSError) -> str:
    match error:
        case FileChangedError(change="gone"):
            told = translate("Live", "%1 is no longer there: it was deleted, moved or renamed.")
        case FileChangedError(change="replaced"):
            told = translate("Live", "%1 was replaced by another file.")
        case FileChangedError():
            told = translate("Live", "Another program has changed %1.")
        case _:
            told = f"%1: {_reason(error)}."
    return told.replace("%1", str(path))


def _missing(recording: Recording) -> str:
    if recording.missing is not None:
        told = translate("Live", "The first event that is missing has the id %1.")
        return told.replace("%1", number_text(recording.missing))
    if recording.last is not None:
        told = translate("Live", "Events after id %1 are not recorded.")
        return told.replace("%1", number_text(recording.last))
    return ""


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__
