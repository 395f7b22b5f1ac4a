"""The layout of the forms, and the signals of what is requested in them."""

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.document.model import NamedRef
from cdb_desktop.schema.edits.columns import SetLocalName
from cdb_desktop.ui.schema.form.fields import TextField, section_label
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, HEAD, TIGHT, scaled
from cdb_desktop.ui.widgets.form import Field, Form
from cdb_desktop.ui.widgets.labels import Label, caption
from cdb_desktop.ui.widgets.layout import lay_out


class FormRequests(QObject):
    """The signals of all forms; they share one object.

    Signals: ``edit_requested`` with an Edit · ``chosen`` with an ElementRef · ``link_requested`` with the
    ColumnRef of a column that becomes a link · ``removal_requested`` with a tuple of ElementRefs ·
    ``move_requested`` with a tuple of ElementRefs of one table and the number of entries to go ·
    ``rows_pasted`` for the clipboard · ``rows_dropped`` with the bytes of a copy and the row where it goes.
    """

    edit_requested = Signal(object)
    chosen = Signal(object)
    link_requested = Signal(object)
    removal_requested = Signal(object)
    move_requested = Signal(object, int)
    rows_pasted = Signal()
    rows_dropped = Signal(object, int)


class FormPage(QScrollArea):
    """A form: widgets below one another that scroll if there is not enough height."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(self.horizontalScrollBarPolicy().ScrollBarAlwaysOff)
        self._content = QWidget(self)
        self._layout = lay_out(
            QVBoxLayout(self._content), margins=(GROUP, GAP + TIGHT, GROUP, GROUP), spacing=TIGHT
        )
        self.setWidget(self._content)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The width of the widest widget and a scroll bar, so that nothing is clipped."""
        width = self._content.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(width, super().minimumSizeHint().height())

    def add(self, widget: QWidget, *, gap: int = 0) -> None:
        """Adds a widget below the others, after ``gap`` pixels."""
        if gap:
            self._layout.addSpacing(gap)
        self._layout.addWidget(widget)

    def add_row(self, *widgets: QWidget, gap: int = 0) -> None:
        """Adds widgets in one row; the first one is stretched."""
        row = lay_out(QHBoxLayout(), margins=(0, gap, 0, 0), spacing=TIGHT)
        for index, widget in enumerate(widgets):
            row.addWidget(widget, stretch=int(index == 0))
        self._layout.addLayout(row)

    def add_stretch(self) -> None:
        """Fills the rest of the height."""
        self._layout.addStretch(1)


class NarrowForm(Form):
    """A form for a narrow panel."""

    def __init__(self, appearance: Appearance, name: str, parent: QWidget, *fields: Field) -> None:
        super().__init__(appearance, name, *fields, parent=parent)
        self.rows.setHorizontalSpacing(GAP)
        self.rows.setVerticalSpacing(TIGHT + 2)


def place_in_tab_order(container: QWidget, widgets: Iterable[QWidget]) -> None:
    """Tab reaches widgets that were made later where their container is, not after the whole window."""
    before = container
    while before.focusPolicy() == Qt.FocusPolicy.NoFocus:
        before = before.previousInFocusChain() or container
    for widget in widgets:
        QWidget.setTabOrder(before, widget)
        before = widget


def offer_option(page: PageState, option: str, widget: QWidget, *, is_set: bool) -> None:
    """Disables an option that the service does not describe, unless it is set."""
    is_known = page.describes(option)
    widget.setEnabled(is_known or is_set)
    widget.setToolTip(option if is_known else tr("This service does not know this option."))


class FormHeading(QWidget):
    """The heading of a form: the kind of the element and its name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = caption(self)
        self._name = Label(self)
        self._name.setFont(scaled(self.font(), HEAD, QFont.Weight.DemiBold))
        lay_out(QVBoxLayout(self), self._kind, self._name, margins=(0, 0, 0, TIGHT))

    def show_heading(self, kind: str, name: str) -> None:
        """Shows both; a long name is clipped and shown in the tooltip."""
        self._kind.setText(kind)
        self._name.setToolTip(name)
        self._name.setText(name)
        self._name.setMinimumWidth(0)
        self._name.setSizePolicy(
            self._name.sizePolicy().Policy.Ignored, self._name.sizePolicy().verticalPolicy()
        )


class LocalNameFields(QWidget):
    """Shows and edits the names; where they cannot be edited it says why.

    Signals: ``edit_requested`` with a SetLocalName.
    """

    edit_requested = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.local_names")
        self._appearance = appearance
        self._ref: NamedRef | None = None
        self._fields: dict[str, TextField] = {}
        self._note = caption(self)
        self._note.setWordWrap(True)
        self._masks = caption(self)
        self._masks.setWordWrap(True)
        self._form = NarrowForm(appearance, "schema.local_name", self)
        self._layout = layout = lay_out(QVBoxLayout(self), margins=(0, GAP, 0, 0), spacing=TIGHT)
        layout.addWidget(section_label(tr("Localized names"), self))
        layout.addWidget(self._form)
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
        self._note.setText("" if languages else _why_not(page))
        self._note.setVisible(not languages)
        masks = page.masks.of(ref)
        self._masks.setText(tr("In masks, which follow a new name: {masks}", masks=", ".join(masks)))
        self._masks.setVisible(bool(masks))

    def _make_fields(self, languages: tuple[str, ...]) -> None:
        if tuple(self._fields) == languages:
            return
        self._fields = {language: TextField() for language in languages}
        for language, field in self._fields.items():
            field.setAccessibleName(tr("Name in {language}", language=language))
            field.decided.connect(partial(self._request, language))
        fields = (Field(language, field, language) for language, field in self._fields.items())
        before, self._form = self._form, NarrowForm(self._appearance, "schema.local_name", self, *fields)
        self._layout.replaceWidget(before, self._form)
        before.deleteLater()
        place_in_tab_order(self, self._fields.values())

    def _request(self, language: str, text: str) -> None:
        if self._ref is not None:
            self.edit_requested.emit(SetLocalName(self._ref, language, text))


def _why_not(page: PageState) -> str:
    if page.checks.names is not None:
        return tr("The model has no languages, so there is nothing to translate into.")
    if page.file:
        return tr("This file has no part for them; exports of a service do.")
    return tr("The service does not offer them; they can be edited in a model file that was exported.")
