"""The dialog that resolves unknown types and link targets of pasted columns, each once for all columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QScrollArea, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.schema.form.fields import FilterField
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW, TIGHT
from cdb_desktop.ui.theme.style_sheets import SLIM_SCROLL_BAR
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.labels import Label

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
        self.types: dict[str, FilterField] = {}
        self.targets: dict[str, FilterField] = {}
        content = QWidget(self)
        self._form = QFormLayout(content)
        self._form.setContentsMargins(0, 0, GAP, 0)
        self._form.setHorizontalSpacing(GAP)
        self._form.setVerticalSpacing(TIGHT + 2)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for unknown, count in types[0].items():
            self.types[unknown] = self._field(tr("Type"), unknown, count, types[1])
        for unknown, count in targets[0].items():
            self.targets[unknown] = self._field(tr("Links to"), unknown, count, targets[1])
        self._add(content)
        self.accept_button.clicked.connect(self._finish)
        self._check()
        next(iter((*self.types.values(), *self.targets.values()))).setFocus()

    def _field(self, what: str, unknown: str, count: int, choices: Choices) -> FilterField:
        shown = unknown if len(unknown) <= _LONGEST else f"{unknown[:_LONGEST]}…"
        text = tr("{what} “{text}”, {count:1 column|{count} columns}", what=what, text=shown, count=count)
        field = FilterField("schema.paste.choice", self)
        field.setAccessibleName(text)
        field.setPlaceholderText(tr("Choose or type"))
        field.show_choices(choices, None)
        field.decided.connect(self._check)
        label = Label(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setBuddy(field)
        self._form.addRow(label, field)
        return field

    def _add(self, content: QWidget) -> None:
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.verticalScrollBar().setStyleSheet(SLIM_SCROLL_BAR)
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
