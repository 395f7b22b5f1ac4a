"""The commands that edit the document: add, rename, move and delete elements, undo and redo."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QPointF

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.document.names import element_name, own_name, unused_name
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    AddLink,
    ChangeType,
    MoveColumns,
    RenameColumn,
    propose_link,
)
from cdb_desktop.schema.edits.edit import NEW_COLUMN_TYPE, Edit, EditError
from cdb_desktop.schema.edits.tables import (
    AddNestedTable,
    AddTable,
    RemoveColumn,
    RemoveEntries,
    RemoveTable,
    RemoveTables,
    RenameTable,
    dependents,
)
from cdb_desktop.schema.files.json_text import JsonTextError, edited_document, edited_table
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.dialogs import LinkDialog, RemovalDialog
from cdb_desktop.ui.schema.form.type_choices import targets_of
from cdb_desktop.ui.schema.page.state import entry_of
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks

AddEdit = AddTable | AddNestedTable | AddColumn


class EditCommands(QObject):
    """Applies edits to the store when actions are triggered and forms are changed."""

    def __init__(self, store: PageStore, view: SchemaView, actions: Actions) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        # The last edit and its result if it added an element whose name has not been typed yet.
        self._unnamed: tuple[AddEdit, Document] | None = None
        # Bound methods of a QObject, so that Qt disconnects them with the page: the actions outlive it.
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
        actions["link_to"].triggered.connect(self._link_to)
        view.diagram.insert_requested.connect(self._insert_table)
        view.renamed.connect(self._rename_to)
        view.bottom.history.jump_requested.connect(self._jump_to)
        view.form.requests.edit_requested.connect(self._apply)
        view.form.requests.link_requested.connect(self._make_link)
        view.form.requests.removal_requested.connect(self._remove)
        view.form.requests.move_requested.connect(self._move)

    def add_table(self) -> None:
        """Adds a table and lets the user type its name."""
        edit = AddTable(unused_name("new_table", (table.name for table in self._store.page.document.tables)))
        self._add(edit, TableRef(edit.key))

    def _insert_table(self, at: QPointF) -> None:
        """Adds a table at a point of the diagram, and lets the user type its name there."""
        page = self._store.page
        if not page.is_editable:
            return
        edit = AddTable(unused_name("new_table", (table.name for table in page.document.tables)))
        self._view.diagram.propose_places({edit.key: (at.x(), at.y())})
        if self._store.apply(edit, TableRef(edit.key)):
            self._unnamed = edit, self._store.page.editing.document
            self._view.diagram_panel.rename(TableRef(edit.key), edit.name)

    def _apply(self, edit: Edit, then: ElementRef | None = None) -> None:
        """Applies an edit; the name that is typed for a new element becomes part of adding it."""
        page, unnamed = self._store.page, self._unnamed
        self._unnamed = None
        if unnamed is not None and unnamed[1] is page.editing.document:
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
            name = unused_name("part", (own_name(other, table.name) for other in below))
            edit = AddNestedTable(table.key, name)
            self._add(edit, TableRef(edit.key))

    def _add_column(self) -> None:
        _, table = self._selected()
        if table is not None:
            name = unused_name("new_column", (column.name for column in table.columns))
            edit = AddColumn(table.key, name, NEW_COLUMN_TYPE, self._index_after(table))
            self._add(edit, ColumnRef(table.key, edit.key))

    def _add_link(self) -> None:
        document, table = self._selected()
        if table is None:
            return

        def add(name: str, target: int) -> None:
            edit = AddLink(table.key, name, target, self._index_after(table))
            self._store.apply(edit, ColumnRef(table.key, edit.key))

        LinkDialog(self._view.appearance, self._view, targets_of(document), "", add).open()

    def _link_to(self) -> None:
        """Makes the selected column a link, or adds one to the selected table; asks for its target."""
        page = self._store.page
        if not isinstance(page.selection, ColumnRef):
            self._add_link()
            return
        ref = page.selection
        column = page.document.by_key[ref.table].by_key[ref.column]

        def link(_name: str, target: int) -> None:
            found = propose_link(self._store.page.document, page.editing.current, ref, target)
            if found.edit is None:
                self._view.notice.show_text("warning", str(found.text))
            elif self._store.apply(found.edit, found.ref) and found.note is not None:
                self._view.notice.show_text("accent", str(found.note))

        targets = targets_of(page.document)
        LinkDialog(self._view.appearance, self._view, targets, column.name, link).open()

    def _make_link(self, ref: ColumnRef) -> None:
        """Turns a column of another type into a link."""
        page = self._store.page

        def change(_name: str, target: int) -> None:
            self._store.apply(ChangeType(ref, "link", target), ref)

        name = page.document.by_key[ref.table].by_key[ref.column].name
        dialog = LinkDialog(self._view.appearance, self._view, targets_of(page.document), name, change)
        # After a cancel the form still shows the new type.
        dialog.rejected.connect(lambda: self._view.form.show_page(page))
        dialog.open()

    def _add(self, edit: AddEdit, ref: ElementRef) -> None:
        if self._store.apply(edit, ref):
            self._unnamed = edit, self._store.page.editing.document
            self._view.diagram.choose(ref, reveal=True)
            self._view.form.edit_name()

    def _rename(self) -> None:
        self._view.rename(self._store.page.selection)

    def _rename_to(self, ref: ElementRef, name: str) -> None:
        match ref:
            case TableRef(table):
                self._apply(RenameTable(table, name), ref)
            case ColumnRef():
                self._apply(RenameColumn(ref, name), ref)
            case _:
                return

    def _delete(self) -> None:
        page = self._store.page
        several = tuple(TableRef(table) for table in self._view.chosen_tables)
        self._remove(several or (page.selection,))

    def _remove(self, refs: tuple[ElementRef, ...]) -> None:
        """Removes elements in one edit; asks first if others would be removed with them."""
        page = self._store.page
        found = tuple(ref for ref in refs if isinstance(ref, TableRef | ColumnRef))
        if not found:
            return
        document = page.document
        edit, then, name = _removal(document, found, page.selected_table or 0)
        dependent = [str(one.message) for one in dependents(document, *found)]
        masks = page.masks.of(*found)
        if masks:
            dependent.append(tr("Fields in masks: {masks}", masks=", ".join(masks)))
        if not dependent:
            self._store.apply(edit, then)
            return

        def remove() -> None:
            self._store.apply(replace(edit, dependents=True), then)

        RemovalDialog(self._view.appearance, self._view, name, dependent, remove).open()

    def _move_up(self) -> None:
        self._move_selected(-1)

    def _move_down(self) -> None:
        self._move_selected(1)

    def _undo(self) -> None:
        self._jump(-1)

    def _redo(self) -> None:
        self._jump(1)

    def _move_selected(self, step: int) -> None:
        self._move((self._store.page.selection,), step)

    def _move(self, refs: tuple[ElementRef, ...], step: int) -> None:
        """Moves entries of one table by ``step``, unless they are at its end already."""
        page = self._store.page
        found = [entry for entry in (entry_of(page.document, ref) for ref in refs) if entry is not None]
        if found:
            edit = MoveColumns(found[0][0].key, tuple(entry[1] for entry in found), step)
            if edit.apply_to(page.document) is not page.document:
                self._store.apply(edit)

    def _jump(self, step: int) -> None:
        self._jump_to(self._store.page.editing.history.position + step)

    def _jump_to(self, position: int) -> None:
        self._store.put_editing(self._store.page.editing.jumped(position))

    def _selected(self) -> tuple[Document, Table | None]:
        page = self._store.page
        return page.document, page.document.by_key.get(page.selected_table or 0)

    def _index_after(self, table: Table) -> int | None:
        """The index after the selected entry of ``table``, None (the end) if none is selected."""
        page = self._store.page
        found = entry_of(page.document, page.selection)
        return found[2] + 1 if found and found[0].key == table.key else None


def _removal(
    document: Document, refs: tuple[TableRef | ColumnRef, ...], table: int
) -> tuple[RemoveTable | RemoveTables | RemoveColumn | RemoveEntries, ElementRef | None, str]:
    """The edit, what is selected after it (None: the selection stays), and the text for what is removed."""
    ref = refs[0]
    tables = tuple(each.table for each in refs if isinstance(each, TableRef))
    if len(tables) > 1 and len(tables) == len(refs) and not any(document.by_key[t].is_nested for t in tables):
        several = RemoveTables(tables)
        return several, None, str(several.removed(document))
    if len(refs) > 1:
        edit = RemoveEntries(table, refs)
        return edit, None, str(edit.removed(document))
    if isinstance(ref, ColumnRef):
        return RemoveColumn(ref), None, element_name(document, ref)
    owner = document.by_key[ref.table].owner
    then = None if owner is None else TableRef(owner)
    return RemoveTable(ref.table), then, element_name(document, ref)


_APPLY = "schema.json.apply"


def _edit(document: Document, table: int | None, text: str) -> Edit:
    return edited_document(document, text) if table is None else edited_table(document, table, text)


class JsonCommands(QObject):
    """Reads edited JSON in a thread and applies it as one step, or shows the error at its line."""

    def __init__(self, store: PageStore, view: SchemaView, tasks: Tasks) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        view.bottom.json_entered.connect(self._enter)

    def _enter(self, table: int | None, text: str) -> None:
        self._tasks.start(_APPLY, self._apply(table, text))

    async def _apply(self, table: int | None, text: str) -> None:
        page, editor = self._store.page, self._view.bottom.json
        document = page.document
        try:
            edit = await run_in_thread(_edit, document, table, text)
        except JsonTextError as error:
            editor.show_error(error.line, str(error.message))
            return
        except EditError as error:
            self._view.notice.show_text("warning", str(error.message))
            return
        if self._store.page.document is not document:
            text = tr("The document has changed meanwhile. Apply the text again.")
            self._view.notice.show_text("warning", text)
            return
        # Before the edit, so that the text of the new document is shown.
        editor.accept()
        self._store.apply(edit)
