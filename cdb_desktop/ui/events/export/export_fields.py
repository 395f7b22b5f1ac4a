"""The fields of an export: which rows, in which form, with which options. Writes nothing, asks nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.events.export.tables import TableFormat
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.export.export_words import missing_words
from cdb_desktop.ui.events.export.preview_table import PreviewLines, PreviewTable
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.input_handling import ignore_wheel, set_tab_order
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.named import named
from cdb_desktop.vocabulary.event_json import INFO
from cdb_desktop.vocabulary.times import chosen_zone

_TAB = "\t"
_MOST = 100_000
_SHORT = 48


class ExportFields(BaseDialog):
    """A sheet with all of them and room for a preview, for so many ``rows``, None where nobody knows.

    ``shown`` are the columns on screen, from left to right: their names and titles.
    """

    def __init__(
        self, appearance: Appearance, rows: int | None, shown: Mapping[str, str], parent: QWidget
    ) -> None:
        super().__init__(appearance, "events.export", parent)
        self._fields = QFormLayout()
        self._shown = tuple(shown)
        self.scope = ignore_wheel(named("events.export.rows", QComboBox(self)))
        self.columns = ignore_wheel(named("events.export.columns", QComboBox(self)))
        self.form = ignore_wheel(named("events.export.form", QComboBox(self)))
        self.delimiter = ignore_wheel(named("events.export.delimiter", QComboBox(self)))
        self.quote = named("events.export.quote", QLineEdit('"', self))
        self.escape = named("events.export.escape", QLineEdit('"', self))
        self.bom = named("events.export.bom", QCheckBox(self.tr("&Byte order mark, for spreadsheets"), self))
        self.explode = named(
            "events.export.explode", QCheckBox(self.tr("A &column for each key of info"), self)
        )
        self.concat = named("events.export.concat", QLineEdit(self))
        self.trim = ignore_wheel(named("events.export.trim", QSpinBox(self)))
        self.guard = named(
            "events.export.guard", QCheckBox(self.tr("No &formulas: an apostrophe before = + - @"), self)
        )
        self.receipt = named(
            "events.export.receipt",
            QCheckBox(self.tr("&Receipt beside the file: query, rows, ids, checksum"), self),
        )
        self.table = named("events.export.preview", PreviewTable(self))
        self.lines = named("events.export.lines", PreviewLines(self))
        self._fill(rows)
        self._fill_columns(list(shown.values()))
        self._lay_out()

    @property
    def wish(self) -> ExportOptions:
        """What is chosen."""
        options = CsvOptions(
            explode=self._explodes,
            explode_array_concat=(self.concat.text() or None) if self._joins else None,
            max_length=self.trim.value(),
        )
        columns = self.chosen_columns if self._form != "jsonl" else ()
        usual = ExportOptions(
            self._form, options, receipt=self.receipt.isChecked(), columns=columns, zone=chosen_zone()
        )
        if self._form != "csv":
            return usual
        written = replace(
            options,
            delimiter=self._delimiter(),
            quote=self.quote.text(),
            escape=self.escape.text(),
            use_bom=self.bom.isChecked(),
        )
        return replace(usual, csv=written, escape_formulas=self.guard.isChecked())

    @property
    def chosen_columns(self) -> tuple[str, ...]:
        """The names of the columns on screen, whatever the form; none where all fields are chosen."""
        return self._shown if self.columns.currentIndex() == 0 else ()

    def choose(self, wish: ExportOptions) -> None:
        """Shows what was chosen the last time, as far as it can still be."""
        place, options = self.form.findData(wish.file_format), wish.csv
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
        self.guard.setChecked(wish.escape_formulas)
        self.columns.setCurrentIndex(0 if wish.columns else 1)
        self.receipt.setChecked(wish.receipt)

    @property
    def _form(self) -> FileFormat:
        form: FileFormat = self.form.currentData()
        return form

    @property
    def _can_explode(self) -> bool:
        """A column on screen is one key already."""
        return self._form != "jsonl" and not self.chosen_columns

    @property
    def _explodes(self) -> bool:
        return self._can_explode and self.explode.isChecked()

    @property
    def _joins(self) -> bool:
        """Whether there are columns in which arrays may stand by themselves."""
        of_info = any(name.startswith(INFO) for name in self.chosen_columns)
        return self._explodes or (of_info and self._form != "jsonl")

    def _delimiter(self) -> str:
        text = self.delimiter.currentText()
        known = self.delimiter.findText(text)
        return str(self.delimiter.itemData(known)) if known >= 0 else text

    def _fill(self, rows: int | None) -> None:
        self.form.addItem(self.tr("CSV"), "csv")
        self.form.addItem(self.tr("JSON, a record a line"), "jsonl")
        self._add_table(self.tr("XLSX, for spreadsheets; times are those of UTC"), "xlsx")
        self._add_table(self.tr("Parquet, for data frames"), "parquet")
        self.delimiter.setEditable(True)
        for text, value in ((self.tr("Comma"), ","), (self.tr("Semicolon"), ";"), (self.tr("Tab"), _TAB)):
            self.delimiter.addItem(text, value)
        self.trim.setRange(0, _MOST)
        self.trim.setSpecialValueText(self.tr("off"))
        for field, name in ((self.delimiter, self.tr("&Delimiter")), (self.trim, self.tr("&Trim values at"))):
            if (line := field.lineEdit()) is not None:
                line.setAccessibleName(name.replace("&", ""))
        self.receipt.setChecked(True)
        self.concat.setPlaceholderText(self.tr("nothing: arrays stay as they are"))
        everything = self.tr("All rows")
        if rows is not None:
            everything = plural(rows, self.tr("The only row"), self.tr("All %1 rows"))
        self.scope.addItem(everything)

    def _fill_columns(self, titles: Sequence[str]) -> None:
        """Those on screen may be many: the box is no wider for it, and its hint names them all."""
        self.columns.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        told = self.tr("Those on screen (%1): %2").replace("%1", number_text(len(titles)))
        told = told.replace("%2", ", ".join(titles))
        self.columns.addItem(told)
        self.columns.setItemData(0, told, Qt.ItemDataRole.ToolTipRole)
        self.columns.addItem(self.tr("All fields, as the service writes them"))

    def _lay_out(self) -> None:
        form = self._fields
        form.setSpacing(GAP)
        form.addRow(self.tr("Ro&ws"), self.scope)
        form.setRowVisible(self.scope, False)
        form.addRow(self.tr("F&ormat"), self.form)
        form.addRow(self.tr("Co&lumns"), self.columns)
        delimiter = Label(self.tr("&Delimiter"), self)
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
        set_tab_order(self.scope, self.form, self.columns, *cells, *after)

    def _cells(self) -> QHBoxLayout:
        """How cells are told apart, on one line."""
        line = QHBoxLayout()
        line.setSpacing(GAP)
        line.addWidget(self.delimiter, stretch=1)
        for name, field in ((self.tr("&Quote"), self.quote), (self.tr("&Escape"), self.escape)):
            label = Label(name, self)
            label.setBuddy(field)
            field.setFixedWidth(_SHORT)
            line.addSpacing(GAP)
            line.addWidget(label)
            line.addWidget(field)
        return line

    def _add_table(self, text: str, form: TableFormat) -> None:
        """A form of which a library may be missing: it is there all the same, and says which."""
        missing = missing_words(form)
        self.form.addItem(f"{text} – {missing}" if missing else text, form)
        choices = self.form.model()
        if missing and isinstance(choices, QStandardItemModel):
            choices.item(self.form.count() - 1).setEnabled(False)
