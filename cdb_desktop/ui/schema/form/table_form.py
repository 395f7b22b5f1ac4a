"""The form of a table: name, comment, options, columns and unique keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.element_ref import ColumnRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Column, Table, UniqueKey
from cdb_desktop.schema.document.names import own_name
from cdb_desktop.schema.edits.columns import (
    AddUniqueKey,
    RemoveUniqueKey,
    RenameColumn,
    RequireColumns,
    SetColumnOptions,
)
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.links import ChangeType
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.form.columns_grid import ColumnsGrid
from cdb_desktop.ui.schema.form.fields import CheckField, TextField, section_label
from cdb_desktop.ui.schema.form.layout import FormHeading, FormPage, FormRequests
from cdb_desktop.ui.schema.form.type_choices import types_for
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.labels import Label, caption

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
        self._requests = requests
        self.setObjectName("schema.table")
        self._page: PageState | None = None
        self._heading = FormHeading(self)
        self.name = TextField("schema.table.name", self)
        self.comment = TextField("schema.table.comment", self)
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

    def _types(self, column: Column) -> list[str]:
        page = self._page
        if page is None or page.selected_table is None:
            return [column.type]
        table = page.document.by_key[page.selected_table]
        return types_for(page.document, page.editing.current, table, column)

    def _arrange(self, actions: Actions) -> None:
        self.add(self._heading)
        self.add_rows(list(zip(self._labels, (self.name, self.comment), strict=True)))
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
        self.comment.decided.connect(
            lambda text: self._request(SetTableOptions(self._key(), {"comment": text or None}))
        )
        for option, box in self.options.items():
            box.decided.connect(partial(self._set_option, option))
        columns = self.grid.columns
        columns.renamed.connect(lambda column, name: self._request(RenameColumn(self._ref(column), name)))
        columns.retyped.connect(self._retype)
        self.grid.required.connect(self._require)
        self.grid.opened.connect(self._requests.chosen)
        self.grid.removal_requested.connect(self._requests.removal_requested)
        self.grid.move_requested.connect(self._requests.move_requested)
        for button, step in zip(self._move_buttons, (-1, 1), strict=True):
            button.clicked.connect(partial(self.grid.move_rows, step))
        self.keys.removed.connect(self._requests.edit_requested)
        self._make_unique.clicked.connect(self._add_key)

    def _retype(self, column: Column, type_: str) -> None:
        if type_ == "link":
            self._requests.link_requested.emit(self._ref(column))
        else:
            self._request(ChangeType(self._ref(column), type_))

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
