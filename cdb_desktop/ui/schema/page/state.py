"""What the schema page is about to show, as one frozen value; knows no widget."""

from __future__ import annotations

from dataclasses import dataclass

from cdb_desktop.schema.column_edits import EntryPlace
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.editing import Editing
from cdb_desktop.schema.places import (
    DOCUMENT,
    ColumnPlace,
    NestedPlace,
    Place,
    ReversePlace,
    TablePlace,
    table_of,
)
from cdb_desktop.schema.problems import Problem
from cdb_desktop.schema.restoring import is_in
from cdb_desktop.schema.validation import judged

Node = TablePlace | ColumnPlace


@dataclass(frozen=True)
class Page:
    """``past`` is the committed version that is looked at, None for HEAD, which ``editing`` holds.

    ``file`` is the name of the model file that is worked on in place of a service's HEAD, ``re2_only``
    whether the service takes only patterns that RE2 does.
    """

    editing: Editing
    past: Document | None = None
    selection: Place = DOCUMENT
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
        return judged(self.editing.problems, re2_only=self.re2_only)

    @property
    def ghost(self) -> Node | None:
        """What is selected, if it has been removed and is still to be seen as that."""
        place = self.selection
        if self.past is not None or self.base is None or not isinstance(place, TablePlace | ColumnPlace):
            return None
        return place if is_in(self.base, place) and not is_in(self.document, place) else None

    @property
    def can_restore(self) -> bool:
        """Whether HEAD has it still, as it was last read or saved."""
        head, ghost = self.editing.head, self.ghost
        return self.is_editable and ghost is not None and head is not None and is_in(head, ghost)

    @property
    def selected_table(self) -> int | None:
        """The table that is selected or holds what is."""
        table = table_of(self.selection)
        return table if table in self.document.by_key else None


def entry_of(document: Document, place: Place) -> tuple[Table, EntryPlace, int] | None:
    """The table in which a place is an entry, the entry's place and its number; None where it is none."""
    if isinstance(place, TablePlace):
        nested = document.by_key.get(place.table)
        owner = None if nested is None or nested.owner is None else document.by_key.get(nested.owner)
        place = place if owner is None else NestedPlace(owner.key, place.table)
    if not isinstance(place, ColumnPlace | NestedPlace | ReversePlace):
        return None
    table = document.by_key.get(place.table)
    places = [entry.place(table.key) for entry in table.entries] if table else []
    return (table, place, places.index(place)) if table and place in places else None
