"""Says why what was typed for an event cannot be sent, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.insertion import DraftFault
from cdb_desktop.foundation.i18n import number_text

translate = QCoreApplication.translate


def fault_words(fault: DraftFault) -> str:
    """One sentence."""
    if fault.reason == "json":
        told = translate("Insertion", "This is no JSON: look at line %1, character %2.")
        return told.replace("%1", number_text(fault.line)).replace("%2", number_text(fault.column))
    return {
        "object": translate("Insertion", "Info is an object: it begins with { and ends with }."),
        "value": translate("Insertion", "A number or a character in it cannot be sent."),
        "number": translate("Insertion", "A whole number, or nothing."),
        "range": translate("Insertion", "This number is too large."),
    }[fault.reason]
