"""Which columns the service can sort by, and how their titles tell the order in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import Sort
from cdb_desktop.ui.widgets.event_table.columns import browser_columns, more_columns

# Only what §4.3 names can be sorted by; the rows here are no more than a part of the result.
FIELDS: Mapping[str, str] = {
    "id": "_id",
    "time": "timestamp",
    "type": "type",
    "user": "user_generated_displayname",
    "object": "object_id",
    "object_id": "object_id",
    "object_version": "object_version",
    "schema": "schema",
}
translate = QCoreApplication.translate


def field_names() -> dict[str, str]:
    """What can be sorted by, by the titles of the columns."""
    columns = (*browser_columns(), *more_columns())
    # The object's column and that of its id mean the same field; the last one says what it is.
    return {FIELDS[column.name]: column.title for column in columns if column.name in FIELDS}


def titled(title: str, column: str, order: Sequence[Sort]) -> str:
    """The title with an arrow, and a number where several columns order the rows."""
    for place, one in enumerate(order, 1):
        if FIELDS.get(column) == one.field:
            number = str(place) if len(order) > 1 else ""
            return f"{title} {'▾' if one.descending else '▴'}{number}"
    return title


def tooltip(column: str) -> str:
    """What a click on the title does."""
    if column == "object":
        return translate("EventOrder", "Click: sort by the object's id. Shift+click: also sort by it.")
    if column == "user":
        return translate("EventOrder", "Click: sort by the user's name. Shift+click: also sort by it.")
    if column in FIELDS:
        return translate("EventOrder", "Click: sort. Shift+click: also sort by this column.")
    return translate("EventOrder", "The service cannot sort by this column.")
