"""Declared forms: a dialog lists its fields; labels, names, hints and conditions follow from them.

For example::

    class ProxyDialog(BaseDialog):
        def __init__(self, appearance: Appearance, parent: QWidget) -> None:
            super().__init__(appearance, "connection.proxy", parent)
            self.kind = Choice({"basic": tr("User name and password"), "none": tr("None")}, "basic")
            self.user = QLineEdit()
            self.file = QLineEdit(placeholderText=tr("PEM file"))
            choose = tool_button(tr("Choose…"), self._choose_file)
            self.form = self.add_form(
                Field("kind", self.kind, tr("&Sign-in")),
                Field("user", self.user, tr("&User name"), visible_if=lambda: self.kind.value == "basic"),
                Field("file", self.file, tr("&File"), hint=tr("…"), beside=[Field("file.choose", choose)]),
                Field("remember", QCheckBox(tr("&Remember")), tip=tr("…")),
            )
            self.form.show_values({"remember": True})
            self.form.changed.connect(self._check)
            self.form.show_hint("user", tr("Unknown user."), "danger")

The object names are ``connection.proxy.user`` and so on. Widgets are created without a parent, so that the
tab order is that of the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP, TIGHT
from cdb_desktop.ui.widgets.input_handling import ignore_wheel
from cdb_desktop.ui.widgets.labels import Hint, Label, Tone
from cdb_desktop.ui.widgets.object_names import named

_LIST_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


class Choice(QComboBox):
    """A combo box of values with their texts.

    Signals: ``decided`` with the value that the user has selected.
    """

    decided = Signal(object)

    def __init__(
        self, choices: Mapping[Any, str] | None = None, chosen: object = None, *, characters: int = 0
    ) -> None:
        """``choices`` are the texts by values; ``chosen`` is the selected value, the first one if None.

        ``characters`` is the least width, and longer texts are clipped; 0: as wide as the widest text.
        """
        super().__init__()
        ignore_wheel(self)
        if characters:
            self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(characters)
        self.activated.connect(lambda _row: self.decided.emit(self.value))
        if choices is not None:
            first = next(iter(choices), None)
            self.show_choices(
                [(text, value) for value, text in choices.items()], first if chosen is None else chosen
            )

    @property
    def value(self) -> Any:
        """The selected value, None if nothing is selected."""
        return self.currentData()

    def show_value(self, value: object) -> None:
        """Selects a value; nothing if there is no such value."""
        values = [self.itemData(row) for row in range(self.count())]
        self.setCurrentIndex(values.index(value) if value in values else -1)

    def choose(self, value: object) -> None:
        """Selects a value as the user does."""
        self.show_value(value)
        self.activated.emit(self.currentIndex())

    def show_choices(self, choices: Sequence[tuple[str, object]], chosen: object) -> None:
        """Shows other texts with their values, and the value ``chosen``, without a signal."""
        with QSignalBlocker(self):
            if list(choices) != [(self.itemText(row), self.itemData(row)) for row in range(self.count())]:
                self.clear()
                for text, value in choices:
                    self.addItem(text, value)
            self.show_value(chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows and letters select in the open list; only Enter or a click changes the value."""
        text = event.text()
        is_letter = text.isprintable() and bool(text.strip())
        if event.key() not in _LIST_KEYS and not is_letter:
            super().keyPressEvent(event)
            return
        self.showPopup()
        # Or the list would be at its previous position.
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))
        if is_letter:
            self.view().keyboardSearch(text)


@dataclass(frozen=True, eq=False)
class Field:
    """A row of a form, or a field ``beside`` another one.

    ``label`` has a mnemonic and is also the accessible name; with None the widget takes the whole width.
    ``hint`` is a text below the widget, ``tip`` its tooltip. The conditions are evaluated after every change
    in the form.
    """

    name: str
    widget: QWidget
    label: str | None = ""
    hint: str = ""
    tip: str = ""
    beside: Sequence[Field] = ()
    visible_if: Callable[[], bool] | None = None
    enabled_if: Callable[[], bool] | None = None


