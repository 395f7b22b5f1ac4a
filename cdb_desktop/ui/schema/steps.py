"""What the page's actions do to the document: new elements, renaming, moving, deleting, undo and redo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.schema.column_edits import AddColumn, EntryPlace, MoveColumn, RenameColumn
from cdb_desktop.schema.describing import described
from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.edit import Edit
from cdb_desktop.schema.link_edits import AddLink, ChangeType
from cdb_desktop.schema.names import own_name
from cdb_desktop.schema.places import ColumnPlace, NestedPlace, Place, ReversePlace, TablePlace
from cdb_desktop.schema.removal import dependents
from cdb_desktop.schema.removal_edits import RemoveColumn, RemoveTable
from cdb_desktop.schema.table_edits import AddNestedTable, AddTable, RenameTable
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.ask_sheets import LinkSheet, RemovalSheet
from cdb_desktop.ui.schema.column_choices import targets_of
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.view import SchemaView

_TYPE = "text_oneline"


class Steps(QObject):
    """Makes steps in the store as actions and forms ask for them."""

    def __init__(self, store: Store, view: SchemaView, actions: Actions) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        # Methods of an object that goes with the page: the actions outlive it.
        actions["table_new"].triggered.connect(self.add_table)
        actions["nested_new"].triggered.connect(self._add_nested)
        actions["column_new"].triggered.connect(self._add_column)
        actions["link_new"].triggered.connect(self._add_link)
        actions["element_rename"].triggered.connect(self._rename)
        actions["element_delete"].triggered.connect(self._delete)
        actions["element_up"].triggered.connect(self._move_up)
        actions["element_down"].triggered.connect(self._move_down)
        actions["schema_undo"].triggered.connect(self._undo)
        actions["schema_redo"].triggered.connect(self._redo)
        view.renamed.connect(self._take_name)
        view.form.wishes.edit_requested.connect(self._apply)
        view.form.wishes.link_requested.connect(self._make_link)
        view.form.wishes.removal_requested.connect(self._remove)
        view.form.wishes.move_requested.connect(self._move)

    def add_table(self) -> None:
        """A new table, whose name is to be typed next."""
        page = self._store.page
        if page is not None:
            edit = AddTable(_unused("new_table", (table.name for table in page.document.tables)))
            self._begin(edit, TablePlace(edit.key))

    def _apply(self, edit: Edit) -> None:
        self._store.apply(edit)

    def _add_nested(self) -> None:
        document, table = self._selected()
        if table is not None:
            below = (document.by_key[key].name for key in document.nested.get(table.key, ()))
            name = _unused("part", (own_name(other, table.name) for other in below))
            edit = AddNestedTable(table.key, name)
            self._begin(edit, TablePlace(edit.key))

    def _add_column(self) -> None:
        _, table = self._selected()
        if table is not None:
            name = _unused("new_column", (column.name for column in table.columns))
            edit = AddColumn(table.key, name, _TYPE, self._index_after(table))
            self._begin(edit, ColumnPlace(table.key, edit.key))

    def _add_link(self) -> None:
        document, table = self._selected()
        if table is None:
            return

        def add(name: str, target: int) -> None:
            edit = AddLink(table.key, name, target, self._index_after(table))
            self._store.apply(edit, ColumnPlace(table.key, edit.key))

        LinkSheet(self._view.appearance, self._view, targets_of(document), "", add).open()

    def _make_link(self, place: ColumnPlace) -> None:
        """A column of another type becomes a link."""
        page = self._store.page
        if page is None:
            return

        def change(_name: str, target: int) -> None:
            self._store.apply(ChangeType(place, "link", target), place)

        name = page.document.by_key[place.table].by_key[place.column].name
        sheet = LinkSheet(self._view.appearance, self._view, targets_of(page.document), name, change)
        # Whoever cancels sees the type again that still counts.
        sheet.rejected.connect(lambda: self._view.form.show_page(page))
        sheet.open()

    def _begin(self, edit: Edit, place: Place) -> None:
        if self._store.apply(edit, place):
            self._view.diagram.choose(place, reveal=True)
            self._view.form.edit_name()

    def _rename(self) -> None:
        page = self._store.page
        if page is not None:
            self._view.rename(page.selection)

    def _take_name(self, place: Place, name: str) -> None:
        match place:
            case TablePlace(table):
                self._store.apply(RenameTable(table, name), place)
            case ColumnPlace():
                self._store.apply(RenameColumn(place, name), place)
            case _:
                return

    def _delete(self) -> None:
        page = self._store.page
        if page is not None:
            self._remove(page.selection)

    def _remove(self, place: Place) -> None:
        page = self._store.page
        if page is None or not isinstance(place, TablePlace | ColumnPlace):
            return
        document = page.document
        edit, then = _removal(document, place)
        found = dependents(document, place)
        if not found:
            self._store.apply(edit, then)
            return
        name = described(document, place)

        def remove() -> None:
            self._store.apply(replace(edit, dependents=True), then)

        RemovalSheet(self._view.appearance, self._view, name, found, remove).open()

    def _move_up(self) -> None:
        self._move_selected(-1)

    def _move_down(self) -> None:
        self._move_selected(1)

    def _undo(self) -> None:
        self._jump(-1)

    def _redo(self) -> None:
        self._jump(1)

    def _move_selected(self, step: int) -> None:
        page = self._store.page
        if page is not None:
            self._move(page.selection, step)

    def _move(self, place: Place, step: int) -> None:
        page = self._store.page
        found = None if page is None else entry_of(page.document, place)
        if found is not None and 0 <= found[2] + step < len(found[0].entries):
            self._store.apply(MoveColumn(found[1], found[2] + step))

    def _jump(self, step: int) -> None:
        page = self._store.page
        if page is not None:
            self._store.put_editing(page.editing.jumped(page.editing.history.position + step))

    def _selected(self) -> tuple[Document, Table | None]:
        page = self._store.page
        if page is None:
            return Document({}, ()), None
        return page.document, page.document.by_key.get(page.selected_table or 0)

    def _index_after(self, table: Table) -> int | None:
        """Behind the selected column, at the end when there is none."""
        page = self._store.page
        found = None if page is None else entry_of(page.document, page.selection)
        return found[2] + 1 if found and found[0].key == table.key else None


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


def _removal(
    document: Document, place: TablePlace | ColumnPlace
) -> tuple[RemoveTable | RemoveColumn, Place | None]:
    """The step, and what is selected after it; None leaves what was removed selected as that."""
    if isinstance(place, ColumnPlace):
        return RemoveColumn(place), None
    owner = document.by_key[place.table].owner
    return RemoveTable(place.table), None if owner is None else TablePlace(owner)


def _unused(name: str, taken: Iterable[str]) -> str:
    names = set(taken)
    number = 1
    found = name
    while found in names:
        number += 1
        found = f"{name}_{number}"
    return found
