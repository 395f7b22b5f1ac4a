"""The sheet in which users are chosen: by name, by group and by type of user."""

from __future__ import annotations

import re

from msgspec.structs import replace
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPushButton, QWidget

from cdb_desktop.events.query import Query
from cdb_desktop.events.seen import Seen
from cdb_desktop.ui.events.checklist import Checklist
from cdb_desktop.ui.events.popup import Popup
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP

_SIZE = 340, 200
_LARGEST = 2**63 - 1


class UsersPopup(Popup):
    """Users to tick, and groups and user types to name; the three widen one another (§4.3 rule 1)."""

    def __init__(self, appearance: Appearance, title: str, query: Query, seen: Seen, parent: QWidget) -> None:
        super().__init__(appearance, title, self.tr("Apply"), parent)
        self._query = query
        self._list = Checklist(self.tr("Search by name, or add a user's number"), accepts=_id, parent=self)
        self._list.setMinimumSize(*_SIZE)
        known = [(str(number), name) for number, name in seen.users]
        unknown = [(str(one), seen.name(one)) for one in query.users]
        self._list.show_values((*known, *unknown), [str(one) for one in query.users])
        self._groups = self._field(self.tr("Numbers, such as 2, 5"), query.groups)
        self._types = self._field(self.tr("Names, such as easydb, email"), query.user_types)
        fields = QWidget(self)
        form = QFormLayout(fields)
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(GAP)
        form.addRow(self.tr("Groups"), self._groups)
        form.addRow(self.tr("User types"), self._types)
        reset = QPushButton(self.tr("None"), self)
        reset.setAutoDefault(False)
        reset.clicked.connect(self._clear)
        self.add(self._list, stretch=1)
        self.add(fields)
        self.add_note(
            self.tr(
                "An event counts if its user is ticked here, or is in one of the groups, or is of one of the "
                "types: the three add up. All other filters narrow the result. Names are those of the users "
                "in the rows loaded so far."
            )
        )
        self.finish(self._list.search, reset)

    @property
    def query(self) -> Query:
        """The query with what is chosen."""
        groups = [int(part) for part in _parts(self._groups.text()) if _id(part)]
        return replace(
            self._query,
            users=tuple(int(one) for one in self._list.ticked),
            groups=tuple(dict.fromkeys(groups)),
            user_types=tuple(dict.fromkeys(_parts(self._types.text()))),
        )

    def _field(self, hint: str, values: tuple[int, ...] | tuple[str, ...]) -> QLineEdit:
        field = QLineEdit(self, placeholderText=hint)
        field.setAccessibleName(hint)
        field.setText(", ".join(map(str, values)))
        return field

    def _clear(self) -> None:
        self._list.clear_ticks()
        self._groups.clear()
        self._types.clear()


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[,;\s]+", text.strip()) if part]


def _id(text: str) -> str | None:
    number = text.removeprefix("#")
    return str(int(number)) if number.isdecimal() and int(number) <= _LARGEST else None
