"""The state of the schema page as one frozen value."""

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
class PageState:
    """What the page shows.

    ``editing`` holds HEAD with its history; ``past`` is the committed version that is shown instead, None for
    HEAD. ``file`` is the name of the model file that is edited instead of a service's HEAD. ``re2_only`` is
    whether the service accepts only regular expressions of RE2.
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
        """The document that is shown."""
        return self.past or self.editing.document

    @property
    def is_editable(self) -> bool:
        """Whether edits are possible: HEAD is shown and the user may change it (§4.7)."""
        return self.past is None and self.may_develop

    @property
    def current_version(self) -> int | None:
        """The number of CURRENT, None before the first commit."""
        return self.editing.current.version if self.editing.current else None

    @property
    def base(self) -> Document | None:
        """The document that changes are relative to: CURRENT, or the file as it was read."""
        return self.editing.head if self.file else self.editing.current

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of the document for which the service would refuse it or warn."""
        return judged(self.editing.problems, re2_only=self.re2_only)

    @property
    def removed_element(self) -> Node | None:
        """The selected table or column if it has been removed since ``base``, else None."""
        place = self.selection
        if self.past is not None or self.base is None or not isinstance(place, TablePlace | ColumnPlace):
            return None
        return place if is_in(self.base, place) and not is_in(self.document, place) else None

    @property
    def can_restore(self) -> bool:
        """Whether the removed element is still in HEAD as it was last read or saved."""
        head, removed = self.editing.head, self.removed_element
        return self.is_editable and removed is not None and head is not None and is_in(head, removed)

    @property
    def selected_element(self) -> Node | None:
        """The selected table or column, None if it has been removed."""
        if not isinstance(self.selection, TablePlace | ColumnPlace) or self.removed_element is not None:
            return None
        return self.selection

    @property
    def selected_table(self) -> int | None:
        """The key of the table that is selected or contains the selection."""
        table = table_of(self.selection)
        return table if table in self.document.by_key else None


def entry_of(document: Document, place: Place) -> tuple[Table, EntryPlace, int] | None:
    """The table that has ``place`` as an entry, the place of the entry and its index; None if none has."""
    if isinstance(place, TablePlace):
        nested = document.by_key.get(place.table)
        owner = None if nested is None or nested.owner is None else document.by_key.get(nested.owner)
        place = place if owner is None else NestedPlace(owner.key, place.table)
    if not isinstance(place, ColumnPlace | NestedPlace | ReversePlace):
        return None
    table = document.by_key.get(place.table)
    places = [entry.place(table.key) for entry in table.entries] if table else []
    return (table, place, places.index(place)) if table and place in places else None
