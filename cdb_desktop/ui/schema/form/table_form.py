"""The form of a table: name, comment, options, columns and unique keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QKeyCombination, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Column, Document, Table, UniqueKey
from cdb_desktop.schema.document.names import own_name
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    AddUniqueKey,
    RemoveUniqueKey,
    RenameColumn,
    RequireColumns,
    SetColumnOptions,
)
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.links import ChangeType, SetLinkTarget
from cdb_desktop.schema.edits.new_elements import NEW_COLUMN_TYPE
from cdb_desktop.schema.edits.several import MoveEntries, SeveralEdits, change_types
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.columns_dialog import ChosenOptions, ColumnsDialog, edit_of_columns
from cdb_desktop.ui.schema.form.columns_grid import ColumnsGrid
from cdb_desktop.ui.schema.form.fields import CheckField, TextField, section_label
from cdb_desktop.ui.schema.form.layout import FormHeading, FormPage, FormRequests
from cdb_desktop.ui.schema.form.local_names import LocalNameFields
from cdb_desktop.ui.schema.form.type_choices import LinkTarget, target_choices, type_choices, types_for
from cdb_desktop.ui.schema.page.state import PageState, entry_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.object_names import named

_OPTIONS = (
    "is_hierarchical",
    "pool_link",
    "acl_table",
    "has_tags",
    "in_main_search",
    "in_facets",
    "require_comment",
)


class TableForm(FormPage):
    """Edits one table."""

    def __init__(
        self, appearance: Appearance, actions: Actions, requests: FormRequests, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._requests = requests
        self.setObjectName("schema.table")
        self._page: PageState | None = None
        self._heading = FormHeading(self)
        self.name = TextField("schema.table.name", self)
        self.comment = TextField("schema.table.comment", self)
        self.local_names = LocalNameFields(self)
        self.use = named("schema.table.use", Label(self))
        self.use.setWordWrap(True)
        self.use.hide()
        self._labels = [Label(self), Label(self)]
        self._sections = [section_label(self) for _ in range(3)]
        self.options = {option: CheckField(f"schema.table.{option}", self) for option in _OPTIONS}
        self.grid = ColumnsGrid(appearance, self._types, self)
        self.keys = UniqueKeyList(appearance, self)
        self._make_unique = QToolButton(self)
        self._move_buttons = [IconButton(icon(name, appearance), "", self) for name in ("up", "down")]
        self._arrange(actions)
        self._connect()
        self.retranslate()

    def show_table(self, page: PageState, table: Table) -> None:
        """Shows a table. Text that is being typed is kept."""
        self._page = page
        document, editable = page.document, page.is_editable
        owner = None if table.owner is None else document.by_key.get(table.owner)
        kind = tr("Nested table") if table.is_nested else tr("Table")
        self._heading.show_heading(kind, table.name)
        self.local_names.show_names(page, TableRef(table.key))
        self.name.show_text(own_name(table.name, owner.name) if owner else table.name)
        self.comment.show_text(str(table.raw.get("comment") or ""))
        for field in (self.name, self.comment):
            field.setReadOnly(not editable)
        for option, box in self.options.items():
            box.show_checked(on=table.flag(option))
            box.setVisible(not table.is_nested)
            box.setEnabled(editable)
        self._sections[0].setVisible(not table.is_nested)
        self.grid.show_table(document, table, editable=editable)
        self.grid.setFixedHeight(self.grid.sizeHint().height())
        self.keys.show_keys(table, editable=editable)
        for button in (self._make_unique, *self._move_buttons):
            button.setEnabled(editable)

    def show_use(self, text: str) -> None:
        """Shows the use of the table in words, or nothing."""
        self.use.setText(text)
        self.use.setVisible(bool(text))

    def retranslate(self) -> None:
        """Sets all texts in the current language."""
        self.setAccessibleName(tr("Table"))
        for label, text in zip(self._labels, (tr("Name"), tr("Comment")), strict=True):
            label.setText(text)
        titles = (tr("Options"), tr("Columns"), tr("Unique keys"))
        for head, text in zip(self._sections, titles, strict=True):
            head.setText(text)
        texts = {
            "is_hierarchical": tr("Hierarchical"),
            "pool_link": tr("In pools"),
            "acl_table": tr("Rights for each object"),
            "has_tags": tr("Tags"),
            "in_main_search": tr("In the main search"),
            "in_facets": tr("In facets"),
            "require_comment": tr("Changes need a comment"),
        }
        for option, text in texts.items():
            self.options[option].setText(text)
            self.options[option].setToolTip(option)
        for button, text in zip(self._move_buttons, (tr("Move up"), tr("Move down")), strict=True):
            button.setToolTip(f"{text} ({_move_shortcut(button is self._move_buttons[0])})")
            button.setAccessibleName(text)
        self._make_unique.setText(tr("Make selected columns unique"))

    def _types(self, column: Column) -> list[tuple[str, object]]:
        """The types that a column can have, with the tables that it can link to."""
        page = self._page
        if page is None or page.selected_table is None:
            return type_choices([column.type])
        table = page.document.by_key[page.selected_table]
        types = types_for(page.document, page.editing.current, table, column)
        targets = target_choices(page.document) if "link" in types else []
        return [*type_choices([type_ for type_ in types if type_ != "link" or not targets]), *targets]

    def _arrange(self, actions: Actions) -> None:
        self.add(self._heading)
        self.add(self.use)
        self.add_rows(list(zip(self._labels, (self.name, self.comment), strict=True)))
        self.add(self.local_names)
        self.add(self._sections[0], gap=GAP)
        for box in self.options.values():
            self.add(box)
        adding = (ActionButton(actions[name], self) for name in ("column_new", "link_new"))
        self.add_row(self._sections[1], *adding, *self._move_buttons, gap=GAP)
        self.add(self.grid)
        self.add(self._sections[2], gap=GAP)
        self.add(self.keys)
        self._make_unique.setAutoRaise(True)
        self._make_unique.setObjectName("schema.table.unique")
        self.add(self._make_unique)
        self.add_stretch()

    def _connect(self) -> None:
        self.name.decided.connect(lambda name: self._request(RenameTable(self._key(), name)))
        self.local_names.edit_requested.connect(self._requests.edit_requested)
        self.comment.decided.connect(
            lambda text: self._request(SetTableOptions(self._key(), {"comment": text or None}))
        )
        for option, box in self.options.items():
            box.decided.connect(partial(self._set_option, option))
        columns = self.grid.columns
        columns.renamed.connect(lambda column, name: self._request(RenameColumn(self._ref(column), name)))
        self.name.returnPressed.connect(self._begin_columns)
        self.grid.added.connect(self._add_column)
        self.grid.retyped.connect(self._retype)
        self.grid.several_opened.connect(self._edit_several)
        self.grid.moved.connect(self._move)
        self.grid.rows_pasted.connect(self._requests.rows_pasted)
        self.grid.rows_dropped.connect(self._requests.rows_dropped)
        self.grid.required.connect(self._require)
        self.grid.opened.connect(self._requests.chosen)
        self.grid.removal_requested.connect(self._requests.removal_requested)
        self.grid.move_requested.connect(self._requests.move_requested)
        for button, step in zip(self._move_buttons, (-1, 1), strict=True):
            button.clicked.connect(partial(self.grid.move_rows, step))
        self.keys.removed.connect(self._requests.edit_requested)
        self._make_unique.clicked.connect(self._add_key)

    def _begin_columns(self) -> None:
        """After the name of a table without columns, Enter begins the first one."""
        if self.grid.columns.is_editable and not self.grid.columns.entries:
            # The name is applied first.
            QTimer.singleShot(0, self.grid, self.grid.begin_new)

    def _add_column(self, name: str, table: int) -> None:
        self._request(AddColumn(table, name, NEW_COLUMN_TYPE))

    def _retype(self, columns: tuple[Column, ...], type_: object) -> None:
        keys, page = tuple(column.key for column in columns), self._page
        if page is None:
            return
        if isinstance(type_, LinkTarget):
            self._request(_linked(page.document, self._key(), columns, type_.table))
        elif type_ == "link" and len(keys) == 1:
            self._requests.link_requested.emit(ColumnRef(self._key(), keys[0]))
        elif len(keys) == 1:
            self._request(ChangeType(ColumnRef(self._key(), keys[0]), str(type_)))
        else:
            self._request(change_types(page.document, self._key(), keys, str(type_)))

    def _move(self, refs: tuple[ElementRef, ...], row: int) -> None:
        page = self._page
        if page is None:
            return
        found = (entry_of(page.document, ref) for ref in refs)
        edit = MoveEntries(self._key(), tuple(each[1] for each in found if each is not None), row)
        if edit.apply_to(page.document) is not page.document:
            self._request(edit)

    def _edit_several(self, columns: tuple[Column, ...]) -> None:
        page = self._page
        if page is None:
            return
        table = page.document.by_key[self._key()]
        choices = [choice for choice in self._types(columns[0]) if choice in self._types(columns[-1])]
        for column in columns[1:-1]:
            possible = set(self._types(column))
            choices = [choice for choice in choices if choice in possible]
        dialog = ColumnsDialog(self._appearance, self, table, columns, choices)
        dialog.decided.connect(partial(self._apply_to_several, columns))
        dialog.open()

    def _apply_to_several(self, columns: tuple[Column, ...], chosen: ChosenOptions) -> None:
        page = self._page
        if page is not None:
            table = page.document.by_key[self._key()]
            edit = edit_of_columns(table, columns, chosen)
            if edit is not None:
                self._request(edit)

    def _require(self, columns: tuple[Column, ...], on: bool) -> None:
        if len(columns) == 1:
            self._request(SetColumnOptions(self._ref(columns[0]), {"not_null": on}))
        else:
            self._request(RequireColumns(self._key(), tuple(column.key for column in columns), on))

    def _set_option(self, option: str, on: bool) -> None:
        self._request(SetTableOptions(self._key(), {option: on}))

    def _add_key(self) -> None:
        columns = self.grid.selected_columns()
        if columns:
            self._request(AddUniqueKey(UniqueKeyRef(self._key(), columns)))

    def _key(self) -> int:
        return (self._page.selected_table if self._page else None) or 0

    def _ref(self, column: Column) -> ColumnRef:
        return ColumnRef(self._key(), column.key)

    def _request(self, edit: Edit) -> None:
        self._requests.edit_requested.emit(edit)


def _linked(document: Document, table: int, columns: tuple[Column, ...], target: int) -> Edit:
    """The edit that links columns to a table; those that are links already keep their other attributes."""
    edits: list[Edit] = []
    for column in columns:
        ref = ColumnRef(table, column.key)
        edits.append(SetLinkTarget(ref, target) if column.is_link else ChangeType(ref, "link", target))
    if len(edits) == 1:
        return edits[0]
    keys = tuple(column.key for column in columns)
    return SeveralEdits(change_types(document, table, keys, "link").heading, tuple(edits))


def _move_shortcut(up: bool) -> str:
    key = Qt.Key.Key_Up if up else Qt.Key.Key_Down
    sequence = QKeySequence(QKeyCombination(Qt.KeyboardModifier.AltModifier, key))
    return sequence.toString(QKeySequence.SequenceFormat.NativeText)


class UniqueKeyList(QWidget):
    """The unique keys of a table with a button to remove each.

    Signals: ``removed`` with the Edit that removes a key.
    """

    removed = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.table.keys")
        self._appearance = appearance
        self._shown: tuple[object, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    def show_keys(self, table: Table, *, editable: bool) -> None:
        shown = (table.key, table.unique_keys, table.columns, editable)
        if shown == self._shown:
            return
        self._shown = shown
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        if not table.unique_keys:
            none = caption(self)
            none.setText(tr("None"))
            self._layout.addWidget(none)
        for key in table.unique_keys:
            self._layout.addWidget(self._line(table, key, editable=editable))

    def _line(self, table: Table, key: UniqueKey, *, editable: bool) -> QWidget:
        line = QWidget(self)
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(TIGHT)
        names = (table.by_key[column].name for column in key.column_keys)
        label = Label(" + ".join(names) or "?", line)
        label.setToolTip(key.name)
        layout.addWidget(label, stretch=1)
        if editable:
            button = IconButton(icon("close", self._appearance), tr("Remove this key"), line)
            button.clicked.connect(partial(self.removed.emit, RemoveUniqueKey(key.ref(table.key))))
            layout.addWidget(button)
        return line
