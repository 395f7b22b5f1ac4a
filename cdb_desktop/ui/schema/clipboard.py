"""Copies, pastes and duplicates columns and tables, and moves columns to other tables."""

from __future__ import annotations

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
from cdb_desktop.schema.edits.column_rows import (
    ColumnRow,
    PasteError,
    known_type,
    read_rows,
    write_rows,
)
from cdb_desktop.schema.edits.columns import AddColumn, AddColumns
from cdb_desktop.schema.edits.copies import (
    Copy,
    MoveToTable,
    PasteColumns,
    PasteTables,
    copy_entries,
    copy_tables,
    decode_copy,
    duplicate,
    duplicate_entries,
    duplicate_tables,
    encode_copy,
)
from cdb_desktop.schema.edits.tables import RemoveSeveral, dependents
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.columns_model import COPY_FORMAT
from cdb_desktop.ui.schema.form.dialogs import RemovalDialog
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.schema.form.type_choices import all_types, targets_of, type_choices, type_names
from cdb_desktop.ui.schema.page.state import PageState, entry_of
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Field, Form

_MOST_SHOWN = 3  # changed names


class ClipboardCommands(QObject):
    """The commands for the clipboard and for dragged columns.

    They are for the rows of the grid if it has the focus and selected rows, else for the selected element.
    """

    def __init__(self, store: PageStore, view: SchemaView, actions: Actions) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._actions = actions
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
            several = self._view.chosen_tables
            edit = duplicate_tables(page.document, several) if several else duplicate(page.document, first)
            self._add_tables(edit, several or [first.table])
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
            name = str(RemoveSeveral(refs).removed(document))
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
        area.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
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
