"""The controllers that edit a document of a service or of a model file."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QByteArray, QMimeData, QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QWidget

from cdb_desktop.foundation.i18n import Message, tr
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.document.model import Document, Table
from cdb_desktop.schema.document.names import unused_name
from cdb_desktop.schema.edits.column_rows import ColumnRow, PasteError, known_type, read_rows, write_rows
from cdb_desktop.schema.edits.columns import AddColumn, AddColumns
from cdb_desktop.schema.edits.copies import (
    Copy,
    MoveToTable,
    PasteColumns,
    PasteTables,
    copy_entries,
    copy_tables,
    decode_copy,
    duplicate_entries,
    duplicate_tables,
    encode_copy,
)
from cdb_desktop.schema.edits.tables import Remove, dependents
from cdb_desktop.schema.files.local_store import LocalStore
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.commands import (
    CheckCommands,
    DiagramCommands,
    EditCommands,
    JsonCommands,
    SearchController,
)
from cdb_desktop.ui.schema.diagram.group_controller import GroupController
from cdb_desktop.ui.schema.diagram.layout_controller import DiagramLayoutController
from cdb_desktop.ui.schema.files.controller import ExchangeController
from cdb_desktop.ui.schema.files.drafts import DraftController
from cdb_desktop.ui.schema.form.columns_model import COPY_FORMAT
from cdb_desktop.ui.schema.form.dialogs import RemovalDialog
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.schema.form.type_choices import all_types, targets_of, type_choices, type_names
from cdb_desktop.ui.schema.named_views import NamedViewController
from cdb_desktop.ui.schema.output.controller import DiagramOutputController
from cdb_desktop.ui.schema.page.findings import FindingsController
from cdb_desktop.ui.schema.page.notice import RestoredAsNewNotice
from cdb_desktop.ui.schema.page.state import PageState, entry_of
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.promotion.controller import PromotionController
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnections
from cdb_desktop.ui.schema.scope_controller import ScopeController
from cdb_desktop.ui.schema.view import PageController, SchemaContext, SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field, Form


class SchemaEditor(QObject):
    """Creates the store and the controllers, and connects them to the view and the actions."""

    def __init__(
        self,
        view: SchemaView,
        actions: Actions,
        tasks: Tasks,
        local_store: LocalStore,
        connections: OtherConnections | None = None,
        service: str = "",
    ) -> None:
        """``connections`` are those whose models can be read; None if there are none.

        ``service`` is the name of the service, empty for a file.
        """
        super().__init__(view)
        self.view, self.actions = view, actions
        self.tasks, self.local_store = tasks, local_store
        self.store = store = PageStore(self._show_refusal, self)
        FindingsController(store, tasks, view.show_findings)
        self.layout = DiagramLayoutController(store, view.diagram, tasks, local_store)
        GroupController(store, view.diagram, self.layout, view.appearance, actions)
        self.layout.arranger.failed.connect(lambda reason: view.notice.show_text("warning", reason))
        self.drafts = DraftController(store, view.draft_notice, tasks, local_store.drafts)
        commands = EditCommands(self)
        ClipboardCommands(self)
        DiagramCommands(self, self.layout)
        CheckCommands(self)
        JsonCommands(self)
        SchemaActionStates(store, actions, view)
        RestoredAsNewNotice(store, view.notice)
        output = DiagramOutputController(self, service)
        self.promotion = promotion = PromotionController(self, connections)
        if promotion.others is not None:
            promotion.others.connect_requested.connect(actions["connect"].trigger)
        exchange = ExchangeController(self, promotion)
        self.scope = ScopeController(self, self.layout, NamedViewController(self, self.layout))
        SearchController(self, self.scope)
        actions["schema_promote"].triggered.connect(promotion.ask_connection)
        actions["schema_import"].triggered.connect(exchange.ask_import)
        actions["schema_export"].triggered.connect(exchange.ask_export)
        actions["schema_arrange"].triggered.connect(self.layout.arranger.arrange)
        actions["schema_find"].triggered.connect(view.tables.begin_search)
        actions["diagram_export"].triggered.connect(output.ask)
        actions["diagram_print"].triggered.connect(output.ask_print)
        actions["diagram_copy"].triggered.connect(output.copy)
        view.merge_output_requested.connect(output.ask_for_merge)
        actions["schema_svg"].setChecked(False)
        store.changed.connect(view.show_page)
        store.selected.connect(view.show_selection)
        view.chosen.connect(store.select)
        view.begin_requested.connect(commands.add_table)

    def _show_refusal(self, reason: Message) -> None:
        self.view.notice.show_text("warning", str(reason))


_MOST_SHOWN = 3  # changed names


class ClipboardCommands(PageController):
    """The commands for the clipboard and for dragged columns.

    They are for the rows of the grid if it has the focus and selected rows, else for the selected element.
    """

    def __init__(self, page: SchemaContext) -> None:
        super().__init__(page)
        view, actions = page.view, page.actions
        actions["element_copy"].triggered.connect(self._copy)
        actions["element_paste"].triggered.connect(self._paste)
        actions["element_duplicate"].triggered.connect(self._duplicate)
        view.form.requests.rows_pasted.connect(self._paste)
        view.form.requests.rows_dropped.connect(self._drop)
        view.form.table.grid.menu_requested.connect(self._add_to_menu)
        view.tables.columns_dropped.connect(self._move_to)

    def _copy(self) -> None:
        page, refs = self._store.page, self._refs()
        if not refs:
            return
        document, first = page.document, refs[0]
        data = QMimeData()
        if isinstance(first, TableRef) and not self._rows():
            copied = copy_tables(document, self._view.chosen_tables or [first.table])
            text = encode_copy(copied).decode()
        else:
            table = document.by_key[page.selected_table or 0]
            copied = copy_entries(document, table.key, refs)
            wanted = [column for column in table.columns if ColumnRef(table.key, column.key) in refs]
            text = write_rows(document, table, wanted)
        data.setData(COPY_FORMAT, QByteArray(encode_copy(copied)))
        data.setText(text)
        QGuiApplication.clipboard().setMimeData(data)

    def _paste(self) -> None:
        page = self._store.page
        if not page.is_editable:
            return
        data = QGuiApplication.clipboard().mimeData()
        text = data.text()
        try:
            if data.hasFormat(COPY_FORMAT):
                self._paste_copy(page, decode_copy(bytes(data.data(COPY_FORMAT).data())), self._paste_index())
            elif text.lstrip()[:1] == "{":
                self._paste_copy(page, decode_copy(text.encode("utf-8", "surrogatepass")), None)
            else:
                self._paste_rows(page, read_rows(text))
        except DocumentError as error:
            path = f"{error.path}: " if error.path else ""
            self._refuse(f"{path}{error.message}")
        except PasteError as error:
            self._refuse(str(error.message))

    def _duplicate(self) -> None:
        page, refs = self._store.page, self._refs()
        if not refs:
            return
        first = refs[0]
        if isinstance(first, TableRef) and not self._rows():
            tables = self._view.chosen_tables or [first.table]
            self._add_tables(duplicate_tables(page.document, tables), tables)
        else:
            found = [
                entry[1] for entry in (entry_of(page.document, ref) for ref in refs) if entry is not None
            ]
            if found:
                self._apply_columns(duplicate_entries(page.document, found[0].table, found))

    def _add_tables(self, edit: PasteTables, originals: Sequence[int] = ()) -> bool:
        """Adds copies and selects them, in the diagram beside the ``originals`` or at the chosen point."""
        keys, diagram = [root.key for root in edit.copied.roots], self._view.diagram
        # Without originals the view places them around the chosen point.
        beside, copies = diagram.places_beside(originals), dict(zip(keys, originals, strict=False))
        diagram.wanted_places = {copy: beside[key] for copy, key in copies.items() if key in beside}
        if not self._store.apply(edit, TableRef(keys[0])):
            return False
        if len(keys) > 1:
            self._view.diagram.choose_boxes(frozenset(keys))
        return True

    def _paste_copy(self, page: PageState, copied: Copy, index: int | None) -> None:
        table = page.document.by_key.get(page.selected_table or 0)
        if copied.of_columns and table is not None:
            self._apply_columns(PasteColumns(table.key, copied, index))
        elif copied.of_columns:
            self._refuse(tr("Select a table first."))
        else:
            edit = PasteTables(copied, self._owner(page, copied))
            if self._add_tables(edit, self._originals(page, copied)):
                self._warn_of_dangling_links({each.key for each in copied.document.tables})

    def _originals(self, page: PageState, copied: Copy) -> list[int]:
        """The tables with the names of the copied ones, if there are all of them and no place was chosen."""
        by_name = {table.name: table.key for table in page.document.tables}
        found = [by_name[root.name] for root in copied.roots if root.name in by_name]
        is_whole = len(found) == len(copied.roots) and self._view.diagram.chosen_center is None
        return found if is_whole else []

    def _owner(self, page: PageState, copied: Copy) -> int | None:
        """The table that gets copied nested tables: the selected one, or the owner of their original."""
        if not any(root.is_nested for root in copied.roots):
            return None
        table = page.document.by_key.get(page.selected_table or 0)
        if table is None:
            return None
        return table.owner if any(root.name == table.name for root in copied.roots) else table.key

    def _apply_columns(self, edit: PasteColumns) -> None:
        if self._store.apply(edit, TableRef(edit.table)):
            self._select(edit.refs)
            self._warn_of_dangling_links({edit.table})

    def _paste_rows(self, page: PageState, rows: tuple[ColumnRow, ...]) -> None:
        """Adds the columns of a spreadsheet, after unknown types and targets have been resolved."""
        document = page.document
        table = document.by_key.get(page.selected_table or 0)
        if table is None:
            self._refuse(tr("Select a table first."))
            return
        index = self._paste_index()
        names = type_names(document)
        types = {row.type: known_type(row.type, names) for row in rows}
        targets = {name.lower(): key for name, key in targets_of(document)}
        links = [row for row in rows if types[row.type] == "link"]
        unknown_types = Counter(row.type for row in rows if types[row.type] is None)
        unknown_targets = Counter(row.target for row in links if row.target.lower() not in targets)

        def paste(chosen_types: Mapping[str, object], chosen_targets: Mapping[str, object]) -> None:
            found_types = {**types, **{text: str(type_) for text, type_ in chosen_types.items()}}
            found_targets = {**targets, **{text.lower(): key for text, key in chosen_targets.items()}}
            self._add_columns(table, rows, found_types, found_targets, index)

        if not unknown_types and not unknown_targets:
            paste({}, {})
            return
        offered = [type_ for type_ in all_types(document) if type_ != "link"]
        PasteDialog(
            self._view.appearance,
            self._view,
            (unknown_types, type_choices(offered)),
            (unknown_targets, targets_of(document)),
            paste,
        ).open()

    def _add_columns(
        self,
        table: Table,
        rows: tuple[ColumnRow, ...],
        types: Mapping[str, str | None],
        targets: Mapping[str, object],
        index: int | None,
    ) -> None:
        taken = {column.name for column in table.columns}
        new: list[AddColumn] = []
        changed: list[str] = []
        for row in rows:
            name = unused_name(row.name, taken)
            taken.add(name)
            if name != row.written:
                changed.append(f"{row.written} → {name}")
            type_ = types[row.type] or ""
            target = targets.get(row.target.lower()) if type_ == "link" else None
            options: dict[str, object] = {"not_null": row.required}
            if row.comment:
                options["comment"] = row.comment
            key = target if isinstance(target, int) else None
            new.append(AddColumn(table.key, name, type_, options=options, target=key))
        edit = AddColumns(table.key, tuple(new), index)
        if not self._store.apply(edit, TableRef(table.key)):
            return
        self._select(tuple(ColumnRef(table.key, each.key) for each in new))
        if changed:
            names = ", ".join(changed[:_MOST_SHOWN]) + (" …" if len(changed) > _MOST_SHOWN else "")
            self._view.notice.show_text(
                "accent",
                tr(
                    "{count:One name was|{count} names were} changed to fit the rules of names: {names}",
                    count=len(changed),
                    names=names,
                ),
            )

    def _drop(self, content: bytes, row: int) -> None:
        """Adds columns that were dragged from another window, or with Ctrl."""
        page = self._store.page
        if page.is_editable:
            try:
                self._paste_copy(page, decode_copy(content), row)
            except DocumentError as error:
                self._refuse(str(error.message))

    def _move_to(self, table: int, content: bytes, is_own: bool) -> None:
        """Moves the columns that were dragged to another table; adds those of another window."""
        page = self._store.page
        if not page.is_editable:
            return
        rows = self._view.form.table.grid.selected_refs()
        source = page.selected_table
        if not is_own:
            self._store.select(TableRef(table))
            self._drop(content, len(page.document.by_key[table].entries))
        elif source is not None and source != table and rows:
            self._move_columns(page, source, table, rows)

    def _move_columns(self, page: PageState, source: int, table: int, rows: tuple[ElementRef, ...]) -> None:
        document = page.document
        refs = tuple(ref for ref in rows if isinstance(ref, TableRef | ColumnRef))
        paste = PasteColumns(table, copy_entries(document, source, refs))
        edit = MoveToTable(source, refs, paste)
        depending = tuple(each for each in dependents(document, *refs) if each.blocks)

        def move() -> None:
            if self._store.apply(replace(edit, dependents=True), TableRef(table)):
                self._select(paste.refs)
                self._warn_of_lost_values(document, refs)

        if depending:
            name = Remove(refs).removed(document)
            RemovalDialog(
                self._view.appearance, self._view, name, [str(one.message) for one in depending], move
            ).open()
        else:
            move()

    def _warn_of_lost_values(self, document: Document, refs: tuple[TableRef | ColumnRef, ...]) -> None:
        if any(_id_of(document, ref) is not None for ref in refs):
            self._view.notice.show_text(
                "warning",
                tr(
                    "The service cannot move values between tables: the columns are new and empty there, and "
                    "the next commit deletes the values that they have now. Undo brings them back."
                ),
            )

    def _warn_of_dangling_links(self, tables: set[int]) -> None:
        page = self._store.page
        found = [
            str(key.target_raw.get("name_hint") or key.target_raw.get("table_name_hint") or "?")
            for table in page.document.tables
            if table.key in tables
            for key in table.foreign_keys
            if key.target is None
        ]
        if found:
            names = ", ".join(dict.fromkeys(found))
            text = tr(
                "{count:One link leads|{count} links lead} to tables that are not in this model: {names}",
                count=len(found),
                names=names,
            )
            self._view.notice.show_text("warning", text)

    def _add_to_menu(self, menu: QMenu) -> None:
        for name in ("element_copy", "element_paste", "element_duplicate"):
            menu.addAction(self._actions[name])

    def _rows(self) -> tuple[ElementRef, ...]:
        """The selected rows of the grid if it has the focus."""
        page, grid = self._store.page, self._view.form.table.grid
        is_shown = page.selection == TableRef(page.selected_table or 0)
        return grid.selected_refs() if is_shown and grid.hasFocus() else ()

    def _refs(self) -> tuple[ElementRef, ...]:
        page, rows = self._store.page, self._rows()
        return rows or (() if page.selected_element is None else (page.selected_element,))

    def _paste_index(self) -> int | None:
        """The index for pasted columns: after the selected rows or the selected column, None for the end."""
        page, grid = self._store.page, self._view.form.table.grid
        if page.selection == TableRef(page.selected_table or 0):
            return grid.paste_row if grid.hasFocus() else None
        found = entry_of(page.document, page.selection)
        return None if found is None else found[2] + 1

    def _select(self, refs: tuple[ElementRef, ...]) -> None:
        grid = self._view.form.table.grid
        grid.setFocus()
        grid.select_refs(refs)

    def _refuse(self, reason: str | Message) -> None:
        self._view.notice.show_text("danger", tr("Nothing was pasted. {reason}", reason=str(reason)))


def _id_of(document: Document, ref: TableRef | ColumnRef) -> int | None:
    table = document.by_key[ref.table]
    return table.id if isinstance(ref, TableRef) else table.by_key[ref.column].id


_MOST_ROWS = 8
_LONGEST = 32  # characters of a text from the clipboard

Choices = list[tuple[str, object]]
# Each unknown text with the number of columns that have it.
Unknown = Mapping[str, int]


class PasteDialog(BaseDialog):
    """Asks for a type for each unknown type, and for a table for each unknown link target."""

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        types: tuple[Unknown, Choices],
        targets: tuple[Unknown, Choices],
        paste: Callable[[Mapping[str, object], Mapping[str, object]], None],
    ) -> None:
        """``paste`` is called with the chosen types and targets by the unknown texts."""
        super().__init__(appearance, "schema.paste", parent)
        text = tr("The choice applies to all columns with the same text.")
        self.set_texts(tr("Unknown types or tables"), text, tr("Paste"))
        self._paste = paste
        self.types = {unknown: self._field(types[1]) for unknown in types[0]}
        self.targets = {unknown: self._field(targets[1]) for unknown in targets[0]}
        fields = [
            Field(f"{name}.{unknown}", fields[unknown], _question(what, unknown, counts[unknown]))
            for name, what, counts, fields in (
                ("type", tr("Type"), types[0], self.types),
                ("target", tr("Links to"), targets[0], self.targets),
            )
            for unknown in fields
        ]
        self._add(Form(appearance, "schema.paste", *fields))
        self.accept_button.clicked.connect(self._finish)
        self._check()
        next(iter((*self.types.values(), *self.targets.values()))).setFocus()

    def _field(self, choices: Choices) -> FilterField:
        field = FilterField("schema.paste.choice")
        field.setPlaceholderText(tr("Choose or type"))
        field.show_choices(choices, None)
        field.decided.connect(self._check)
        return field

    def _add(self, content: QWidget) -> None:
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        content.setContentsMargins(0, 0, GAP, 0)  # so that the scroll bar does not touch the fields
        area.setWidget(content)
        rows = min(len(self.types) + len(self.targets), _MOST_ROWS)
        area.setMinimumHeight(min(content.sizeHint().height(), rows * (ROW + 2 * GAP)) + TIGHT)
        self.body.addWidget(area)

    def _check(self) -> None:
        fields = (*self.types.values(), *self.targets.values())
        self.accept_button.setEnabled(all(field.chosen is not None for field in fields))

    def _finish(self) -> None:
        types = {text: field.chosen for text, field in self.types.items()}
        targets = {text: field.chosen for text, field in self.targets.items()}
        self.accept()
        self._paste(types, targets)


def _question(what: str, unknown: str, count: int) -> str:
    shown = unknown if len(unknown) <= _LONGEST else f"{unknown[:_LONGEST]}…"
    text = tr("{what} “{text}”, {count:1 column|{count} columns}", what=what, text=shown, count=count)
    return text.replace("&", "&&")  # or it would be a mnemonic


_NEED_A_TABLE = (
    *("nested_new", "column_new", "link_new", "link_to", "element_rename", "element_delete"),
    *("element_copy", "element_duplicate", "table_events"),
)


def possible(page: PageState) -> Mapping[str, bool]:
    """Whether each action of the page can do anything, by the action's name."""
    history, is_head = page.editing.history, page.shows_head
    has_table = is_head and page.selected_table is not None
    has_element = is_head and page.selected_element is not None
    entry = entry_of(page.document, page.selection) if is_head else None
    is_idle = is_head and not page.busy
    return {
        "table_new": is_head,
        "nested_new": has_table,
        "column_new": has_table,
        "link_new": has_table,
        "link_to": has_table and page.removed_element is None,
        "element_rename": has_element,
        "element_delete": has_element,
        "element_up": entry is not None and entry[2] > 0,
        "element_down": entry is not None and entry[2] < len(entry[0].entries) - 1,
        "element_copy": page.selected_element is not None,
        "element_paste": is_head,
        "element_duplicate": has_element,
        "schema_undo": is_head and history.undo_title is not None,
        "schema_redo": is_head and history.redo_title is not None,
        "schema_save": is_idle and not page.editing.is_saved,
        "schema_adopt": is_idle,
        "schema_commit": is_idle and page.editing.is_saved and bool(page.editing.changes),
        "schema_policy": True,
        "schema_find": True,
        "schema_arrange": bool(page.document.tables),
        "schema_svg": True,
        "schema_copy": True,
        "schema_compare": True,
        "schema_changes": True,
        "schema_usage": not page.file,
        "table_events": not page.file and page.selected_table is not None,
        "schema_revert": _can_revert(page),
        "diagram_export": bool(page.document.tables),
        "diagram_print": bool(page.document.tables),
        "diagram_copy": bool(page.document.tables),
        "schema_dictionary": bool(page.document.tables),
        "schema_export": bool(page.document.tables),
        "schema_import": is_idle,
        "schema_promote": is_idle,
    }