class Form(QWidget):
    """Fields below one another.

    Signals: ``changed`` after any value has changed · ``resized`` when rows or hints appear or disappear.
    """

    changed = Signal()
    resized = Signal()

    def __init__(
        self, appearance: Appearance, name: str, *fields: Field, parent: QWidget | None = None
    ) -> None:
        """``name`` is the prefix of the object names."""
        super().__init__(parent)
        self._appearance = appearance
        self._name = name
        self._fields: dict[str, Field] = {}
        self._labels: dict[str, QLabel] = {}
        self._cells: dict[str, QWidget] = {}
        self._columns: dict[str, QVBoxLayout] = {}  # widget and hint
        self._hints: dict[str, Hint] = {}
        self.rows = QFormLayout(self, horizontalSpacing=GROUP, verticalSpacing=GAP)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for field in fields:
            self._add_row(field)
        self.update_rows()

    @property
    def label_width(self) -> int:
        """The width of the widest label, also of hidden rows."""
        return max(label.sizeHint().width() for label in self._labels.values())

    def set_label_width(self, width: int) -> None:
        """Aligns the fields with those of other forms."""
        for label in self._labels.values():
            label.setMinimumWidth(width)

    def label(self, name: str) -> QLabel:
        """The label of a field."""
        return self._labels[name]

    def values(self) -> dict[str, Any]:
        """The values of all fields that have one, by name."""
        return {
            name: value for name, field in self._fields.items() if (value := _value(field.widget)) is not None
        }

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Shows the values of the fields named in ``values``."""
        for name, value in values.items():
            widget = self._fields[name].widget
            if isinstance(widget, Choice):
                widget.show_value(value)
            else:
                widget.setProperty(str(widget.metaObject().userProperty().name()), value)

    def hint(self, name: str) -> Hint:
        """The hint below a field, which is hidden while it is empty."""
        if name not in self._hints:
            self._hints[name] = named(f"{self._name}.{name}.hint", Hint(self._appearance, self))
            self._hints[name].hide()
            self._columns[name].addWidget(self._hints[name])
        return self._hints[name]

    def show_hint(self, name: str, text: str, tone: Tone = "muted") -> None:
        """Shows a hint, a warning or an error below a field; removes it if ``text`` is empty."""
        hint = self.hint(name)
        hint.show_hint(tone, text)
        hint.setVisible(bool(text))
        self._fields[name].widget.setAccessibleDescription(text)
        # The owner of the form may measure it at once.
        self._columns[name].activate()
        self.rows.activate()
        self.resized.emit()

    def update_rows(self) -> None:
        """Evaluates the conditions. The form does so after a change of its own fields."""
        for name, field in self._fields.items():
            if field.enabled_if is not None:
                is_enabled = field.enabled_if()
                for part in (field.widget, *(other.widget for other in field.beside)):
                    part.setEnabled(is_enabled)
                if name in self._labels:
                    self._labels[name].setEnabled(is_enabled)
            if field.visible_if is not None:
                is_visible = field.visible_if()
                if name not in self._cells:  # it is beside another field
                    field.widget.setVisible(is_visible)
                elif is_visible != self.rows.isRowVisible(cell := self._cells[name]):
                    self.rows.setRowVisible(cell, is_visible)
                    self.rows.activate()
                    self.resized.emit()

    def _add_row(self, field: Field) -> None:
        cell = QWidget(self)
        column, line = QVBoxLayout(cell), QHBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(TIGHT)
        column.addLayout(line)
        line.setSpacing(GAP)
        parts = (field, *field.beside)
        for part in parts:
            if part is not field and part.label:
                line.addSpacing(GAP)
                line.addWidget(self._label(part))
            line.addWidget(part.widget, 0, _side(part.widget, field.widget))
            self._prepare(part)
            self._columns[part.name] = column
        growing = [part.widget for part in parts if _grows(part.widget)] or [field.widget]
        for widget in growing:
            line.setStretchFactor(widget, 1)
        self._cells[field.name] = cell
        if field.label is None:
            self.rows.addRow(cell)
        else:
            label = self._label(field)
            if _is_wrapped(field.widget):
                label.setAlignment(Qt.AlignmentFlag.AlignTop)
            self.rows.addRow(label, cell)
        for part in parts:
            if part.hint:
                self.show_hint(part.name, part.hint)

    def _label(self, field: Field) -> QLabel:
        label = Label(field.label, self)
        label.setBuddy(field.widget)
        self._labels[field.name] = label
        return label

    def _prepare(self, field: Field) -> None:
        widget = named(f"{self._name}.{field.name}", field.widget)
        self._fields[field.name] = field
        if field.label and not widget.accessibleName() and not isinstance(widget, QLabel):
            widget.setAccessibleName(field.label.replace("&", ""))
        line = widget.lineEdit() if isinstance(widget, QComboBox | QAbstractSpinBox) else None
        if line is not None:
            line.setAccessibleName(widget.accessibleName())
        if field.tip:
            widget.setToolTip(field.tip)
        if isinstance(widget, QPushButton):
            widget.setAutoDefault(False)
        elif isinstance(widget, QToolButton):
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        elif isinstance(widget, QComboBox | QAbstractSpinBox) and not isinstance(widget, Choice):
            ignore_wheel(widget)
        value = widget.metaObject().userProperty()
        if value.isValid() and value.hasNotifySignal():
            getattr(widget, bytes(value.notifySignal().name().data()).decode()).connect(self._follow)

    def _follow(self) -> None:
        self.update_rows()
        self.changed.emit()


def tool_button(text: str, does: Callable[[], object]) -> QToolButton:
    """A button with a text, to be placed beside a field."""
    button = QToolButton()
    button.setText(text)
    button.clicked.connect(lambda _checked: does())
    return button


def _value(widget: QWidget) -> Any:
    if isinstance(widget, Choice):
        return widget.value
    value = widget.metaObject().userProperty()
    is_command = isinstance(widget, QAbstractButton) and not widget.isCheckable()
    return widget.property(str(value.name())) if value.isValid() and not is_command else None


def _grows(widget: QWidget) -> bool:
    is_fixed = widget.minimumWidth() == widget.maximumWidth()
    return bool(widget.sizePolicy().expandingDirections() & Qt.Orientation.Horizontal) and not is_fixed


def _side(widget: QWidget, first: QWidget) -> Qt.AlignmentFlag:
    """The alignment in a row: Qt would center a widget of fixed width, and a button beside several lines."""
    if widget.minimumWidth() == widget.maximumWidth():
        return Qt.AlignmentFlag.AlignLeft
    return Qt.AlignmentFlag.AlignTop if _is_wrapped(first) else Qt.AlignmentFlag(0)


def _is_wrapped(widget: QWidget) -> bool:
    return isinstance(widget, QLabel) and widget.wordWrap()
