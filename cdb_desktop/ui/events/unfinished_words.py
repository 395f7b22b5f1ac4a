"""Says what work was interrupted, and how far it had come, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.events.unfinished import DeletionNote, ExportNote
from cdb_desktop.vocabulary.sentences import Sentence

translate = QCoreApplication.translate


def export_words(note: ExportNote, rows: int) -> Sentence:
    """``An export to … was interrupted at 14,986 of 111,263 rows.``"""
    text = translate("Unfinished", "An export to %1 was interrupted at %2 rows.")
    number = _number(rows)
    if note.total is not None:
        text = translate("Unfinished", "An export to %1 was interrupted at %2 of %3 rows.")
        text = text.replace("%3", _number(note.total))
    told = text.replace("%2", number).replace("%1", note.target)
    return Sentence(translate("Unfinished", "Not exported to the end"), told, "")


def deletion_words(note: DeletionNote) -> Sentence:
    """``8,000 of 18,814 events are gone; the backup of all of them lies in …``"""
    title = translate("Unfinished", "A deletion was interrupted")
    if note.is_reading:
        return Sentence(title, translate("Unfinished", "Nothing had been deleted by then."), "")
    # A call may have been answered that could not be noted any more.
    gone = translate("Unfinished", "At least %1 of %2 events are gone")
    gone = gone.replace("%1", _number(note.gone)).replace("%2", _number(note.count))
    if not note.backup:
        return Sentence(title, f"{gone}. {translate('Unfinished', 'There is no backup of them.')}", "")
    kept = translate("Unfinished", "the backup of all %1 lies in %2. The others are still in the log.")
    told = kept.replace("%1", _number(note.count)).replace("%2", note.backup)
    return Sentence(title, f"{gone}; {told}", "")


def _number(number: int) -> str:
    return QLocale().toString(number)
