"""The form of a column: name, type, where it links to, what its values must fulfil."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Column, Table
from cdb_desktop.schema.edits.columns import AddUniqueKey, RemoveUniqueKey, RenameColumn, SetColumnOptions
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.links import ChangeType, SetLinkTarget, SetReverseEdit
from cdb_desktop.ui.schema.check_fields import CheckFields
from cdb_desktop.ui.schema.column_choices import targets_of, type_choices, types_for
from cdb_desktop.ui.schema.fields import FilterChoice, TextField, Tick, section
from cdb_desktop.ui.schema.form_parts import FormSheet, Heading, Wishes
from cdb_desktop.ui.schema.page import Page
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.labels import Label


class ColumnForm(FormSheet):
    """All of one column."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self.setObjectName("schema.column")
        self._place = ColumnRef(0, 0)
        self._type = ""
        self._back = QPushButton(self)
        self._heading = Heading(self)
        self.name = TextField("schema.column.name", self)
        self.type = FilterChoice("schema.column.type", self)
        self.target = FilterChoice("schema.column.target", self)
        self._labels = [Label(self) for _ in range(3)]
        self.required = Tick("schema.column.not_null", self)
        self.unique = Tick("schema.column.unique", self)
        self.reverse = Tick("schema.column.reverse_edit", self)
        self._rules = section(self)
        self.checks = CheckFields(self)
        self._arrange()
        self._connect()
        self.retranslate()

    def show_column(self, page: Page, table: Table, column: Column) -> None:
        """Shows a column; what is being typed stays."""
        self._place = ColumnRef(table.key, column.key)
        self._type = column.type
        self._back.setText(f"‹ {table.name}")
        self._heading.show_heading(self.tr("Link") if column.is_link else self.tr("Column"), column.name)
        self.name.show_text(column.name)
        types = types_for(page.document, page.editing.current, table, column)
        self.type.show_choices(type_choices(types), column.type)
        self._show_link(page, table, column)
        self.required.show_answer(on=column.flag("not_null"))
        self.unique.show_answer(on=any(key.column_keys == (column.key,) for key in table.unique_keys))
        self.checks.show_column(column)
        self._enable(editable=page.is_editable)

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        self.setAccessibleName(self.tr("Column"))
        texts = (self.tr("Name"), self.tr("Type"), self.tr("Links to"))
        for label, text in zip(self._labels, texts, strict=True):
            label.setText(text)
        for field, text in zip((self.name, self.type, self.target), texts, strict=True):
            field.setAccessibleName(text)
        self.required.setText(self.tr("Must have a value"))
        self.unique.setText(self.tr("Unique: no two rows have the same"))
        self.reverse.setText(self.tr("Edit in the table that it links to"))
        self._rules.setText(self.tr("Checks"))
        self._back.setToolTip(self.tr("Back to the table"))
        self.checks.retranslate()

    def _show_link(self, page: Page, table: Table, column: Column) -> None:
        keys = table.links.get(column.key, ())
        self.target.show_choices(targets_of(page.document), keys[0].target if keys else None)
        self.reverse.show_answer(on=column.flag("reverse_edit"))
        for widget in (self._labels[2], self.target, self.reverse):
            widget.setVisible(column.is_link)
        self._rules.setVisible(not column.is_link)
        self.checks.setVisible(not column.is_link)

    def _enable(self, *, editable: bool) -> None:
        self.name.setReadOnly(not editable)
        for widget in (self.type, self.target, self.required, self.unique, self.reverse, self.checks):
            widget.setEnabled(editable)

    def _arrange(self) -> None:
        self._back.setFlat(True)
        self._back.setFixedHeight(ROW)
        self._back.setObjectName("schema.column.table")
        self._back.setStyleSheet(
            "QPushButton { text-align: left; padding: 0; border: none; color: palette(link); }"
        )
        self.add(self._back)
        self.add(self._heading)
        self.add_rows(list(zip(self._labels, (self.name, self.type, self.target), strict=True)))
        for place, tick in enumerate((self.required, self.unique, self.reverse)):
            self.add(tick, gap=0 if place else GAP)
        self.add(self._rules, gap=GAP)
        self.add(self.checks)
        self.end()

    def _connect(self) -> None:
        self._back.clicked.connect(lambda: self._wishes.chosen.emit(TableRef(self._place.table)))
        self.name.decided.connect(lambda name: self._ask(RenameColumn(self._place, name)))
        self.type.decided.connect(self._retype)
        self.target.decided.connect(lambda table: self._ask(SetLinkTarget(self._place, table)))
        self.required.decided.connect(lambda on: self._ask(SetColumnOptions(self._place, {"not_null": on})))
        self.unique.decided.connect(self._set_unique)
        self.reverse.decided.connect(lambda on: self._ask(SetReverseEdit(self._place, on)))
        self.checks.decided.connect(lambda options: self._ask(SetColumnOptions(self._place, options)))

    def _retype(self, type_: str) -> None:
        if type_ == "link" and self._type != "link":
            self._wishes.link_requested.emit(self._place)
        elif type_ != self._type:
            self._ask(ChangeType(self._place, type_))

    def _set_unique(self, on: bool) -> None:
        place = UniqueKeyRef(self._place.table, (self._place.column,))
        self._ask(AddUniqueKey(place) if on else RemoveUniqueKey(place))

    def _ask(self, edit: Edit) -> None:
        self._wishes.edit_requested.emit(edit)