def _can_revert(page: PageState) -> bool:
    """Whether there is a commit with a version before it; the one that is shown can be reverted as well."""
    return not page.busy and not page.file and (page.current_version or 0) > 1


def unavailable_reason(name: str, page: PageState) -> str:
    """Why an action is not possible, empty if that needs no explanation."""
    if not page.is_read:
        return tr("Show the schema first.")
    if name == "schema_revert":
        return tr("There is no commit with a version before it.")
    if page.compared is not None:
        return tr("Nothing can be changed while versions are compared.")
    if page.past is not None:
        return tr("Only HEAD can be changed.")
    reasons = {
        "schema_save": tr("Everything is saved.") if page.editing.is_saved else "",
        "schema_commit": _why_no_commit(page),
    }
    needs_table = name in _NEED_A_TABLE and page.selected_table is None
    return tr("Select a table first.") if needs_table else reasons.get(name, "")


def _why_no_commit(page: PageState) -> str:
    if not page.editing.is_saved:
        return tr("Save HEAD first.")
    return "" if page.editing.changes else tr("HEAD does not differ from CURRENT.")


class SchemaActionStates(QObject):
    """Enables and names the actions after each change of the page's state."""

    def __init__(self, store: PageStore, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._actions = actions
        self._known: dict[str, tuple[bool, str]] = {}
        store.changed.connect(self._update)
        store.selected.connect(self._update)
        self._update(store.page)

    def _update(self, page: PageState) -> None:
        self._rename("schema_undo", tr("&Undo"), page.editing.history.undo_title)
        self._rename("schema_redo", tr("&Redo"), page.editing.history.redo_title)
        self._rename("schema_save", tr("&Save the file") if page.file else tr("&Save HEAD"), None)
        for name, can_do in possible(page).items():
            is_possible = page.is_read and can_do
            reason = "" if is_possible else unavailable_reason(name, page)
            if self._known.get(name) != (is_possible, reason):
                self._known[name] = (is_possible, reason)
                self._actions.set_possible(name, is_possible, reason)

    def _rename(self, name: str, verb: str, edit: Message | None) -> None:
        self._actions.rename(name, f"{verb}: {edit}" if edit else verb)
