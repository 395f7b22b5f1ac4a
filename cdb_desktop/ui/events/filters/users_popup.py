"""The popup in which users are chosen: by name, by group and by type of user."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query
from cdb_desktop.ui.events.popups.checklist import Checklist
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.labels import caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.popup import Popup

_USERS, _GROUPS, _TYPES = (360, 150), (360, 76), (360, 52)
_LARGEST = 2**63 - 1


class UserSearchState(msgspec.Struct, frozen=True):
    """How far the log has been searched: ``read`` of ``total`` events, newest first."""

    read: int = 0
    total: int = 0
    runs: bool = False
    is_whole: bool = False
    failure: str = ""


def _search_status(looking: UserSearchState, known: int, *, found: bool, number: str) -> tuple[str, str]:
    """A sentence and the text of a button; both empty for no message.

    Names come from ``known`` events; ``number`` is the typed text if that is a number.
    """
    if looking.runs:
        text = tr(
            "Searching the log: {read} of {total:1 event|{total} events} read",
            total=looking.total,
            read=looking.read,
        )
        return text, tr("Stop")
    if looking.failure:
        return looking.failure, tr("Search the log")
    if number and not found:
        return "", ""
    if looking.is_whole:
        return _complete_search_status(looking, found=found)
    return _partial_search_status(looking, known, found=found)


def _complete_search_status(looking: UserSearchState, *, found: bool) -> tuple[str, str]:
    text = tr("{total:The only event was|All {total} events were} read.", total=looking.total)
    nobody = tr("No event is by a user of this name.")
    return text if found else f"{nobody} {text} {_by_number()}", ""


def _partial_search_status(looking: UserSearchState, known: int, *, found: bool) -> tuple[str, str]:
    if found:
        text = tr("Found {read:in the last event.|among the last {read} events.}", read=looking.read)
        return (text, tr("Search further")) if looking.read else ("", "")
    nobody = tr(
        "No user of this name appears in the {known:one event|{known} events} read so far.", known=known
    )
    return f"{nobody} {_by_number()}", tr("Search the log")


def unknown_group_text() -> str:
    """Why a group is not found by its name."""
    return tr(
        "Only your own groups are known by name, because the service has no list of groups. "
        "Add others by number, such as #5."
    )


def _by_number() -> str:
    return tr("A number can be typed instead, such as #5.")


class SearchStatusLine(QWidget):
    """A sentence with a button; hidden if it is empty.

    Signals: ``pressed``.
    """

    pressed = Signal()

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = named(f"{name}.label", caption(self))
        self._label.setWordWrap(True)
        self.button = named(f"{name}.button", QPushButton(self, autoDefault=False))
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self.pressed)
        lay_out(QHBoxLayout(self), self._label, self.button, spacing=GAP, growing=self._label)
        self.hide()

    @property
    def message(self) -> str:
        """The sentence, empty while hidden."""
        return "" if self.isHidden() else self._label.text()

    def show_message(self, text: str, button: str = "") -> None:
        """Shows a sentence and a button; an empty text hides it."""
        self._label.setText(text)
        self.button.setText(button)
        self.button.setAccessibleDescription(text)
        self.button.setVisible(bool(button))
        self.setVisible(bool(text))


class UsersPopup(Popup):
    """Users and groups to tick, user types to type; they are joined by or (§4.3 rule 1).

    Signals: ``look_requested`` to search the log for unknown users · ``stop_requested``.
    """

    applies_outside = True
    look_requested = Signal()
    stop_requested = Signal()

    def __init__(
        self, appearance: Appearance, title: str, query: Query, seen: KnownValues, parent: QWidget
    ) -> None:
        super().__init__(appearance, "events.users", title, tr("Apply"), parent)
        self._query = query
        self._seen = seen
        self._messages: tuple[str, str] = "", ""
        self.looking = UserSearchState()
        hint = tr("Search by name, or add a user's number")
        self.list = self._checklist("users", hint, _USERS, seen.user_name)
        hint = tr("Groups: by name, or add a number")
        self._groups = self._checklist("groups", hint, _GROUPS, seen.group_name)
        self._groups.list.setMaximumHeight(_GROUPS[1])
        self._groups.list.hide()
        _fill(self.list, seen.users, [(one, seen.user_name(one)) for one in query.users])
        _fill(self._groups, seen.groups, [(one, seen.group_name(one)) for one in query.groups])
        self._types = Checklist(tr("User types: search"), accepts=_user_type, parent=self, name="user_types")
        self._types.list.setMinimumSize(*_TYPES)
        self._types.list.setMaximumHeight(_TYPES[1])
        self._types.show_values(((one, one) for one in seen.user_types), query.user_types)
        reset = QPushButton(tr("None"), self, autoDefault=False)
        reset.clicked.connect(self._clear)
        self._missing = SearchStatusLine("events.users.missing", self)
        self._no_group = SearchStatusLine("events.users.no_group", self)
        self._missing.pressed.connect(self._press)
        self.list.search.textChanged.connect(self._reset_search)
        self.list.narrowed.connect(self._show_search_status)
        self.list.missed.connect(self._request_search)
        self._groups.narrowed.connect(self._grow)
        self._groups.narrowed.connect(self._show_search_status)
        self.add(self.list, stretch=1)
        self.add(self._missing)
        self.add(self._groups)
        self.add(self._no_group)
        self.add(self._types)
        self.add_note(
            tr(
                "An event matches if its user is selected, belongs to a selected group, or has one "
                "of the selected types. Names come from your session and the events read so far."
            )
        )
        self.finish(self.list.search, reset)

    @property
    def query(self) -> Query:
        """The query with the chosen users."""
        return replace(
            self._query,
            users=tuple(int(one) for one in self.list.ticked),
            groups=tuple(int(one) for one in self._groups.ticked),
            user_types=self._types.ticked,
        )

    @property
    def wanted(self) -> str:
        """The typed name."""
        return self.list.search.text().strip()

    @property
    def found(self) -> int:
        """The number of known users with that name."""
        return self.list.found

    def show_known_users(self) -> None:
        """Lists users that have become known."""
        self.list.add_values(str(number) for number, _name in self._seen.users)

    def show_search_state(self, looking: UserSearchState) -> None:
        """Shows the state of the search."""
        self.looking = looking
        self._show_search_status()

    def _reset_search(self) -> None:
        """Another name starts the search from the newest event."""
        if not self.looking.runs and not self.looking.is_whole:
            self.looking = UserSearchState()
        self._show_search_status()

    def _request_search(self) -> None:
        if not self.looking.runs and not self.found and _id(self.wanted) is None:
            self.look_requested.emit()

    def _press(self) -> None:
        (self.stop_requested if self.looking.runs else self.look_requested).emit()

    def _show_search_status(self) -> None:
        status = _search_status(
            self.looking, self._seen.event_count, found=self.found > 0, number=_id(self.wanted) or ""
        )
        self._missing.show_message(*(status if self.wanted or self.looking.runs else ("", "")))
        group = self._groups.search.text().strip()
        is_missing = group and not self._groups.found and _id(group) is None
        self._no_group.show_message(unknown_group_text() if is_missing else "")
        shown = self._missing.message, self._no_group.message
        # While numbers increase the length of the sentence does not change.
        if shown != self._messages and not (self.looking.runs and self._messages[0]):
            self._refit()
        self._messages = shown

    def _checklist(
        self, name: str, hint: str, size: tuple[int, int], text_of: Callable[[int], str]
    ) -> Checklist:
        made = Checklist(hint, accepts=_id, parent=self, name=name, shown=lambda value: text_of(int(value)))
        made.list.setMinimumSize(*size)
        made.list.model().rowsInserted.connect(self._grow)
        return made

    def _grow(self) -> None:
        """Shows a list that gets its first entry."""
        if self._groups.list.isHidden() == self._groups.has_entries:
            self._groups.list.setVisible(self._groups.has_entries)
        self._refit()

    def _refit(self) -> None:
        if self.isVisible():
            self.fit(self.pos(), self.screen().availableGeometry())

    def _clear(self) -> None:
        self.list.clear_ticks()
        self._groups.clear_ticks()
        self._types.clear_ticks()


def _fill(checklist: Checklist, known: Sequence[tuple[int, str]], chosen: Sequence[tuple[int, str]]) -> None:
    values = [(str(number), name) for number, name in (*known, *chosen)]
    checklist.show_values(values, [str(number) for number, _name in chosen])


def _user_type(text: str) -> str | None:
    # Values are joined by commas (§4.3), so they cannot contain one.
    return None if re.search(r"[,\s]", text) else text or None


def _id(text: str) -> str | None:
    number = text.removeprefix("#")
    return str(int(number)) if number.isdecimal() and int(number) <= _LARGEST else None
