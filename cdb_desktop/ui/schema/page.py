"""What the schema page is about to show, as one frozen value; knows no widget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cdb_desktop.schema.diff.change import Change
from cdb_desktop.schema.document.element_ref import DOCUMENT, ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.validation.problem import Problem, Severity
from cdb_desktop.schema.validation.validate import problems_for_service
from cdb_desktop.schema.working_copy import WorkingCopy

Node = TableRef | ColumnRef

_WEIGHT = {"+": 3, "→": 2, "~": 1}


@dataclass(frozen=True)
class Page:
    """``past`` is the committed version that is looked at, None for HEAD, which ``editing`` holds.

    ``file`` is the name of the model file that is worked on in place of a service's HEAD, ``re2_only``
    whether the service takes only patterns that RE2 does.
    """

    editing: WorkingCopy
    past: Document | None = None
    selection: ElementRef = DOCUMENT
    may_develop: bool = False
    may_commit: bool = False
    busy: bool = False
    file: str = ""
    re2_only: bool = False

    @property
    def document(self) -> Document:
        """What is seen."""
        return self.past or self.editing.document

    @property
    def is_editable(self) -> bool:
        """Whether steps can be made: HEAD, by who may change it (§4.7)."""
        return self.past is None and self.may_develop

    @property
    def current_version(self) -> int | None:
        """The number of CURRENT, None before the first commit."""
        return self.editing.current.version if self.editing.current else None

    @property
    def base(self) -> Document | None:
        """What the changes are counted from: CURRENT, or the file as it was read."""
        return self.editing.head if self.file else self.editing.current

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the document, as the service would judge it."""
        return problems_for_service(self.editing.problems, re2_only=self.re2_only)

    @property
    def ghost(self) -> Node | None:
        """What is selected, if it has been removed and is still to be seen as that."""
        place = self.selection
        if self.past is not None or self.base is None or not isinstance(place, TableRef | ColumnRef):
            return None
        return place if self.base.contains(place) and not self.document.contains(place) else None

    @property
    def can_restore(self) -> bool:
        """Whether HEAD has it still, as it was last read or saved."""
        head, ghost = self.editing.head, self.ghost
        return self.is_editable and ghost is not None and head is not None and head.contains(ghost)

    @property
    def selected_table(self) -> int | None:
        """The table that is selected or holds what is."""
        table = table_key_of(self.selection)
        return table if table in self.document.by_key else None


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
    def signs(self) -> Mapping[ElementRef, str]:
        """The sign of each changed place and of the tables around; removed ones are not among them."""
        found: dict[ElementRef, str] = {}
        for change in self.changes:
            if change.sign != "−":
                _mark(found, change.ref, change.sign)
            for place in self._around(change.ref):
                _mark(found, place, "~")
        return found

    @cached_property
    def faults(self) -> Mapping[ElementRef, Severity]:
        """The worst problem of each place and of the tables around."""
        found: dict[ElementRef, Severity] = {}
        for problem in self.problems:
            for place in (problem.ref, *self._around(problem.ref)):
                if found.get(place) is not Severity.ERROR:
                    found[place] = problem.severity
        return found

    @cached_property
    def ghosts(self) -> tuple[Ghost, ...]:
        """The tables and columns that were removed."""
        found = (change for change in self.changes if change.sign == "−")
        return tuple(
            Ghost(change.ref, str(change.before), self._owner(change.ref))
            for change in found
            if isinstance(change.ref, TableRef | ColumnRef)
        )

    def _owner(self, place: Node) -> int | None:
        """The table in which it stood, None where that is gone as well, or never was."""
        if isinstance(place, ColumnRef):
            return place.table
        was = None if self.base is None else self.base.by_key.get(place.table)
        owner = None if was is None else was.owner
        return owner if self.document is not None and owner in self.document.by_key else None

    def _around(self, place: ElementRef) -> Iterator[ElementRef]:
        """The table that holds a place, and the tables that hold that one."""
        seen: set[int] = set()
        key = table_key_of(place)
        while key is not None and key not in seen:
            seen.add(key)
            yield TableRef(key)
            table = None if self.document is None else self.document.by_key.get(key)
            key = None if table is None else table.owner


def _mark(found: dict[ElementRef, str], place: ElementRef, sign: str) -> None:
    if _WEIGHT.get(sign, 0) > _WEIGHT.get(found.get(place, ""), 0):
        found[place] = sign
