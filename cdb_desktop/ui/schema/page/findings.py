"""Finds the problems and changes of the document after each step, and gives each its sign and color."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.changes import Change
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.places import ColumnPlace, Place, TablePlace, table_of
from cdb_desktop.schema.problems import Problem, Severity
from cdb_desktop.ui.schema.page.state import Node, Page
from cdb_desktop.ui.schema.page.store import Store
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.tokens import Tokens

_WEIGHT = {"+": 3, "→": 2, "~": 1}
_FIND = "schema.find"


@dataclass(frozen=True, slots=True)
class Ghost:
    """A removed table or column: what it was called, and the table below which it stands."""

    place: Node
    name: str
    owner: int | None


@dataclass(frozen=True)
class Findings:
    """Problems and changes of a document, found a moment after an edit."""

    document: Document | None = None
    base: Document | None = None
    problems: tuple[Problem, ...] = ()
    changes: tuple[Change, ...] = ()

    @cached_property
    def signs(self) -> Mapping[Place, str]:
        """The sign of each changed place and of the tables around; removed ones are not among them."""
        found: dict[Place, str] = {}
        for change in self.changes:
            if change.sign != "−":
                _mark(found, change.place, change.sign)
            for place in self._around(change.place):
                _mark(found, place, "~")
        return found

    @cached_property
    def faults(self) -> Mapping[Place, Severity]:
        """The worst problem of each place and of the tables around."""
        found: dict[Place, Severity] = {}
        for problem in self.problems:
            for place in (problem.place, *self._around(problem.place)):
                if found.get(place) is not Severity.ERROR:
                    found[place] = problem.severity
        return found

    @cached_property
    def ghosts(self) -> tuple[Ghost, ...]:
        """The tables and columns that were removed."""
        found = (change for change in self.changes if change.sign == "−")
        return tuple(
            Ghost(change.place, str(change.before), self._owner(change.place))
            for change in found
            if isinstance(change.place, TablePlace | ColumnPlace)
        )

    def _owner(self, place: Node) -> int | None:
        """The table in which it stood, None where that is gone as well, or never was."""
        if isinstance(place, ColumnPlace):
            return place.table
        was = None if self.base is None else self.base.by_key.get(place.table)
        owner = None if was is None else was.owner
        return owner if self.document is not None and owner in self.document.by_key else None

    def _around(self, place: Place) -> Iterator[Place]:
        """The table that holds a place, and the tables that hold that one."""
        seen: set[int] = set()
        key = table_of(place)
        while key is not None and key not in seen:
            seen.add(key)
            yield TablePlace(key)
            table = None if self.document is None else self.document.by_key.get(key)
            key = None if table is None else table.owner


def _mark(found: dict[Place, str], place: Place, sign: str) -> None:
    if _WEIGHT.get(sign, 0) > _WEIGHT.get(found.get(place, ""), 0):
        found[place] = sign


class Finder(QObject):
    """Keeps signs and lists in step with what is shown."""

    def __init__(self, store: Store, tasks: Tasks, show: Callable[[Findings], None]) -> None:
        super().__init__(store)
        self._show = show
        self._tasks = tasks
        self._seen: tuple[Document | None, Document | None] = (None, None)
        store.changed.connect(self._look)

    def _look(self, page: Page) -> None:
        seen = (page.document, page.base)
        if seen[0] is self._seen[0] and seen[1] is self._seen[1]:
            return
        self._seen = seen
        self._tasks.start(_FIND, self._find(page))

    async def _find(self, page: Page) -> None:
        self._show(await run_in_thread(_find, page))


def _find(page: Page) -> Findings:
    """Nothing is wrong with a version that was committed, and it changes nothing."""
    if page.past is not None:
        return Findings(page.past)
    found = Findings(page.document, page.base, page.problems, page.editing.changes)
    # Looked at here, so that the window does not have to wait for them.
    found.signs, found.faults, found.ghosts  # noqa: B018
    return found


def sign_colour(sign: str, tokens: Tokens) -> QColor:
    """The colour beside which a sign stands."""
    colours = {"+": tokens.good, "−": tokens.danger, "→": tokens.accent}
    return QColor(colours.get(sign, tokens.warning))


def fault_colour(severity: Severity, tokens: Tokens) -> QColor:
    """The colour of a problem."""
    return QColor(tokens.danger if severity is Severity.ERROR else tokens.warning)
