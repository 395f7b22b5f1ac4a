"""The menu of a row: filters by its values, copies, and links to its schema version and object."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from msgspec.structs import replace
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from cdb_desktop.client import Event
from cdb_desktop.events.event_details import PathStep, RecordLine
from cdb_desktop.events.ticket import CopyFormat
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.query import Query, with_condition
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.widgets.event_table.columns import info_value
from cdb_desktop.ui.widgets.menus import context_menu, entry_text, shortened_text
from cdb_desktop.vocabulary.event_json import INFO, info_path
from cdb_desktop.vocabulary.event_types import committed_version, object_text, user_text
from cdb_desktop.vocabulary.pattern import Condition, PatternKind, key_value_text
from cdb_desktop.vocabulary.time_span import span_around

Ask = Callable[[Query], None]
Entry = tuple[str, Callable[[], object]]  # its text, and what it does
Group = Literal["only", "without", "around"]

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
_MOST_PAIRS = 8  # besides the type, the base type and the user, and what the column shows


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


class RowFilter(NamedTuple):
    """A filter by a value of a row.

    ``group``: the submenu that lists it. ``value``: its text there. ``text``: its text outside of submenus.
    """

    group: Group
    value: str
    text: str
    query: Query


def filters_of(event: Event, query: Query, columns: Sequence[str] = (), column: str = "") -> list[RowFilter]:
    """The filters by the values of a row: those by the value in ``column`` first, at most 12 of a group.

    ``columns`` are visible; by values of info in them the service does not filter.
    """
    path = _PATHS.get(column)
    paths = dict.fromkeys((path, *_OF_ROW) if path else _OF_ROW)
    keys = (info_path(name) for name in columns if name.startswith(INFO))
    pairs = [text for key in keys if (text := _search(event, key))]
    return [
        *(one for path in paths for one in filters_by(path, event, query)),
        *exclusions_of(event, query),
        *(one for text in pairs[:_MOST_PAIRS] for one in filters_with(text, query)),
    ]


def exclusions_of(event: Event, query: Query) -> list[RowFilter]:
    """Conditions that exclude the type or the user of a row."""
    pairs = [(event.type, key_value_text("type", event.type))] if event.type else []
    if event.user_id is not None:
        pairs.append((user_text(event), key_value_text("user._id", event.user_id)))
    conditions = ((shown, Condition(text, PatternKind.KEY, is_excluded=True)) for shown, text in pairs)
    return [_without(shown, with_condition(query, condition)) for shown, condition in conditions]


def filters_by(path: str, event: Event, query: Query) -> list[RowFilter]:
    """The filters by one field of the record, such as ``user._id``; the service filters by few of them."""
    if path == "type" and event.type:
        return [_only(event.type, replace(query, types=(event.type,)))]
    if path == "basetype" and event.basetype:
        value = tr("Base type {basetype}", basetype=event.basetype)
        text = tr("Only base type {basetype}", basetype=event.basetype)
        return [RowFilter("only", value, text, replace(query, base_types=(event.basetype,)))]
    if path in ("user._id", "user._generated_displayname") and event.user_id is not None:
        return [_only(user_text(event), replace(query, users=(event.user_id,), groups=(), user_types=()))]
    if path == "timestamp" and event.timestamp is not None:
        around = {minutes: span_around(event.timestamp, minutes) for minutes in (1, 5)}
        found = [
            (tr("±1 minute around this event"), replace(query, span=around[1])),
            (tr("±5 minutes around this event"), replace(query, span=around[5])),
        ]
        unfiltered = Query(sort=query.sort)
        if replace(query, span=unfiltered.span) != unfiltered:
            found.append((tr("All events ±1 minute around it"), replace(unfiltered, span=around[1])))
        return [RowFilter("around", text, text, changed) for text, changed in found]
    if path == "pollable" and event.pollable is not None:
        text = tr("Only pollable") if event.pollable else tr("Only not pollable")
        return [RowFilter("only", text, text, replace(query, pollable=event.pollable))]
    return []


def filters_with(text: str, query: Query) -> list[RowFilter]:
    """The query with and without events that have a key with a value."""
    condition = Condition(text, PatternKind.KEY)
    return [
        _only(text, with_condition(query, condition)),
        _without(text, with_condition(query, replace(condition, is_excluded=True))),
    ]


def _only(value: str, query: Query) -> RowFilter:
    return RowFilter("only", value, tr("Only {value}", value=shortened_text(value)), query)


def _without(value: str, query: Query) -> RowFilter:
    return RowFilter("without", value, tr("Without {value}", value=shortened_text(value)), query)


def _search(event: Event, path: list[str]) -> str:
    value = info_value(event, path)
    if value is None:
        return ""
    steps = (PathStep("info"), *(PathStep(key, in_list=key.isdecimal()) for key in path))
    return RecordLine(steps, value, "").search


class RowMenu:
    """Fills the menu of a row: at most 12 entries, the others in submenus.

    ``ask`` gets the query of a chosen filter, ``copy`` the format of a copy.
    """

    def __init__(
        self, parent: QWidget, actions: Actions, ask: Ask, copy: Callable[[CopyFormat], None]
    ) -> None:
        self.menu = context_menu(parent, "events.row.menu")
        self._actions = actions
        self._ask = ask
        self._copy = copy

    def fill_for_unreadable(self) -> None:
        """Offers the copies; a record that cannot be read has neither filters nor an object."""
        self._add_copies(self.menu)

    def fill(self, filters: Sequence[RowFilter], cell: str, toggle: Entry, links: Sequence[Entry]) -> None:
        """Offers the first filter, and the submenus of all; ``cell`` is the text at the pointer.

        ``links`` lead to what the event is about, and ``toggle`` expands the row.
        """
        menu = self.menu
        # The opposite of the first filter is as frequent.
        for one in [one for number, one in enumerate(filters) if not number or _is_opposite(filters[0], one)]:
            menu.addAction(entry_text(one.text)).triggered.connect(partial(self._ask, one.query))
        for group, title in (("only", tr("Only")), ("without", tr("Without")), ("around", tr("Around"))):
            below = [one for one in filters if one.group == group]
            if below:
                submenu = menu.addMenu(title)
                for one in below:
                    entry = submenu.addAction(entry_text(one.value))
                    entry.triggered.connect(partial(self._ask, one.query))
        menu.addSeparator()
        text, act = toggle
        menu.addAction(f"{text}\t{_key_text('Space')}").triggered.connect(act)
        copies = menu.addMenu(tr("&Copy"))
        copies.setToolTipsVisible(True)
        if cell:
            copies.addAction(entry_text(cell)).triggered.connect(
                partial(QGuiApplication.clipboard().setText, cell)
            )
            copies.addSeparator()
        self._add_copies(copies)
        copies.addSeparator()
        copies.addActions([self._actions[name] for name in ("share_event", "share_ticket")])
        menu.addSeparator()
        for text, act in links:
            menu.addAction(entry_text(text)).triggered.connect(act)

    def add_action(self, name: str) -> None:
        """Adds an action for the selection."""
        self.menu.addAction(self._actions[name])

    def _add_copies(self, menu: QMenu) -> None:
        for text, form, keys in (
            (tr("Copy rows for a spreadsheet"), CopyFormat.TSV, "Ctrl+C"),
            (tr("Copy rows as JSON"), CopyFormat.JSON, "Ctrl+Shift+C"),
            (tr("Copy rows as CSV"), CopyFormat.CSV, ""),
            (tr("Copy rows as Markdown"), CopyFormat.MARKDOWN, ""),
            (tr("Copy ids"), CopyFormat.IDS, ""),
        ):
            entry = menu.addAction(f"{text}\t{_key_text(keys)}" if keys else text)
            entry.triggered.connect(partial(self._copy, form))


def _is_opposite(one: RowFilter, other: RowFilter) -> bool:
    return (one.group, other.group) == ("only", "without") and one.value == other.value


def _key_text(keys: str) -> str:
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
