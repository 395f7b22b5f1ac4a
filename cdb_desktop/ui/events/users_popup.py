"""The sheet in which users are chosen: by name, by group and by type of user."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from cdb_desktop.events.query import Query
from cdb_desktop.events.seen import Seen
from cdb_desktop.ui.events.checklist import Checklist
from cdb_desktop.ui.events.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP

_USERS, _GROUPS = (360, 150), (360, 76)
_LARGEST = 2**63 - 1


class UsersPopup(Popup):
    """Users and groups to tick, user types to name; the three widen one another (§4.3 rule 1)."""

    def __init__(self, appearance: Appearance, title: str, query: Query, seen: Seen, parent: QWidget) -> None:
        super().__init__(appearance, title, self.tr("Apply"), parent)
        self._query = query
        self._list = self._checklist("users", self.tr("Search by name, or add a user's number"), _USERS)
        self._groups = self._checklist("groups", self.tr("Groups: by name, or add a number"), _GROUPS)
        self._groups.list.setMaximumHeight(_GROUPS[1])
        self._groups.list.hide()
        _fill(self._list, seen.users, [(one, seen.name(one)) for one in query.users])
        _fill(self._groups, seen.groups, [(one, seen.group_name(one)) for one in query.groups])
        self._types = QLineEdit(self, placeholderText=self.tr("Names, such as easydb, email"))
        self._types.setAccessibleName(self.tr("User types"))
        self._types.setObjectName("events.users.types")
        self._types.setText(", ".join(query.user_types))
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        form.addRow(self.tr("User types"), self._types)
        reset = QPushButton(self.tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._clear)
        self.add(self._list, stretch=1)
        self.add(self._groups)
        self.add(fields)
        self.add_note(
            self.tr(
                "An event counts if its user is ticked, or is in a ticked group, or is of one of the types: "
                "the three add up. Names are those that your session and the rows so far have told."
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
            user_types=tuple(dict.fromkeys(_parts(self._types.text()))),
        )

    def _checklist(self, name: str, hint: str, size: tuple[int, int]) -> Checklist:
        made = Checklist(hint, accepts=_id, parent=self, name=name)
        made.list.setMinimumSize(*size)
        made.list.model().rowsInserted.connect(self._grow)
        return made

    def _grow(self) -> None:
        """A list that gets its first value comes into sight."""
        self._groups.list.setVisible(self._groups.list.count() > 0)
        if self.isVisible():
            self.fit(self.pos(), self.screen().availableGeometry())

    def _clear(self) -> None:
        self._list.clear_ticks()
        self._groups.clear_ticks()
        self._types.clear()


def _fill(checklist: Checklist, known: Sequence[tuple[int, str]], chosen: Sequence[tuple[int, str]]) -> None:
    values = [(str(number), name) for number, name in (*known, *chosen)]
    checklist.show_values(values, [str(number) for number, _name in chosen])


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[,;\s]+", text.strip()) if part]


def _id(text: str) -> str | None:
    number = text.removeprefix("#")
    return str(int(number)) if number.isdecimal() and int(number) <= _LARGEST else None
