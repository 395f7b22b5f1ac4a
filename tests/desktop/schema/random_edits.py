"""Random edits of a document, for property tests."""

from collections.abc import Callable

from hypothesis import strategies as st

from cdb_desktop.schema.document.element_ref import ColumnRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    AddUniqueKey,
    ChangeType,
    MoveEntries,
    RemoveUniqueKey,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SetReverseEdit,
)
from cdb_desktop.schema.edits.edit import Edit, EditError
from cdb_desktop.schema.edits.tables import (
    AddNestedTable,
    AddTable,
    RenameTable,
    SetTableOptions,
    remove_column,
    remove_table,
)
from cdb_desktop.schema.working_copy import EditHistory

Draw = Callable[[st.SearchStrategy[int]], int]

_TYPES = ("text", "text_oneline", "text_l10n", "number", "integer.2", "boolean", "date", "datetime", "eas")
_NAMES = ("note", "title", "person", "a_name_that_is_long_enough_to_meet_the_limit")


class EditDrawer:
    """Draws edits; all their numbers are from ``draw``."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def step(self, history: EditHistory) -> EditHistory:
        """The history after another edit, or unchanged if that edit is refused."""
        if not history.document.tables:
            return history.applied(AddTable(self._name()))
        edit = self._edit(history.document)
        try:
            return history.applied(edit)
        except EditError:
            return history

    def _number(self, below: int) -> int:
        return self._draw(st.integers(0, max(below - 1, 0)))

    def _name(self) -> str:
        return f"{_NAMES[self._number(len(_NAMES))]}{self._number(99)}"

    def _table(self, document: Document) -> Table:
        return document.tables[self._number(len(document.tables))]

    def _edit(self, document: Document) -> Edit:
        table = self._table(document)
        if self._number(2) or not table.columns:
            return self._table_edit(document, table)
        place = ColumnRef(table.key, table.columns[self._number(len(table.columns))].key)
        return self._column_edit(document, table, place)

    def _table_edit(self, document: Document, table: Table) -> Edit:
        type_ = _TYPES[self._number(len(_TYPES))]
        index = self._number(len(table.entries) + 1)
        edits: list[Callable[[], Edit]] = [
            lambda: AddTable(self._name()),
            lambda: AddNestedTable(table.key, self._name(), index),
            lambda: RenameTable(table.key, self._name()),
            lambda: remove_table(table.key, dependents=bool(self._number(2))),
            lambda: SetTableOptions(table.key, {"comment": self._name()}),
            lambda: AddColumn(table.key, self._name(), type_, index),
            lambda: AddColumn(
                table.key,
                self._name(),
                "link",
                index,
                options={"reverse_edit": bool(self._number(2))},
                target=self._target(document),
            ),
        ]
        return edits[self._number(len(edits))]()

    def _column_edit(self, document: Document, table: Table, place: ColumnRef) -> Edit:
        unique = UniqueKeyRef(table.key, (place.column,))
        edits: list[Callable[[], Edit]] = [
            lambda: RenameColumn(place, self._name()),
            lambda: remove_column(place, dependents=bool(self._number(2))),
            lambda: MoveEntries(table.key, (place,), self._number(len(table.entries))),
            lambda: SetColumnOptions(place, {"not_null": bool(self._number(2))}),
            lambda: ChangeType(place, _TYPES[self._number(len(_TYPES))]),
            lambda: ChangeType(place, "link", self._target(document)),
            lambda: SetLinkTarget(place, self._target(document)),
            lambda: SetReverseEdit(place, on=bool(self._number(2))),
            lambda: AddUniqueKey(unique),
            lambda: RemoveUniqueKey(unique),
        ]
        return edits[self._number(len(edits))]()

    def _target(self, document: Document) -> int:
        """A possible target of a link: an objecttype."""
        objecttypes = [table for table in document.tables if not table.is_nested]
        return objecttypes[self._number(len(objecttypes))].key
