"""What the page's actions do to the document: new elements, renaming, moving, deleting, undo and redo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject

from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
)
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.document.names import element_name, own_name
from cdb_desktop.schema.edits.columns import AddColumn, EntryRef, MoveColumns, RenameColumn
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.links import AddLink, ChangeType
from cdb_desktop.schema.edits.removal import RemoveColumn, RemoveEntries, RemoveTable, dependents
from cdb_desktop.schema.edits.tables import AddNestedTable, AddTable, RenameTable
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.ask_sheets import LinkSheet, RemovalSheet
from cdb_desktop.ui.schema.column_choices import targets_of
from cdb_desktop.ui.schema.store import Store
from cdb_desktop.ui.schema.view import SchemaView

_TYPE = "text_oneline"

Adding = AddTable | AddNestedTable | AddColumn


class Steps(QObject):
    """Makes steps in the store as actions and forms ask for them."""

    def __init__(self, store: Store, view: SchemaView, actions: Actions) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        # The last step, as long as it has added something whose name is still to be typed.
        self._unnamed: tuple[Adding, Document] | None = None
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
            self._begin(edit, TableRef(edit.key))

    def _apply(self, edit: Edit, then: ElementRef | None = None) -> None:
        """Makes a step; the name that is typed for a new element becomes part of adding it."""
        page, unnamed = self._store.page, self._unnamed
        self._unnamed = None
        if page is not None and unnamed is not None and unnamed[1] is page.editing.document:
            added, is_saved = unnamed[0], page.editing.is_saved
            match edit:
                case RenameTable(table=key, name=name) | RenameColumn(ref=ColumnRef(column=key), name=name):
                    if key == added.key and not is_saved:
                        self._store.apply_instead(replace(added, name=name), then)
                        return
                case _:
                    pass
        self._store.apply(edit, then)

    def _add_nested(self) -> None:
        document, table = self._selected()
        if table is not None:
            below = (document.by_key[key].name for key in document.nested.get(table.key, ()))
            name = _unused("part", (own_name(other, table.name) for other in below))
            edit = AddNestedTable(table.key, name)
            self._begin(edit, TableRef(edit.key))

    def _add_column(self) -> None:
        _, table = self._selected()
        if table is not None:
            name = _unused("new_column", (column.name for column in table.columns))
            edit = AddColumn(table.key, name, _TYPE, self._index_after(table))
            self._begin(edit, ColumnRef(table.key, edit.key))

    def _add_link(self) -> None:
        document, table = self._selected()
        if table is None:
            return

        def add(name: str, target: int) -> None:
            edit = AddLink(table.key, name, target, self._index_after(table))
            self._store.apply(edit, ColumnRef(table.key, edit.key))

        LinkSheet(self._view.appearance, self._view, targets_of(document), "", add).open()

    def _make_link(self, place: ColumnRef) -> None:
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

    def _begin(self, edit: Adding, place: ElementRef) -> None:
        if self._store.apply(edit, place):
            page = self._store.page
            self._unnamed = None if page is None else (edit, page.editing.document)
            self._view.diagram.choose(place, reveal=True)
            self._view.form.edit_name()

    def _rename(self) -> None:
        page = self._store.page
        if page is not None:
            self._view.rename(page.selection)

    def _take_name(self, place: ElementRef, name: str) -> None:
        match place:
            case TableRef(table):
                self._apply(RenameTable(table, name), place)
            case ColumnRef():
                self._apply(RenameColumn(place, name), place)
            case _:
                return

    def _delete(self) -> None:
        page = self._store.page
        if page is not None:
            self._remove((page.selection,))

    def _remove(self, places: tuple[ElementRef, ...]) -> None:
        """Removes what is at the places in one step, after a look at what goes along."""
        page = self._store.page
        found = tuple(place for place in places if isinstance(place, TableRef | ColumnRef))
        if page is None or not found:
            return
        document = page.document
        edit, then, name = _removal(document, found, page.selected_table or 0)
        along = dependents(document, *found)
        if not along:
            self._store.apply(edit, then)
            return

        def remove() -> None:
            self._store.apply(replace(edit, dependents=True), then)

        RemovalSheet(self._view.appearance, self._view, name, along, remove).open()

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
            self._move((page.selection,), step)

    def _move(self, places: tuple[ElementRef, ...], step: int) -> None:
        """Moves entries of one table together, unless they are at its end already."""
        page = self._store.page
        if page is None:
            return
        found = [entry for entry in (entry_of(page.document, place) for place in places) if entry is not None]
        if found:
            edit = MoveColumns(found[0][0].key, tuple(entry[1] for entry in found), step)
            if edit.apply_to(page.document) is not page.document:
                self._store.apply(edit)

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


def entry_of(document: Document, place: ElementRef) -> tuple[Table, EntryRef, int] | None:
    """The table in which a place is an entry, the entry's place and its number; None where it is none."""
    if isinstance(place, TableRef):
        nested = document.by_key.get(place.table)
        owner = None if nested is None or nested.owner is None else document.by_key.get(nested.owner)
        place = place if owner is None else NestedTableRef(owner.key, place.table)
    if not isinstance(place, ColumnRef | NestedTableRef | ReverseLinkRef):
        return None
    table = document.by_key.get(place.table)
    places = [entry.ref(table.key) for entry in table.entries] if table else []
    return (table, place, places.index(place)) if table and place in places else None


def _removal(
    document: Document, places: tuple[TableRef | ColumnRef, ...], table: int
) -> tuple[RemoveTable | RemoveColumn | RemoveEntries, ElementRef | None, str]:
    """The step, what is selected after it (None: the same), and what is removed in words."""
    place = places[0]
    if len(places) > 1:
        edit = RemoveEntries(table, places)
        return edit, None, str(edit.removed(document))
    if isinstance(place, ColumnRef):
        return RemoveColumn(place), None, element_name(document, place)
    owner = document.by_key[place.table].owner
    then = None if owner is None else TableRef(owner)
    return RemoveTable(place.table), then, element_name(document, place)


def _unused(name: str, taken: Iterable[str]) -> str:
    names = set(taken)
    number = 1
    found = name
    while found in names:
        number += 1
        found = f"{name}_{number}"
    return found
