"""The sheet in which users are chosen: by name, by group and by type of user."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.events.known_values import KnownValues
from cdb_desktop.events.query import Query
from cdb_desktop.ui.events.browser.checklist import Checklist
from cdb_desktop.ui.events.browser.popup import Popup
from cdb_desktop.ui.events.filters.finding_line import FindingLine
from cdb_desktop.ui.events.filters.users_found import Looking, group_words, words
from cdb_desktop.ui.theme.appearance import Appearance

_USERS, _GROUPS, _TYPES = (360, 150), (360, 76), (360, 52)
_LARGEST = 2**63 - 1


class UsersPopup(Popup):
    """Users and groups to tick, user types to name; the three widen one another (§4.3 rule 1).

    Signals: ``look_requested`` when the log is to be read for who is not among those that are known ·
    ``stop_requested``.
    """

    look_requested = Signal()
    stop_requested = Signal()

    def __init__(
        self, appearance: Appearance, title: str, query: Query, seen: KnownValues, parent: QWidget
    ) -> None:
        super().__init__(appearance, title, self.tr("Apply"), parent)
        self._query = query
        self._seen = seen
        self._told: tuple[str, str] = "", ""
        self.looking = Looking()
        hint = self.tr("Search by name, or add a user's number")
        self._list = self._checklist("users", hint, _USERS, seen.user_name)
        hint = self.tr("Groups: by name, or add a number")
        self._groups = self._checklist("groups", hint, _GROUPS, seen.group_name)
        self._groups.list.setMaximumHeight(_GROUPS[1])
        self._groups.list.hide()
        _fill(self._list, seen.users, [(one, seen.user_name(one)) for one in query.users])
        _fill(self._groups, seen.groups, [(one, seen.group_name(one)) for one in query.groups])
        self._types = Checklist(self.tr("User types: search"), accepts=_word, parent=self, name="user_types")
        self._types.list.setMinimumSize(*_TYPES)
        self._types.list.setMaximumHeight(_TYPES[1])
        self._types.show_values(((one, one) for one in seen.user_types), query.user_types)
        reset = QPushButton(self.tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._clear)
        self._missing = FindingLine("events.users.missing", self)
        self._no_group = FindingLine("events.users.no_group", self)
        self._missing.pressed.connect(self._press)
        self._list.search.textChanged.connect(self._begin_anew)
        self._list.narrowed.connect(self._tell_found)
        self._list.missed.connect(self._begin_looking)
        self._groups.narrowed.connect(self._grow)
        self._groups.narrowed.connect(self._tell_found)
        self.add(self._list, stretch=1)
        self.add(self._missing)
        self.add(self._groups)
        self.add(self._no_group)
        self.add(self._types)
        self.add_note(
            self.tr(
                "An event matches if its user is selected, belongs to a selected group, or has one of "
                "the selected types. Names come from your session and the events read so far."
            )
        )
        self.finish(self._list.search, reset)

    @property
    def query(self) -> Query:
        """The query with what is chosen."""
        return replace(
            self._query,
            users=tuple(int(one) for one in self._list.ticked),
            groups=tuple(int(one) for one in self._groups.ticked),
            user_types=self._types.ticked,
        )

    @property
    def wanted(self) -> str:
        """The name that is looked for."""
        return self._list.search.text().strip()

    @property
    def found(self) -> int:
        """How many users that are known have it."""
        return self._list.found

    def look_for(self, text: str) -> None:
        """Goes on with what was typed elsewhere."""
        self._list.search.setText(text)

    def show_met(self) -> None:
        """Others may be known by now."""
        self._list.add_values(str(number) for number, _name in self._seen.users)

    def show_looking(self, looking: Looking) -> None:
        """The log is looked through, or no longer."""
        self.looking = looking
        self._tell_found()

    def _begin_anew(self) -> None:
        """Another name: how far the log was read for the one before does not count for it."""
        if not self.looking.runs and not self.looking.is_whole:
            self.looking = Looking()
        self._tell_found()

    def _begin_looking(self) -> None:
        if not self.looking.runs and not self.found and _id(self.wanted) is None:
            self.look_requested.emit()

    def _press(self) -> None:
        (self.stop_requested if self.looking.runs else self.look_requested).emit()

    def _tell_found(self) -> None:
        told = words(
            self.looking, self._seen.event_count, found=self.found > 0, number=_id(self.wanted) or ""
        )
        self._missing.tell(*(told if self.wanted or self.looking.runs else ("", "")))
        group = self._groups.search.text().strip()
        is_missing = group and not self._groups.found and _id(group) is None
        self._no_group.tell(group_words() if is_missing else "")
        shown = self._missing.told, self._no_group.told
        # While numbers run up the sentence stays as long as it is.
        if shown != self._told and not (self.looking.runs and self._told[0]):
            self._refit()
        self._told = shown

    def _checklist(
        self, name: str, hint: str, size: tuple[int, int], told: Callable[[int], str]
    ) -> Checklist:
        made = Checklist(hint, accepts=_id, parent=self, name=name, shown=lambda value: told(int(value)))
        made.list.setMinimumSize(*size)
        made.list.model().rowsInserted.connect(self._grow)
        return made

    def _grow(self) -> None:
        """A list that gets its first entry comes into sight."""
        if self._groups.list.isHidden() == self._groups.has_entries:
            self._groups.list.setVisible(self._groups.has_entries)
        self._refit()

    def _refit(self) -> None:
        if self.isVisible():
            self.fit(self.pos(), self.screen().availableGeometry())

    def _clear(self) -> None:
        self._list.clear_ticks()
        self._groups.clear_ticks()
        self._types.clear_ticks()


def _fill(checklist: Checklist, known: Sequence[tuple[int, str]], chosen: Sequence[tuple[int, str]]) -> None:
    values = [(str(number), name) for number, name in (*known, *chosen)]
    checklist.show_values(values, [str(number) for number, _name in chosen])


def _word(text: str) -> str | None:
    # Several values are joined by commas (§4.3), so none can hold one.
    return None if re.search(r"[,\s]", text) else text or None


def _id(text: str) -> str | None:
    number = text.removeprefix("#")
    return str(int(number)) if number.isdecimal() and int(number) <= _LARGEST else None
