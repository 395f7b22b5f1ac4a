"""The part of a column's form that says what its values must fulfil (wire §5)."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from cdb_desktop.schema.document.column_types import NUMBERS, TEXTS, TypeFamily, type_family
from cdb_desktop.schema.document.json_values import Json, shown_value
from cdb_desktop.schema.document.model import Column
from cdb_desktop.ui.schema.fields import Choice, TextField, Tick
from cdb_desktop.ui.theme.measures import GAP, TIGHT
from cdb_desktop.ui.widgets.labels import Label

_REGEXP = ("check_regexp", "check_regexp_flags")
_RANGE = ("check_range_lower", "check_range_upper", "check_range_lower_open", "check_range_upper_open")
_LENGTHS = ("length_min", "length_max")


class CheckFields(QWidget):
    """Check, its details, lengths and default.

    Signals: ``decided`` with options by their names, None for those that go.
    """

    decided = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._family: TypeFamily | None = None
        self._raw: Json = {}
        self.check = Choice("schema.column.check", self)
        names = ("check_regexp", *_RANGE[:2], *_LENGTHS, "default")
        self.fields = {name: TextField(f"schema.column.{name}", self) for name in names}
        self.ignore_case = Tick("schema.column.check_regexp_flags", self)
        self._labels = {name: Label(self) for name in ("check", *names)}
        self._form = QFormLayout(self)
        self._arrange()
        self._connect()

    def show_column(self, column: Column) -> None:
        """Shows what a column's values must fulfil."""
        self._raw = raw = column.raw
        self._family = type_family(column.type)
        check = raw.get("check")
        known = self._checks()
        choices = known if check in [data for _, data in known] else [*known, (shown_value(check), check)]
        self.check.show_choices(choices, check)
        for name, field in self.fields.items():
            value = raw.get(name)
            field.show_text("" if value is None else shown_value(value))
        self.ignore_case.show_answer(on="i" in str(raw.get("check_regexp_flags") or ""))
        self._show_rows(check, raw)

    def retranslate(self) -> None:
        """Texts in the language of the moment."""
        texts = {
            "check": self.tr("Values"),
            "check_regexp": self.tr("Regular expression"),
            "check_range_lower": self.tr("From"),
            "check_range_upper": self.tr("To"),
            "length_min": self.tr("Minimum length"),
            "length_max": self.tr("Maximum length"),
            "default": self.tr("Default"),
        }
        for name, text in texts.items():
            self._labels[name].setText(text)
        self.ignore_case.setText(self.tr("Ignore case"))

    def _checks(self) -> list[tuple[str, object]]:
        found: list[tuple[str, object]] = [
            (self.tr("anything"), None),
            (self.tr("not empty"), "not_empty"),
        ]
        if self._family in TEXTS:
            found += [(self.tr("an e-mail address"), "email"), (self.tr("a regular expression"), "regexp")]
        else:
            found += [(self.tr("a range"), "range")]
        return found

    def _show_rows(self, check: object, raw: Json) -> None:
        is_text = self._family in TEXTS
        visible = {
            "check": True,
            "check_regexp": check == "regexp",
            "check_range_lower": check == "range",
            "check_range_upper": check == "range",
            "length_min": is_text,
            "length_max": is_text,
            "default": is_text or self._family in NUMBERS | {TypeFamily.BOOLEAN},
        }
        for name, field in (("check", self.check), *self.fields.items()):
            shown = visible[name] or (name != "check" and raw.get(name) is not None)
            self._form.setRowVisible(field, shown)
        self._form.setRowVisible(self.ignore_case, visible["check_regexp"])

    def _arrange(self) -> None:
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(GAP)
        self._form.setVerticalSpacing(TIGHT + 2)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for name, field in (("check", self.check), *self.fields.items()):
            self._labels[name].setBuddy(field)
            self._form.addRow(self._labels[name], field)
            if name == "check_regexp":
                self._form.addRow(self.ignore_case)

    def _connect(self) -> None:
        self.check.decided.connect(self._set_check)
        for name, field in self.fields.items():
            field.decided.connect(lambda text, name=name: self.decided.emit({name: self._value(name, text)}))
        self.ignore_case.decided.connect(
            lambda on: self.decided.emit({"check_regexp_flags": "i" if on else None})
        )

    def _set_check(self, check: object) -> None:
        """What belongs to another check goes with it."""
        others = {name: None for name in (*_REGEXP, *_RANGE) if name in self._raw}
        self.decided.emit({**others, "check": check})

    def _value(self, name: str, text: str) -> object:
        """What was typed as a value of the column's type; what is none stays a text, and is a problem."""
        if not text:
            return None
        kind = TypeFamily.INTEGER if name in _LENGTHS else self._family
        if name == "check_regexp" or kind in TEXTS:
            return text
        if kind is TypeFamily.BOOLEAN and text.lower() in ("true", "false"):
            return text.lower() == "true"
        try:
            return _number(text) if kind in NUMBERS else text
        except ValueError:
            return text


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)
