"""The sheet of all options of an export, with its first rows read back as they will be. Writes nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export_wish import Wish
from cdb_desktop.events.preview import Preview, mistakes
from cdb_desktop.ui.events.sheet import EventSheet
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, ROW
from cdb_desktop.ui.widgets.named import named

_REST = 250  # milliseconds without a change after which the preview is asked for
_LINES = 5
_TAB = "\t"
_SIZE = 720, 560
_MOST = 100_000


class ExportSheet(EventSheet):
    """Form and options.

    Signals: ``preview_requested`` (Wish) after a change has rested · ``agreed`` (Wish).
    """

    preview_requested = Signal(object)
    agreed = Signal(object)

    def __init__(self, appearance: Appearance, rows: int | None, parent: QWidget) -> None:
        super().__init__(appearance, "events.export", parent)
        self.form = named("events.export.form", QComboBox(self))
        self.delimiter = named("events.export.delimiter", QComboBox(self))
        self.quote = named("events.export.quote", QLineEdit('"', self))
        self.escape = named("events.export.escape", QLineEdit('"', self))
        self.bom = named("events.export.bom", QCheckBox(self.tr("&Byte order mark, for spreadsheets"), self))
        self.explode = named(
            "events.export.explode", QCheckBox(self.tr("A &column for each key of info"), self)
        )
        self.concat = named("events.export.concat", QLineEdit(self))
        self.trim = named("events.export.trim", QSpinBox(self))
        self.guard = named(
            "events.export.guard", QCheckBox(self.tr("No &formulas: an apostrophe before = + - @"), self)
        )
        self.receipt = named(
            "events.export.receipt",
            QCheckBox(self.tr("&Receipt beside the file: query, rows, ids, checksum"), self),
        )
        self.table = named("events.export.preview", QTableWidget(self))
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(lambda: self.preview_requested.emit(self.wish))
        told = (
            ""
            if rows is None
            else self.tr("All %1 rows, by ascending id.").replace("%1", self.locale().toString(rows))
        )
        masked = self.tr("Session tokens are masked.")
        self.say(self.tr("Export events"), f"{told} {masked}".strip(), self.tr("Choose a file…"))
        self._fill()
        self._connect()
        self._change()

    @property
    def wish(self) -> Wish:
        """What is chosen."""
        options = CsvOptions(
            delimiter=self._delimiter(),
            quote=self.quote.text(),
            escape=self.escape.text(),
            use_bom=self.bom.isChecked(),
            explode=self.explode.isChecked(),
            explode_array_concat=(self.concat.text() or None) if self.explode.isChecked() else None,
            max_length=self.trim.value(),
        )
        guards = self.guard.isChecked() and self.form.currentData() == "csv"
        return Wish(self.form.currentData(), options, guards, self.receipt.isChecked())

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
        self.table.setColumnCount(len(preview.columns))
        self.table.setHorizontalHeaderLabels(preview.columns)
        rows = preview.rows[:_LINES]
        self.table.setRowCount(len(rows))
        for line, row in enumerate(rows):
            for place, cell in enumerate(row[: len(preview.columns)]):
                self.table.setItem(line, place, QTableWidgetItem(cell[:200]))

    def _delimiter(self) -> str:
        text = self.delimiter.currentText()
        known = self.delimiter.findText(text)
        return str(self.delimiter.itemData(known)) if known >= 0 else text

    def _change(self) -> None:
        is_csv = self.form.currentData() == "csv"
        for widget in (
            self.delimiter,
            self.quote,
            self.escape,
            self.bom,
            self.explode,
            self.trim,
            self.guard,
        ):
            widget.setEnabled(is_csv)
        self.concat.setEnabled(is_csv and self.explode.isChecked())
        self.table.setVisible(is_csv)
        wrong = mistakes(self.wish)
        names = {
            "delimiter": self.tr("The delimiter is one character, and no other than quote and escape."),
            "quote": self.tr("The quote is one character."),
            "escape": self.tr("The escape is one character."),
        }
        self.show_fault(names.get(wrong, ""))
        self.accept_button.setEnabled(not wrong)
        if is_csv and not wrong:
            self._rest.start()

    def _fill(self) -> None:
        self.form.addItem(self.tr("CSV"), "csv")
        self.form.addItem(self.tr("JSON, a record a line"), "jsonl")
        self.delimiter.setEditable(True)
        for text, value in ((self.tr("Comma"), ","), (self.tr("Semicolon"), ";"), (self.tr("Tab"), _TAB)):
            self.delimiter.addItem(text, value)
        self.trim.setRange(0, _MOST)
        self.trim.setSpecialValueText(self.tr("off"))
        self.receipt.setChecked(True)
        self.concat.setPlaceholderText(self.tr("nothing: arrays stay as they are"))
        form = QFormLayout()
        form.setSpacing(GAP)
        for label, widget in (
            (self.tr("F&orm"), self.form),
            (self.tr("&Delimiter"), self.delimiter),
            (self.tr("&Quote"), self.quote),
            (self.tr("&Escape"), self.escape),
            (self.tr("&Trim values at"), self.trim),
        ):
            form.addRow(label, widget)
        for box in (self.bom, self.explode):
            form.addRow("", box)
        form.addRow(self.tr("&Join arrays by"), self.concat)
        for box in (self.guard, self.receipt):
            form.addRow("", box)
        self.body.addLayout(form)
        self._fill_table()
        self.resize(*_SIZE)

    def _fill_table(self) -> None:
        self.table.setAccessibleName(self.tr("The first rows, read back"))
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW)
        self.table.setMinimumHeight((_LINES + 2) * ROW)
        self.table.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.body.addWidget(self.table, stretch=1)

    def _connect(self) -> None:
        for box in (self.form, self.delimiter):
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
