"""The form of a table: name, comment, options, columns and unique keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QKeyCombination, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QRegularExpressionValidator
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Column, Document, Table, UniqueKey
from cdb_desktop.schema.document.names import OPTIONS, columns_name, own_name
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    AddUniqueKey,
    ChangeType,
    MoveEntries,
    RemoveUniqueKey,
    RenameColumn,
    SetColumnOptions,
    SetLinkTarget,
    SeveralEdits,
    change_types,
    require_columns,
)
from cdb_desktop.schema.edits.edit import NEW_COLUMN_TYPE, Edit
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.columns_grid import ColumnsGrid
from cdb_desktop.ui.schema.form.fields import FilterField, TextField, section_label, show_checked
from cdb_desktop.ui.schema.form.layout import (
    FormHeading,
    FormPage,
    FormRequests,
    LocalNameFields,
    NarrowForm,
    offer_option,
    place_in_tab_order,
)
from cdb_desktop.ui.schema.form.type_choices import LinkTarget, target_choices, type_choices, types_for
from cdb_desktop.ui.schema.page.state import UNREAD, PageState, entry_of
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice, Field
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named

_OPTIONS = (
    *("is_hierarchical", "polyhierarchical", "pool_link", "acl_table"),
    *("has_tags", "in_main_search", "in_facets", "require_comment"),
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
        self._page = UNREAD
        self._heading = FormHeading(self)
        self.name, self.comment = TextField(), TextField()
        self._fields = NarrowForm(
            appearance,
            "schema.table",
            self,
            Field("name", self.name, tr("Name")),
            Field("comment", self.comment, tr("Comment")),
        )
        self.local_names = LocalNameFields(appearance, self)
        self.use = named("schema.table.use", Label(self))
        self.use.setWordWrap(True)
        self.use.hide()
        self._options_title = section_label(tr("Options"), self)
        self.options = {name: QCheckBox(str(OPTIONS[name])) for name in _OPTIONS}
        self._options = NarrowForm(
            appearance,
            "schema.table",
            self,
            *(
                Field(name, box, None, visible_if=partial(self._is_offered, name))
                for name, box in self.options.items()
            ),
        )
        adding = [ActionButton(actions[name], self) for name in ("column_new", "link_new")]
        self._move_buttons = [IconButton(icon(name, appearance), "", self) for name in ("up", "down")]
        self.grid = ColumnsGrid(appearance, self._types, self)
        self.keys = UniqueKeyList(appearance, self)
        self._make_unique = QToolButton(self)
        self._arrange(adding)
        self._connect()
        self.setAccessibleName(tr("Table"))
        for button, text in zip(self._move_buttons, (tr("Move up"), tr("Move down")), strict=True):
            button.setToolTip(f"{text} ({_move_shortcut(button is self._move_buttons[0])})")
            button.setAccessibleName(text)

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
        for line in (self.name, self.comment):
            line.setReadOnly(not editable)
        for option, box in self.options.items():
            show_checked(box, on=table.flag(option))
            offer_option(page, option, box, is_set=box.isChecked())
        self._options.update_rows()
        self._options.setEnabled(editable)
        for widget in (self._options_title, self._options):
            widget.setVisible(not table.is_nested)
        self.grid.show_table(document, table, editable=editable)
        self.grid.setFixedHeight(self.grid.sizeHint().height())
        self.keys.show_keys(table, editable=editable)
        for button in (self._make_unique, *self._move_buttons):
            button.setEnabled(editable)

    def show_use(self, text: str) -> None:
        """Shows the use of the table in words, or nothing."""
        self.use.setText(text)
        self.use.setVisible(bool(text))

    def _types(self, column: Column) -> list[tuple[str, object]]:
        """The types that a column can have, with the tables that it can link to."""
        page = self._page
        if page.selected_table is None:
            return type_choices([column.type])
        table = page.document.by_key[page.selected_table]
        types = types_for(page.document, page.editing.current, table, column)
        targets = target_choices(page.document) if "link" in types else []
        return [*type_choices([type_ for type_ in types if type_ != "link" or not targets]), *targets]

    def _arrange(self, adding: list[ActionButton]) -> None:
        self.add(self._heading)
        self.add(self.use)
        self.add(self._fields)
        self.add(self.local_names)
        self.add(self._options_title, gap=GAP)
        self.add(self._options)
        self.add_row(section_label(tr("Columns"), self), *adding, *self._move_buttons, gap=GAP)
        self.add(self.grid)
        self.add(section_label(tr("Unique keys"), self), gap=GAP)
        self.add(self.keys)
        self._make_unique.setText(tr("Make selected columns unique"))
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
            box.toggled.connect(lambda on, name=option: self._set_option(name, on))
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
        found = (entry_of(page.document, ref) for ref in refs)
        edit = MoveEntries(self._key(), tuple(each[1] for each in found if each is not None), row)
        if edit.apply_to(page.document) is not page.document:
            self._request(edit)

    def _edit_several(self, columns: tuple[Column, ...]) -> None:
        table = self._page.document.by_key[self._key()]
        choices = [choice for choice in self._types(columns[0]) if choice in self._types(columns[-1])]
        for column in columns[1:-1]:
            possible = set(self._types(column))
            choices = [choice for choice in choices if choice in possible]
        dialog = ColumnsDialog(self._appearance, self, table, columns, choices)
        dialog.decided.connect(partial(self._apply_to_several, columns))
        dialog.open()

    def _apply_to_several(self, columns: tuple[Column, ...], chosen: ChosenOptions) -> None:
        edit = edit_of_columns(self._page.document.by_key[self._key()], columns, chosen)
        if edit is not None:
            self._request(edit)

    def _require(self, columns: tuple[Column, ...], on: bool) -> None:
        if len(columns) == 1:
            self._request(SetColumnOptions(self._ref(columns[0]), {"not_null": on}))
        else:
            keys = tuple(column.key for column in columns)
            self._request(require_columns(self._page.document, self._key(), keys, on=on))

    def _is_offered(self, option: str) -> bool:
        """Whether an option makes sense, or is on nevertheless."""
        if option != "polyhierarchical":
            return True
        return self.options["is_hierarchical"].isChecked() or self.options[option].isChecked()

    def _set_option(self, option: str, on: bool) -> None:
        self._request(SetTableOptions(self._key(), {option: on}))

    def _add_key(self) -> None:
        columns = self.grid.selected_columns()
        if columns:
            self._request(AddUniqueKey(UniqueKeyRef(self._key(), columns)))

    def _key(self) -> int:
        return self._page.selected_table or 0

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
        self._layout = lay_out(QVBoxLayout(self))

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
        place_in_tab_order(self, self.findChildren(IconButton))

    def _line(self, table: Table, key: UniqueKey, *, editable: bool) -> QWidget:
        line = QWidget(self)
        layout = lay_out(QHBoxLayout(line), spacing=TIGHT)
        names = (table.by_key[column].name for column in key.column_keys)
        label = Label(" + ".join(names) or "?", line)
        label.setToolTip(key.name)
        layout.addWidget(label, stretch=1)
        if editable:
            button = IconButton(icon("close", self._appearance), tr("Remove this key"), line)
            button.clicked.connect(partial(self.removed.emit, RemoveUniqueKey(key.ref(table.key))))
            layout.addWidget(button)
        return line


_UNCHANGED = "unchanged"
_LENGTHS = ("length_min", "length_max")


@dataclass(frozen=True, slots=True)
class ChosenOptions:
    """What all columns get: a type or LinkTarget, whether each is unique (None: as before), and options."""

    type: object = None
    unique: bool | None = None
    options: Mapping[str, object] = field(default_factory=dict)


class ColumnsDialog(BaseDialog):
    """Type and options of several columns; what is not touched stays as it is in each of them.

    Signals: ``decided`` with ChosenOptions.
    """

    decided = Signal(object)

    def __init__(
        self,
        appearance: Appearance,
        parent: QWidget,
        table: Table,
        columns: tuple[Column, ...],
        types: list[tuple[str, object]],
    ) -> None:
        """``types`` are the types that all of the columns can have."""
        super().__init__(appearance, "schema.several", parent)
        title = tr("Edit {count:one column|{count} columns} of {table}", count=len(columns), table=table.name)
        text = columns_name(table, (column.key for column in columns)).partition(".")[2]
        self.set_texts(title, text, tr("Apply"))
        self._columns = columns
        self.type = FilterField("schema.several.type")
        self.type.show_choices([(_unchanged(), None), *types], None)
        yes_or_no: list[tuple[str, object]] = [(tr("Yes"), True), (tr("No"), False)]
        self.required, self.unique = _optional(yes_or_no), _optional(yes_or_no)
        checks: list[tuple[str, object]] = [
            (tr("anything"), None),
            (tr("not empty"), "not_empty"),
            (tr("an e-mail address"), "email"),
        ]
        self.check = _optional(checks)
        self.lengths = {name: self._number(name) for name in _LENGTHS}
        self.add_form(
            Field("type", self.type, tr("Type")),
            Field("not_null", self.required, str(OPTIONS["not_null"])),
            Field("unique", self.unique, tr("Each one unique")),
            Field("check", self.check, str(OPTIONS["check"])),
            *(Field(name, edit, str(OPTIONS[name])) for name, edit in self.lengths.items()),
        )
        self.accept_button.clicked.connect(self._decide)
        self.type.setFocus()

    @property
    def chosen(self) -> ChosenOptions:
        """What has been chosen."""
        options: dict[str, object] = {}
        if self.required.value != _UNCHANGED:
            options["not_null"] = self.required.value
        if self.check.value != _UNCHANGED:
            options["check"] = self.check.value
        for name, edit in self.lengths.items():
            if edit.isModified():
                options[name] = int(edit.text()) if edit.text() else None
        unique = self.unique.value
        return ChosenOptions(self.type.chosen, None if unique == _UNCHANGED else bool(unique), options)

    def _number(self, name: str) -> QLineEdit:
        found = QLineEdit(maxLength=9)
        found.setValidator(QRegularExpressionValidator(r"\d*", found))
        values = {column.raw.get(name) for column in self._columns}
        only = next(iter(values)) if len(values) == 1 else None
        found.setText("" if only is None else str(only))
        found.setPlaceholderText("" if len(values) == 1 else _unchanged())
        return found

    def _decide(self) -> None:
        chosen = self.chosen
        self.accept()
        self.decided.emit(chosen)


def edit_of_columns(table: Table, columns: tuple[Column, ...], chosen: ChosenOptions) -> Edit | None:
    """The edit that makes the change in all columns, None if it changes nothing."""
    edits: list[Edit] = []
    for column in columns:
        ref, key = ColumnRef(table.key, column.key), UniqueKeyRef(table.key, (column.key,))
        if isinstance(chosen.type, LinkTarget):
            target = chosen.type.table
            edits.append(SetLinkTarget(ref, target) if column.is_link else ChangeType(ref, "link", target))
        elif chosen.type is not None and chosen.type != column.type:
            edits.append(ChangeType(ref, str(chosen.type)))
        options = {name: value for name, value in chosen.options.items() if column.raw.get(name) != value}
        if options:
            edits.append(SetColumnOptions(ref, options))
        is_unique = any(each.column_keys == (column.key,) for each in table.unique_keys)
        if chosen.unique is not None and chosen.unique != is_unique:
            edits.append(AddUniqueKey(key) if chosen.unique else RemoveUniqueKey(key))
    heading = message(
        "Change {count:a column|{count} columns} of {table}", count=len(columns), table=table.name
    )
    return SeveralEdits(heading, tuple(edits)) if edits else None


def _optional(choices: list[tuple[str, object]]) -> Choice:
    found = Choice(characters=8)
    found.show_choices([(_unchanged(), _UNCHANGED), *choices], _UNCHANGED)
    return found


def _unchanged() -> str:
    return tr("as it is")
