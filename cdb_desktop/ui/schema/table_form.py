"""The form of a table: name, comment, options, columns and unique keys."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from cdb_desktop.schema.document.element_ref import ColumnRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Column, Table
from cdb_desktop.schema.document.names import own_name
from cdb_desktop.schema.edits.columns import AddUniqueKey, RenameColumn, RequireColumns, SetColumnOptions
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.links import ChangeType
from cdb_desktop.schema.edits.tables import RenameTable, SetTableOptions
from cdb_desktop.ui.actions import Actions
from cdb_desktop.ui.schema.column_choices import types_for
from cdb_desktop.ui.schema.columns_grid import ColumnsGrid
from cdb_desktop.ui.schema.fields import TextField, Tick, section
from cdb_desktop.ui.schema.form_parts import FormSheet, Heading, Wishes
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.schema.unique_keys import UniqueKeys
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.buttons import ActionButton, IconButton
from cdb_desktop.ui.widgets.labels import Label

_OPTIONS = (
    "is_hierarchical",
    "pool_link",
    "acl_table",
    "has_tags",
    "in_main_search",
    "in_facets",
    "require_comment",
)


class TableForm(FormSheet):
    """All of one table."""

    def __init__(
        self, appearance: Appearance, actions: Actions, wishes: Wishes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self.setObjectName("schema.table")
        self._page: Page | None = None
        self._heading = Heading(self)
        self.name = TextField("schema.table.name", self)
        self.comment = TextField("schema.table.comment", self)
        self._labels = [Label(self), Label(self)]
        self._sections = [section(self) for _ in range(3)]
        self.options = {option: Tick(f"schema.table.{option}", self) for option in _OPTIONS}
        self.grid = ColumnsGrid(appearance, self._types, self)
        self.keys = UniqueKeys(appearance, self)
        self._make_unique = QToolButton(self)
        self._moving = [IconButton(icon(name, appearance), "", self) for name in ("up", "down")]
        self._arrange(actions)
        self._connect()
        self.retranslate()

    def show_table(self, page: Page, table: Table) -> None:
        """Shows a table; what is being typed stays."""
        self._page = page
        document, editable = page.document, page.is_editable
        owner = None if table.owner is None else document.by_key.get(table.owner)
        kind = self.tr("Nested table") if table.is_nested else self.tr("Table")
        self._heading.show_heading(kind, table.name)
        self.name.show_text(own_name(table.name, owner.name) if owner else table.name)
        self.comment.show_text(str(table.raw.get("comment") or ""))
        for field in (self.name, self.comment):
            field.setReadOnly(not editable)
        for option, tick in self.options.items():
            tick.show_answer(on=table.flag(option))
            tick.setVisible(not table.is_nested)
            tick.setEnabled(editable)
        self._sections[0].setVisible(not table.is_nested)
        self.grid.show_table(document, table, editable=editable)
        self.grid.setFixedHeight(self.grid.sizeHint().height())
        self.keys.show_keys(table, editable=editable)
        for button in (self._make_unique, *self._moving):
            button.setEnabled(editable)

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self.setAccessibleName(self.tr("Table"))
        for label, text in zip(self._labels, (self.tr("Name"), self.tr("Comment")), strict=True):
            label.setText(text)
        titles = (self.tr("Options"), self.tr("Columns"), self.tr("Unique keys"))
        for head, text in zip(self._sections, titles, strict=True):
            head.setText(text)
        texts = {
            "is_hierarchical": self.tr("Hierarchical"),
            "pool_link": self.tr("In pools"),
            "acl_table": self.tr("Rights for each object"),
            "has_tags": self.tr("Tags"),
            "in_main_search": self.tr("In the main search"),
            "in_facets": self.tr("In facets"),
            "require_comment": self.tr("Changes need a comment"),
        }
        for option, text in texts.items():
            self.options[option].setText(text)
            self.options[option].setToolTip(option)
        for button, text in zip(self._moving, (self.tr("Move up"), self.tr("Move down")), strict=True):
            button.setToolTip(f"{text} ({_keys(button is self._moving[0])})")
            button.setAccessibleName(text)
        self._make_unique.setText(self.tr("Make selected columns unique"))

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
        for tick in self.options.values():
            self.add(tick)
        adding = (ActionButton(actions[name], self) for name in ("column_new", "link_new"))
        self.add_beside(self._sections[1], *adding, *self._moving, gap=GAP)
        self.add(self.grid)
        self.add(self._sections[2], gap=GAP)
        self.add(self.keys)
        self._make_unique.setAutoRaise(True)
        self._make_unique.setObjectName("schema.table.unique")
        self.add(self._make_unique)
        self.end()

    def _connect(self) -> None:
        self.name.decided.connect(lambda name: self._ask(RenameTable(self._key(), name)))
        self.comment.decided.connect(
            lambda text: self._ask(SetTableOptions(self._key(), {"comment": text or None}))
        )
        for option, tick in self.options.items():
            tick.decided.connect(partial(self._set_option, option))
        columns = self.grid.columns
        columns.renamed.connect(lambda column, name: self._ask(RenameColumn(self._place(column), name)))
        columns.retyped.connect(self._retype)
        self.grid.required.connect(self._require)
        self.grid.opened.connect(self._wishes.chosen)
        self.grid.removal_requested.connect(self._wishes.removal_requested)
        self.grid.move_requested.connect(self._wishes.move_requested)
        for button, step in zip(self._moving, (-1, 1), strict=True):
            button.clicked.connect(partial(self.grid.move_rows, step))
        self.keys.removed.connect(self._wishes.edit_requested)
        self._make_unique.clicked.connect(self._add_key)

    def _retype(self, column: Column, type_: str) -> None:
        if type_ == "link":
            self._wishes.link_requested.emit(self._place(column))
        else:
            self._ask(ChangeType(self._place(column), type_))

    def _require(self, columns: tuple[Column, ...], on: bool) -> None:
        if len(columns) == 1:
            self._ask(SetColumnOptions(self._place(columns[0]), {"not_null": on}))
        else:
            self._ask(RequireColumns(self._key(), tuple(column.key for column in columns), on))

    def _set_option(self, option: str, on: bool) -> None:
        self._ask(SetTableOptions(self._key(), {option: on}))

    def _add_key(self) -> None:
        columns = self.grid.selected_columns()
        if columns:
            self._ask(AddUniqueKey(UniqueKeyRef(self._key(), columns)))

    def _key(self) -> int:
        return (self._page.selected_table if self._page else None) or 0

    def _place(self, column: Column) -> ColumnRef:
        return ColumnRef(self._key(), column.key)

    def _ask(self, edit: Edit) -> None:
        self._wishes.edit_requested.emit(edit)


def _keys(up: bool) -> str:
    key = Qt.Key.Key_Up if up else Qt.Key.Key_Down
    sequence = QKeySequence(QKeyCombination(Qt.KeyboardModifier.AltModifier, key))
    return sequence.toString(QKeySequence.SequenceFormat.NativeText)
