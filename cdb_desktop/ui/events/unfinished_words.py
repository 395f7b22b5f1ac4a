"""Says what work was interrupted, and how far it had come, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.unfinished import DeletionNote, ExportNote
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.vocabulary.error_messages import ErrorMessage

translate = QCoreApplication.translate


def export_words(note: ExportNote, rows: int) -> ErrorMessage:
    """``An export to … was interrupted at 14,986 of 111,263 rows.``"""
    if note.total is None:
        one = translate("Unfinished", "An export to %1 was interrupted after 1 row.")
        many = translate("Unfinished", "An export to %1 was interrupted after %2 rows.")
        told = plural(rows, one, many, note.target, rows)
    else:
        one = translate("Unfinished", "An export to %1 was interrupted after %2 of 1 row.")
        many = translate("Unfinished", "An export to %1 was interrupted after %2 of %3 rows.")
        told = plural(note.total, one, many, note.target, rows, note.total)
    return ErrorMessage(translate("Unfinished", "Export incomplete"), told, "")


def deletion_words(note: DeletionNote) -> ErrorMessage:
    """``Deleted: at least 8,000 of 18,814 events. The backup of all 18,814 is in …``"""
    title = translate("Unfinished", "A deletion was interrupted")
    if note.is_reading:
        return ErrorMessage(title, translate("Unfinished", "Nothing was deleted."), "")
    # A call may have been answered that could not be noted any more.
    gone = plural(
        note.count,
        translate("Unfinished", "Deleted: at least %1 of 1 event."),
        translate("Unfinished", "Deleted: at least %1 of %2 events."),
        note.gone,
        note.count,
    )
    if not note.backup:
        return ErrorMessage(title, f"{gone} {translate('Unfinished', 'There is no backup.')}", "")
    kept = plural(
        note.count,
        translate("Unfinished", "The backup is in %2."),
        translate("Unfinished", "The backup of all %1 is in %2. The others are still in the log."),
        note.count,
        note.backup,
    )
    return ErrorMessage(title, f"{gone} {kept}", "")
