"""The dialog that changes type and options of several columns together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from cdb_desktop.foundation.i18n import message, tr
from cdb_desktop.schema.document.element_ref import ColumnRef, UniqueKeyRef
from cdb_desktop.schema.document.model import Column, Table
from cdb_desktop.schema.document.names import columns_name
from cdb_desktop.schema.edits.columns import AddUniqueKey, RemoveUniqueKey, SetColumnOptions
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.links import ChangeType, SetLinkTarget
from cdb_desktop.schema.edits.several import SeveralEdits
from cdb_desktop.ui.schema.form.fields import ChoiceField, FilterField
from cdb_desktop.ui.schema.form.type_choices import LinkTarget
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.object_names import named

_UNCHANGED = "unchanged"
_LENGTHS = ("length_min", "length_max")
_NUMBERS_ONLY = "0123456789"


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
        self.type = FilterField("schema.several.type", self)
        self.type.show_choices([(_unchanged(), None), *types], None)
        self.required = self._choice("not_null", [(tr("Yes"), True), (tr("No"), False)])
        self.unique = self._choice("unique", [(tr("Yes"), True), (tr("No"), False)])
        checks: list[tuple[str, object]] = [
            (tr("anything"), None),
            (tr("not empty"), "not_empty"),
            (tr("an e-mail address"), "email"),
        ]
        self.check = self._choice("check", checks)
        self.lengths = {name: self._number(name) for name in _LENGTHS}
        self._add_rows()
        self.accept_button.clicked.connect(self._decide)
        self.type.setFocus()

    @property
    def chosen(self) -> ChosenOptions:
        """What has been chosen."""
        options: dict[str, object] = {}
        if self.required.currentData() != _UNCHANGED:
            options["not_null"] = self.required.currentData()
        if self.check.currentData() != _UNCHANGED:
            options["check"] = self.check.currentData()
        for name, edit in self.lengths.items():
            if edit.isModified():
                options[name] = int(edit.text()) if edit.text() else None
        unique = self.unique.currentData()
        return ChosenOptions(self.type.chosen, None if unique == _UNCHANGED else bool(unique), options)

    def _choice(self, name: str, choices: list[tuple[str, object]]) -> ChoiceField:
        found = ChoiceField(f"schema.several.{name}", self)
        found.show_choices([(_unchanged(), _UNCHANGED), *choices], _UNCHANGED)
        return found

    def _number(self, name: str) -> QLineEdit:
        found = named(f"schema.several.{name}", QLineEdit(self))
        values = {column.raw.get(name) for column in self._columns}
        only = next(iter(values)) if len(values) == 1 else None
        found.setText("" if only is None else str(only))
        found.setPlaceholderText("" if len(values) == 1 else _unchanged())
        found.setMaxLength(9)
        found.textEdited.connect(lambda text: self._keep_digits(found, text))
        return found

    def _keep_digits(self, edit: QLineEdit, text: str) -> None:
        digits = "".join(letter for letter in text if letter in _NUMBERS_ONLY)
        if digits != text:
            edit.setText(digits)
            edit.setModified(True)

    def _add_rows(self) -> None:
        content = QWidget(self)
        form = QFormLayout(content)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(GAP)
        form.setVerticalSpacing(TIGHT + 2)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows: list[tuple[str, QWidget]] = [
            (tr("Type"), self.type),
            (tr("Must have a value"), self.required),
            (tr("Each one unique"), self.unique),
            (tr("Values"), self.check),
            (tr("Minimum length"), self.lengths["length_min"]),
            (tr("Maximum length"), self.lengths["length_max"]),
        ]
        for text, widget in rows:
            label = Label(text, content)
            label.setBuddy(widget)
            widget.setAccessibleName(text)
            form.addRow(label, widget)
        self.body.addWidget(content)

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


def _unchanged() -> str:
    return tr("as it is")
