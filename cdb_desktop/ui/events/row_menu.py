"""The menu of a row: filters from its cells, and its copies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.query import Query
from cdb_desktop.events.span import around
from cdb_desktop.vocabulary.references import user_of

Ask = Callable[[Query], None]
translate = QCoreApplication.translate


def filters_of(event: Event, query: Query) -> list[tuple[str, Query]]:
    """What can be filtered by a row: the words for it and the query that it makes of ``query``."""
    only = translate("RowMenu", "Only %1")
    result: list[tuple[str, Query]] = []
    if event.type:
        result.append((only.replace("%1", event.type), replace(query, types=(event.type,))))
    if event.basetype:
        words = translate("RowMenu", "Only base type %1").replace("%1", event.basetype)
        result.append((words, replace(query, base_types=(event.basetype,))))
    if event.user_id is not None:
        user = replace(query, users=(event.user_id,), groups=(), user_types=())
        result.append((only.replace("%1", user_of(event)), user))
    if event.timestamp is not None:
        for words, minutes in (
            (translate("RowMenu", "±1 minute around this event"), 1),
            (translate("RowMenu", "±5 minutes around this event"), 5),
        ):
            result.append((words, replace(query, span=around(event.timestamp, minutes))))
    return result


def open_row_menu(
    parent: QWidget, place: QPoint, event: Event, query: Query, ask: Ask, copy: Callable[[bool], None]
) -> QMenu:
    """Opens the menu at a global ``place``; ``copy`` is told whether JSON is wanted."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for words, changed in filters_of(event, query):
        menu.addAction(words.replace("&", "&&")).triggered.connect(partial(ask, changed))
    menu.addSeparator()
    for words, as_json in (
        (translate("RowMenu", "Copy rows for a spreadsheet"), False),
        (translate("RowMenu", "Copy rows as JSON"), True),
    ):
        keys = QKeySequence("Ctrl+Shift+C" if as_json else "Ctrl+C")
        key = keys.toString(QKeySequence.SequenceFormat.NativeText)
        menu.addAction(f"{words}\t{key}").triggered.connect(partial(copy, as_json))
    menu.popup(place)
    return menu
