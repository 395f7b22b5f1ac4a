"""The menu of a row: filters by its values, copies, and links to its schema version and object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from cdb_desktop.client import Event, Record
from cdb_desktop.events.copy_formats import CopyFormat
from cdb_desktop.events.event_details import PathStep, RecordLine
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query, with_condition
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.widgets.event_table.columns import info_value
from cdb_desktop.ui.widgets.menus import shortened_text
from cdb_desktop.vocabulary.conditions import Condition
from cdb_desktop.vocabulary.event_json import INFO, info_path
from cdb_desktop.vocabulary.event_text import committed_version, is_commit, object_text, user_text
from cdb_desktop.vocabulary.key_values import key_value_text
from cdb_desktop.vocabulary.pattern import PatternKind
from cdb_desktop.vocabulary.time_span import span_around

Ask = Callable[[Query], None]
Lead = Callable[[Event], None]


_OF_ROW = ("type", "basetype", "user._id", "timestamp")
# The fields that columns show, as far as the service filters by them.
_PATHS = {
    "type": "type",
    "basetype": "basetype",
    "user": "user._id",
    "user_id": "user._id",
    "time": "timestamp",
    "pollable": "pollable",
}


def commit_action_text(event: Event) -> str:
    """The text of the link to the schema version of a commit, with its number if it is known."""
    version = committed_version(event)
    if version is None:
        return tr("Show the schema version of this commit")
    return tr("Show schema version {version}", version=str(version))


def object_action_text(event: Event) -> str:
    """The text of the link to the events of all versions of an object."""
    of_any_version = replace(event, object_version=None)
    return tr("Find all events of {object_text}", object_text=object_text(of_any_version))


def history_action_text(event: Event) -> str:
    """The text of the link to the history of an object."""
    of_any_version = replace(event, object_version=None)
    return tr("History of {object_text}", object_text=object_text(of_any_version))


def filters_of(event: Event, query: Query, column: str = "") -> list[tuple[str, Query]]:
    """The filters by the values of a row: text and query, those by the value in ``column`` first."""
    path = _PATHS.get(column)
    paths = dict.fromkeys((path, *_OF_ROW) if path else _OF_ROW)
    return [one for path in paths for one in filters_by(path, event, query)]


def exclusions_of(event: Event, query: Query) -> list[tuple[str, Query]]:
    """Conditions that exclude the type or the user of a row: text and query."""
    pairs = [(event.type, key_value_text("type", event.type))] if event.type else []
    if event.user_id is not None:
        pairs.append((user_text(event), key_value_text("user._id", event.user_id)))
    return [
        (
            tr("Without {value}", value=shown),
            with_condition(query, Condition(text, PatternKind.KEY, is_excluded=True)),
        )
        for shown, text in pairs
    ]


def filters_by(path: str, event: Event, query: Query) -> list[tuple[str, Query]]:
    """The filters by one field of the record, such as ``user._id``; the service filters by few of them."""
    if path == "type" and event.type:
        return [(tr("Only {value}", value=event.type), replace(query, types=(event.type,)))]
    if path == "basetype" and event.basetype:
        text = tr("Only base type {basetype}", basetype=event.basetype)
        return [(text, replace(query, base_types=(event.basetype,)))]
    if path in ("user._id", "user._generated_displayname") and event.user_id is not None:
        user = replace(query, users=(event.user_id,), groups=(), user_types=())
        return [(tr("Only {value}", value=user_text(event)), user)]
    if path == "timestamp" and event.timestamp is not None:
        around = {minutes: span_around(event.timestamp, minutes) for minutes in (1, 5)}
        found = [
            (tr("±1 minute around this event"), replace(query, span=around[1])),
            (tr("±5 minutes around this event"), replace(query, span=around[5])),
        ]
        unfiltered = Query(sort=query.sort)
        if replace(query, span=unfiltered.span) != unfiltered:
            found.append((tr("All events ±1 minute around it"), replace(unfiltered, span=around[1])))
        return found
    if path == "pollable" and event.pollable is not None:
        all_of_them = tr("Only pollable"), tr("Only not pollable")
        return [(all_of_them[not event.pollable], replace(query, pollable=event.pollable))]
    return []


def filters_with(text: str, query: Query) -> list[tuple[str, Query]]:
    """The query with and without events that have a key with a value: text and query."""
    short, condition = shortened_text(text), Condition(text, PatternKind.KEY)
    return [
        (tr("Only {value}", value=short), with_condition(query, condition)),
        (tr("Without {value}", value=short), with_condition(query, replace(condition, is_excluded=True))),
    ]


def pairs_of(event: Event, columns: Sequence[str]) -> list[str]:
    """Keys with values in visible columns of info, by which the service does not filter."""
    keys = (info_path(name) for name in columns if name.startswith(INFO))
    return [text for path in keys if (text := _search(event, path))]


def _search(event: Event, path: list[str]) -> str:
    value = info_value(event, path)
    if value is None:
        return ""
    steps = (PathStep("info"), *(PathStep(key, in_list=key.isdecimal()) for key in path))
    return RecordLine(steps, value, "").search


def row_menu(
    parent: QWidget,
    record: Record,
    query: Query,
    ask: Ask,
    copy: Callable[[CopyFormat], None],
    column: str = "",
) -> QMenu:
    """The menu, deleted when it is closed; ``copy`` gets the format. Unreadable records have no filters.

    ``column`` is the name of the column at the pointer, whose filter is the first.
    """
    menu = QMenu(parent)
    menu.setObjectName("events.row.menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # The tool tips of disabled actions show the reason.
    menu.setToolTipsVisible(True)
    for text, changed in filters_of(record, query, column) if isinstance(record, Event) else ():
        menu.addAction(text.replace("&", "&&")).triggered.connect(partial(ask, changed))
    menu.addSeparator()
    for text, form, keys in (
        (tr("Copy rows for a spreadsheet"), CopyFormat.TSV, "Ctrl+C"),
        (tr("Copy rows as JSON"), CopyFormat.JSON, "Ctrl+Shift+C"),
        (tr("Copy rows as CSV"), CopyFormat.CSV, ""),
        (tr("Copy rows as Markdown"), CopyFormat.MARKDOWN, ""),
        (tr("Copy ids"), CopyFormat.IDS, ""),
    ):
        key = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        menu.addAction(f"{text}\t{key}" if key else text).triggered.connect(partial(copy, form))
    return menu


def offer_conditions(menu: QMenu, event: Event, columns: Sequence[str], query: Query, ask: Ask) -> None:
    """Inserts below the filters what excludes values of the row, and conditions for columns of info."""
    below = next(action for action in menu.actions() if action.isSeparator())
    entries = [*exclusions_of(event, query)]
    for text in pairs_of(event, columns):
        entries += filters_with(text, query)
    for text, changed in entries:
        entry = QAction(text.replace("&", "&&"), menu)
        entry.triggered.connect(partial(ask, changed))
        menu.insertAction(below, entry)


def offer_cell(menu: QMenu, text: str, expand: Callable[[], None], *, is_open: bool) -> None:
    """Inserts what concerns the cell and the row at the pointer above the copies: ``text`` is in the cell."""
    below = next(action for action in menu.actions() if action.isSeparator())
    last = menu.actions()[menu.actions().index(below) + 1]
    key = QKeySequence("Space").toString(QKeySequence.SequenceFormat.NativeText)
    name = tr("Collapse the row") if is_open else tr("Expand the row")
    entries = [(f"{name}\t{key}", expand)]
    if text:
        copied = tr("Copy “{text}”", text=shortened_text(text)).replace("&", "&&")
        entries.append((copied, partial(QGuiApplication.clipboard().setText, text)))
    for title, act in entries:
        entry = QAction(title, menu)
        entry.triggered.connect(act)
        menu.insertAction(last, entry)


def offer_more(
    menu: QMenu, event: Event, actions: Actions, to_schema: Lead, to_history: Lead, to_object: Lead
) -> None:
    """Adds to the copies those for others, then the links of the event and the commands for the selection."""
    menu.addActions([actions[name] for name in ("share_event", "share_ticket")])
    menu.addSeparator()
    for there, text, lead in (
        (is_commit(event), commit_action_text, to_schema),
        (event.object_id is not None, history_action_text, to_history),
        (event.object_id is not None, object_action_text, to_object),
    ):
        if there:
            menu.addAction(text(event).replace("&", "&&")).triggered.connect(partial(lead, event))
    for name in ("compare", "delete_selected"):
        menu.addAction(actions[name])
