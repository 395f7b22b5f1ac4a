"""Says of a record that is no event that it could not be read and why, in the user's language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import Unreadable
from cdb_desktop.ui.widgets.event_columns import Column

translate = QCoreApplication.translate


def title_words() -> str:
    """What it is."""
    return translate("Unreadable", "Unreadable record")


def reason_words(record: Unreadable) -> str:
    """Why it could not be read."""
    return {
        "not an object": translate("Unreadable", "It is not a JSON object."),
        "no _id": translate("Unreadable", "It has no _id."),
        "no whole number as _id": translate("Unreadable", "Its _id is not a whole number."),
        "an _id beyond 64 bits": translate("Unreadable", "Its _id is larger than 64 bits."),
        "nested too deeply": translate("Unreadable", "Its values are nested too deeply."),
        "too large": translate("Unreadable", "It is too large for this program."),
    }[record.reason]


def row_words(record: Unreadable) -> str:
    """Both in a line."""
    told = translate("Unreadable", "This record could not be read: %1")
    return told.replace("%1", reason_words(record))


def cell_words(record: Unreadable, columns: Sequence[Column], place: int) -> str:
    """What a cell of its row holds: what it is in place of the type, and why where there is room."""
    if place == title_place(columns):
        return title_words()
    return reason_words(record) if columns[place].fills else ""


def title_place(columns: Sequence[Column]) -> int:
    """The column that tells what a row is."""
    return next((place for place, column in enumerate(columns) if column.name == "type"), 0)
