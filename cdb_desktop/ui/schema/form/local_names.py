"""The localized names of an element in a form, one field for each language, and the masks that show it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.model import NamedRef
from cdb_desktop.schema.edits.columns import SetLocalName
from cdb_desktop.ui.schema.form.fields import TextField, section_label
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.labels import Label, caption


class LocalNameFields(QWidget):
    """Shows and edits the names; where they cannot be edited it says why.

    Signals: ``edit_requested`` with a SetLocalName.
    """

    edit_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("schema.local_names")
        self._ref: NamedRef | None = None
        self._fields: dict[str, TextField] = {}
        self._title = section_label(self)
        self._note = caption(self)
        self._note.setWordWrap(True)
        self._masks = caption(self)
        self._masks.setWordWrap(True)
        self._rows = QFormLayout()
        self._rows.setHorizontalSpacing(GAP)
        self._rows.setVerticalSpacing(TIGHT + 2)
        self._rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, GAP, 0, 0)
        layout.setSpacing(TIGHT)
        layout.addWidget(self._title)
        layout.addLayout(self._rows)
        layout.addWidget(self._note)
        layout.addWidget(self._masks)

    def show_names(self, page: PageState, ref: NamedRef) -> None:
        """Shows the names of an element. Text that is being typed is kept."""
        self._ref = ref
        names, document = page.checks.names, page.document
        languages = () if names is None else names.languages(document)
        self._make_fields(languages)
        texts = page.localized_names(ref)
        for language, field in self._fields.items():
            field.show_text(texts.get(language, ""))
            field.setReadOnly(not page.is_editable)
        self._title.setText(tr("Localized names"))
        self._note.setText("" if languages else _why_not(page))
        self._note.setVisible(not languages)
        masks = page.masks.of(ref)
        self._masks.setText(tr("In masks, which follow a new name: {masks}", masks=", ".join(masks)))
        self._masks.setVisible(bool(masks))

    def _make_fields(self, languages: tuple[str, ...]) -> None:
        if tuple(self._fields) == languages:
            return
        while self._rows.rowCount():
            self._rows.removeRow(0)
        self._fields.clear()
        for language in languages:
            field = TextField(f"schema.local_name.{language}", self)
            field.setAccessibleName(tr("Name in {language}", language=language))
            field.decided.connect(partial(self._request, language))
            label = Label(language, self)
            label.setBuddy(field)
            self._rows.addRow(label, field)
            self._fields[language] = field

    def _request(self, language: str, text: str) -> None:
        if self._ref is not None:
            self.edit_requested.emit(SetLocalName(self._ref, language, text))


def _why_not(page: PageState) -> str:
    if page.checks.names is not None:
        return tr("The model has no languages, so there is nothing to translate into.")
    if page.file:
        return tr("This file has no part for them; exports of a service do.")
    return tr("The service does not offer them; they can be edited in a model file that was exported.")
