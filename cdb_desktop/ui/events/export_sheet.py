"""The sheet of all options of an export, with its first rows read back as they will be. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export_wish import Form, Wish, is_table
from cdb_desktop.events.preview import Preview, mistakes
from cdb_desktop.events.table_forms import TableForm
from cdb_desktop.ui.events.export_words import missing_words, overfull_words
from cdb_desktop.ui.events.preview_table import PreviewLines, PreviewTable
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.ui.widgets.sheet import DialogSheet
from cdb_desktop.ui.widgets.still import still
from cdb_desktop.ui.widgets.tab_order import in_tab_order

_REST = 250  # milliseconds without a change after which the preview is asked for
_TAB = "\t"
_SIZE = 720, 540
_MOST = 100_000
_SHORT = 48


class ExportSheet(DialogSheet):
    """Form and options.

    Signals: ``preview_requested`` (Wish) after a change has rested · ``agreed`` (Wish).
    """

    preview_requested = Signal(object)
    agreed = Signal(object)

    def __init__(self, appearance: Appearance, rows: int | None, parent: QWidget) -> None:
        super().__init__(appearance, "events.export", parent)
        self._rows = rows
        self._ids: tuple[int, ...] = ()
        self._fields = QFormLayout()
        self.scope = still(named("events.export.rows", QComboBox(self)))
        self.form = still(named("events.export.form", QComboBox(self)))
        self.delimiter = still(named("events.export.delimiter", QComboBox(self)))
        self.quote = named("events.export.quote", QLineEdit('"', self))
        self.escape = named("events.export.escape", QLineEdit('"', self))
        self.bom = named("events.export.bom", QCheckBox(self.tr("&Byte order mark, for spreadsheets"), self))
        self.explode = named(
            "events.export.explode", QCheckBox(self.tr("A &column for each key of info"), self)
        )
        self.concat = named("events.export.concat", QLineEdit(self))
        self.trim = still(named("events.export.trim", QSpinBox(self)))
        self.guard = named(
            "events.export.guard", QCheckBox(self.tr("No &formulas: an apostrophe before = + - @"), self)
        )
        self.receipt = named(
            "events.export.receipt",
            QCheckBox(self.tr("&Receipt beside the file: query, rows, ids, checksum"), self),
        )
        self.table = named("events.export.preview", PreviewTable(self))
        self.lines = named("events.export.lines", PreviewLines(self))
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(lambda: self.preview_requested.emit(self.wish))
        self.say(self.tr("Export events"), "", self.tr("Choose a file…"))
        self._fill()
        self._connect()
        self._change()

    @property
    def ids(self) -> tuple[int, ...]:
        """The events that were chosen one by one; empty where all rows are meant."""
        return self._ids if self.scope.currentIndex() > 0 else ()

    def offer_selected(self, count: int, ids: Sequence[int]) -> None:
        """Lets the selected rows be chosen in place of all; without ``ids`` they are told to be too many."""
        told = self.tr("The %1 selected rows") if count > 1 else self.tr("The selected row")
        if not ids:
            told = f"{told} – {self.tr('too many to be read one by one: set filters')}"
        self._ids = tuple(ids)
        self.scope.addItem(told.replace("%1", self.locale().toString(count)))
        choices = self.scope.model()
        if not ids and isinstance(choices, QStandardItemModel):
            choices.item(1).setEnabled(False)
        self._fields.setRowVisible(self.scope, True)

    @property
    def wish(self) -> Wish:
        """What is chosen."""
        options = CsvOptions(
            explode=self.explode.isChecked(),
            explode_array_concat=(self.concat.text() or None) if self.explode.isChecked() else None,
            max_length=self.trim.value(),
        )
        if self._form != "csv":
            return Wish(self._form, options, receipt=self.receipt.isChecked())
        written = replace(
            options,
            delimiter=self._delimiter(),
            quote=self.quote.text(),
            escape=self.escape.text(),
            use_bom=self.bom.isChecked(),
        )
        return Wish("csv", written, self.guard.isChecked(), self.receipt.isChecked())

    def choose(self, wish: Wish) -> None:
        """Shows what was chosen the last time, as far as it can still be."""
        place, options = self.form.findData(wish.form), wish.options
        if self.form.model().flags(self.form.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled:
            self.form.setCurrentIndex(place)
        known = self.delimiter.findData(options.delimiter)
        self.delimiter.setEditText(self.delimiter.itemText(known) if known >= 0 else options.delimiter)
        self.quote.setText(options.quote)
        self.escape.setText(options.escape)
        self.bom.setChecked(options.use_bom)
        self.explode.setChecked(options.explode)
        self.concat.setText(options.explode_array_concat or "")
        self.trim.setValue(options.max_length)
        self.guard.setChecked(wish.guard)
        self.receipt.setChecked(wish.receipt)

    def show_preview(self, preview: Preview) -> None:
        """Shows the first rows as they are read back, or which of them cannot be."""
        if preview.broken is not None:
            text = self.tr(
                "Row %1 is read back with another number of cells. Choose another quote or escape."
            )
            self.show_fault(text.replace("%1", str(preview.broken)))
        elif not mistakes(self.wish):
            told = self.tr("%1 rows read back, each with %2 cells")
            told = told.replace("%1", str(len(preview.rows))).replace("%2", str(len(preview.columns)))
            trimmed = self.tr("values longer than %1 are trimmed").replace("%1", str(self.trim.value()))
            self.show_fault(
                f"{told} · {trimmed}" if self.trim.value() else told,
                "warning" if self.trim.value() else "muted",
            )
        self.table.show_preview(preview)

    def show_lines(self, lines: str) -> None:
        """Shows the first records as they will stand in the file."""
        self.show_fault("")
        self.lines.setPlainText(lines)

    @property
    def _form(self) -> Form:
        form: Form = self.form.currentData()
        return form

    def _delimiter(self) -> str:
        text = self.delimiter.currentText()
        known = self.delimiter.findText(text)
        return str(self.delimiter.itemData(known)) if known >= 0 else text

    def _change(self) -> None:
        form = self._form
        has_columns = form != "jsonl"
        for widget in (self.delimiter, self.quote, self.escape, self.bom, self.guard):
            widget.setEnabled(form == "csv")
        self.explode.setEnabled(has_columns)
        self.trim.setEnabled(has_columns)
        self.concat.setEnabled(has_columns and self.explode.isChecked())
        self.table.setVisible(has_columns)
        self.lines.setVisible(not has_columns)
        for label in self.findChildren(QLabel):
            # What cannot be chosen has a name as faint as itself.
            if label.buddy() is not None:
                label.setEnabled(label.buddy().isEnabled())
        self._tell_rows()
        self._check(form)

    def _tell_rows(self) -> None:
        rows = len(self.ids) or self._rows
        told = ""
        if rows is not None:
            text = self.tr("The selected rows (%1), by ascending id.") if self.ids else ""
            text = text or self.tr("All %1 rows, by ascending id.")
            told = text.replace("%1", self.locale().toString(rows))
        parts = [told, self.tr("Session tokens are masked.")]
        if self.ids and self._form != "jsonl":
            parts.append(self.tr("The column user_type is left out: no record tells it."))
        self.tell(" ".join(filter(None, parts)))

    def _check(self, form: Form) -> None:
        wrong = mistakes(self.wish)
        names = {
            "delimiter": self.tr("The delimiter is one character, and no other than quote and escape."),
            "quote": self.tr("The quote is one character."),
            "escape": self.tr("The escape is one character."),
        }
        overfull = overfull_words(form, len(self.ids) or self._rows) if is_table(form) else ""
        told = names.get(wrong, "") or overfull
        self.show_fault(told)
        self.accept_button.setEnabled(not told)
        self._rest.stop()
        if not told:
            self._rest.start()

    def _fill(self) -> None:
        self.form.addItem(self.tr("CSV"), "csv")
        self.form.addItem(self.tr("JSON, a record a line"), "jsonl")
        self._add_table(self.tr("XLSX, for spreadsheets; times are those of UTC"), "xlsx")
        self._add_table(self.tr("Parquet, for data frames"), "parquet")
        self.delimiter.setEditable(True)
        for text, value in ((self.tr("Comma"), ","), (self.tr("Semicolon"), ";"), (self.tr("Tab"), _TAB)):
            self.delimiter.addItem(text, value)
        self.trim.setRange(0, _MOST)
        self.trim.setSpecialValueText(self.tr("off"))
        self.receipt.setChecked(True)
        self.concat.setPlaceholderText(self.tr("nothing: arrays stay as they are"))
        everything = self.tr("All rows")
        if self._rows is not None:
            everything = self.tr("All %1 rows").replace("%1", self.locale().toString(self._rows))
        self.scope.addItem(everything)
        form = self._fields
        form.setSpacing(GAP)
        form.addRow(self.tr("Ro&ws"), self.scope)
        form.setRowVisible(self.scope, False)
        form.addRow(self.tr("F&orm"), self.form)
        delimiter = QLabel(self.tr("&Delimiter"), self)
        delimiter.setBuddy(self.delimiter)
        form.addRow(delimiter, self._cells())
        form.addRow(self.tr("&Trim values at"), self.trim)
        for box in (self.bom, self.guard, self.explode):
            form.addRow("", box)
        form.addRow(self.tr("&Join arrays by"), self.concat)
        form.addRow("", self.receipt)
        self.body.addLayout(form)
        self.body.addWidget(self.table, stretch=1)
        self.body.addWidget(self.lines, stretch=1)
        cells = (self.delimiter, self.quote, self.escape, self.trim, self.bom, self.guard, self.explode)
        after = (self.concat, self.receipt, self.table, self.lines, self.cancel_button, self.accept_button)
        in_tab_order(self.scope, self.form, *cells, *after)
        self.resize(*_SIZE)

    def _cells(self) -> QHBoxLayout:
        """How cells are told apart, on one line."""
        line = QHBoxLayout()
        line.setSpacing(GAP)
        line.addWidget(self.delimiter, stretch=1)
        for name, field in ((self.tr("&Quote"), self.quote), (self.tr("&Escape"), self.escape)):
            label = QLabel(name, self)
            label.setBuddy(field)
            field.setFixedWidth(_SHORT)
            line.addSpacing(GAP)
            line.addWidget(label)
            line.addWidget(field)
        return line

    def _add_table(self, text: str, form: TableForm) -> None:
        """A form of which a library may be missing: it is there all the same, and says which."""
        missing = missing_words(form)
        self.form.addItem(f"{text} – {missing}" if missing else text, form)
        choices = self.form.model()
        if missing and isinstance(choices, QStandardItemModel):
            choices.item(self.form.count() - 1).setEnabled(False)

    def _connect(self) -> None:
        for box in (self.scope, self.form, self.delimiter):
            box.currentTextChanged.connect(self._change)
        for line in (self.quote, self.escape, self.concat):
            line.textChanged.connect(self._change)
        for tick in (self.bom, self.explode, self.guard, self.receipt):
            tick.toggled.connect(self._change)
        self.trim.valueChanged.connect(self._change)
        self.accept_button.clicked.connect(self._agree)

    def _agree(self) -> None:
        wish = self.wish
        self.close()
        self.agreed.emit(wish)
