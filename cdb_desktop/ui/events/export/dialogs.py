"""The dialog with all options of an export, and a preview of its first rows."""

import errno
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QLocale, QSettings, Qt, QTimer, QTimeZone, Signal
from PySide6.QtGui import QFontDatabase, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QTableWidgetItem,
    QWidget,
)

from cdb_desktop.client import CsvOptions, Sort
from cdb_desktop.events.export.csv_page import CsvPageError
from cdb_desktop.events.export.export import Export, ExportProgress, TooManyRowsError
from cdb_desktop.events.export.formats import ExportPreview
from cdb_desktop.events.export.options import ExportOptions, FileFormat, invalid_option, is_table_format
from cdb_desktop.events.export.sheet import SheetOptions
from cdb_desktop.events.export.table_files import TABLE_LIMITS, TableError, TableFormat, missing_library
from cdb_desktop.events.result import IncompleteResultError
from cdb_desktop.foundation.files import DAMAGE
from cdb_desktop.foundation.i18n import size_text, tr
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GROUP, ROW, TIGHT
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice, Field
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.plain_table import PlainTable
from cdb_desktop.ui.widgets.settings import set_value_aside
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message
from cdb_desktop.vocabulary.event_json import INFO
from cdb_desktop.vocabulary.times import Zone, chosen_zone, in_zone

_OPTIONS = "events/export/options"
_TAB = "\t"
_LONGEST_VALUE = 100_000  # characters
_ONE_CHARACTER = 48  # pixels of a field for one character
_PREVIEW_DELAY = 250  # milliseconds without a change after which the preview is requested
_SIZE = 720, 640
_PREVIEW_ROWS, _LEAST_PREVIEW_ROWS = 5, 2
_PREVIEW_HEIGHT = (_LEAST_PREVIEW_ROWS + 1) * ROW + GROUP + TIGHT
_LONGEST_CELL = 200  # characters
_WIDEST_COLUMN = 240  # pixels


def load_options(settings: QSettings, shown: tuple[str, ...]) -> ExportOptions:
    """The options used last, or the defaults if they are missing, damaged or not possible.

    The columns are those ``shown`` on screen now, unless all fields were exported last.
    """
    default = ExportOptions(columns=shown)
    if not settings.contains(_OPTIONS):
        return default
    try:
        options = msgspec.json.decode(str(settings.value(_OPTIONS)), type=ExportOptions)
    except DAMAGE as error:
        set_value_aside(settings, _OPTIONS, error)
        return default
    return default if invalid_option(options) else replace(options, columns=shown if options.columns else ())


def save_options(settings: QSettings, options: ExportOptions) -> None:
    """Remembers the options for the next export."""
    settings.setValue(_OPTIONS, msgspec.json.encode(options).decode())


class ExportOptionsDialog(BaseDialog):
    """Asks for rows, format, columns and options.

    Signals: ``preview_requested`` (ExportOptions) a moment after a change · ``agreed`` (ExportOptions).
    """

    preview_requested = Signal(object)
    agreed = Signal(object)

    def __init__(
        self,
        appearance: Appearance,
        rows: int | None,
        shown: Mapping[str, str],
        parent: QWidget,
        *,
        has_csv: bool = True,
    ) -> None:
        """``rows`` is None if they have not been counted; ``shown`` are names and titles of the columns.

        ``has_csv``: the service writes CSV in the chosen form, so that it is not made here.
        """
        super().__init__(appearance, "events.export", parent)
        self._has_csv = has_csv
        self._rows = rows
        self._shown = tuple(shown)
        self._ids: tuple[int, ...] = ()
        columns = tr(
            "Those on screen ({count}): {titles}", count=len(shown), titles=", ".join(shown.values())
        )
        all_rows = tr("All rows")
        if rows is not None:
            all_rows = tr("{rows:The only row|All {rows} rows}", rows=rows)
        self.scope = Choice({"all": all_rows})
        self.form = Choice()
        self._add_forms()
        everything = tr("All fields, as the service writes them") if has_csv else tr("All fields")
        self.columns = Choice({"shown": columns, "all": everything})
        # The names of many columns do not widen the box; its tooltip lists them all.
        self.columns.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.columns.setItemData(0, columns, Qt.ItemDataRole.ToolTipRole)
        self.delimiter = QComboBox(editable=True)
        for text, value in ((tr("Comma"), ","), (tr("Semicolon"), ";"), (tr("Tab"), _TAB)):
            self.delimiter.addItem(text, value)
        self.quote, self.escape = QLineEdit('"'), QLineEdit('"')
        for field in (self.quote, self.escape):
            field.setFixedWidth(_ONE_CHARACTER)
        self.bom = QCheckBox(tr("&Byte order mark, for spreadsheets"))
        self.explode = QCheckBox(tr("A &column for each key of info"))
        self.concat = QLineEdit(placeholderText=tr("nothing: arrays stay as they are"))
        self.trim = QSpinBox(maximum=_LONGEST_VALUE)
        self.trim.setSpecialValueText(tr("off"))
        self.guard = QCheckBox(tr("No &formulas: an apostrophe before = + - @"))
        self.receipt = QCheckBox(tr("&Receipt beside the file: query, rows, ids, checksum"))
        self.receipt.setChecked(True)
        beside = [
            Field("quote", self.quote, tr("&Quote"), enabled_if=self._is_csv),
            Field("escape", self.escape, tr("&Escape"), enabled_if=self._is_csv),
        ]
        self._fields = self.add_form(
            Field("rows", self.scope, tr("Ro&ws"), visible_if=lambda: self.scope.count() > 1),
            Field("form", self.form, tr("F&ormat")),
            Field("columns", self.columns, tr("Co&lumns"), enabled_if=self._has_cells),
            Field("delimiter", self.delimiter, tr("&Delimiter"), beside=beside, enabled_if=self._is_csv),
            Field("trim", self.trim, tr("&Trim values at"), enabled_if=self._has_cells),
            Field("bom", self.bom, enabled_if=self._is_csv),
            Field("guard", self.guard, enabled_if=self._is_csv),
            Field("explode", self.explode, enabled_if=self._can_explode),
            Field("concat", self.concat, tr("&Join arrays by"), enabled_if=self._joins_arrays),
            Field("receipt", self.receipt),
        )
        self.table = named("events.export.preview", _PreviewTable(self))
        self.lines = named("events.export.lines", _PreviewLines(self))
        self.body.addWidget(self.table, stretch=1)
        self.body.addWidget(self.lines, stretch=1)
        self._preview_timer = QTimer(self, singleShot=True, interval=_PREVIEW_DELAY)
        self._preview_timer.timeout.connect(lambda: self.preview_requested.emit(self.options))
        self.set_texts(tr("Export events"), "", tr("Choose a file…"))
        self.resize_within_screen(*_SIZE)
        self._fields.changed.connect(self._update)
        self.accept_button.clicked.connect(self._agree)
        self._update()
        self.form.setFocus()

    @property
    def options(self) -> ExportOptions:
        """The options as they are set."""
        csv = CsvOptions(
            explode=self._explodes(),
            explode_array_concat=(self.concat.text() or None) if self._joins_arrays() else None,
            max_length=self.trim.value(),
        )
        columns = self.chosen_columns if self._form != "jsonl" else ()
        options = ExportOptions(
            self._form, csv, receipt=self.receipt.isChecked(), columns=columns, zone=chosen_zone()
        )
        if self._form != "csv":
            return options
        csv = replace(
            csv,
            delimiter=self._delimiter(),
            quote=self.quote.text(),
            escape=self.escape.text(),
            use_bom=self.bom.isChecked(),
        )
        return replace(options, csv=csv, escape_formulas=self.guard.isChecked())

    @property
    def chosen_columns(self) -> tuple[str, ...]:
        """The names of the columns on screen for any format; empty if all fields are chosen."""
        return self._shown if self.columns.value == "shown" else ()

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the selected events; empty if all rows are chosen."""
        return self._ids if self.scope.currentIndex() > 0 else ()

    def set_options(self, options: ExportOptions) -> None:
        """Sets everything as in ``options``, as far as that is possible here."""
        place, csv = self.form.findData(options.file_format), options.csv
        if self.form.model().flags(self.form.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled:
            self.form.setCurrentIndex(place)
        known = self.delimiter.findData(csv.delimiter)
        self.delimiter.setEditText(self.delimiter.itemText(known) if known >= 0 else csv.delimiter)
        self._fields.show_values(
            {
                "quote": csv.quote,
                "escape": csv.escape,
                "bom": csv.use_bom,
                "explode": csv.explode,
                "concat": csv.explode_array_concat or "",
                "trim": csv.max_length,
                "guard": options.escape_formulas,
                "columns": "shown" if options.columns else "all",
                "receipt": options.receipt,
            }
        )

    def offer_selected(self, count: int, ids: Sequence[int]) -> None:
        """Offers the selected rows as an alternative to all; without ``ids`` they are too many."""
        text = tr("The {count:selected row|{count} selected rows}", count=count)
        if not ids:
            text = f"{text} – {tr('too many to be read one by one: set filters')}"
        self._ids = tuple(ids)
        self.scope.addItem(text)
        if not ids:
            _disable_last(self.scope)
        self._fields.update_rows()
        self.scope.setFocus()

    def show_preview(self, preview: ExportPreview) -> None:
        """Shows the first rows as they are read back, or which of them cannot be read."""
        if preview.broken is not None:
            self.show_fault(
                tr(
                    "Row {row} is read back with another number of cells. Choose another quote or escape.",
                    row=preview.broken,
                )
            )
        elif not invalid_option(self.options):
            rows = tr("{count:1 row|{count} rows} read back", count=len(preview.rows))
            cells = tr("{count:1 cell|{count} cells} each", count=len(preview.columns))
            text = f"{rows}, {cells}"
            if self.trim.value():
                trimmed = tr("values longer than {length} are trimmed", length=self.trim.value())
                self.show_fault(f"{text} · {trimmed}", "warning")
            else:
                self.show_fault(text, "muted")
        self.table.show_preview(preview)

    def show_lines(self, lines: str) -> None:
        """Shows the first records as the file will contain them."""
        self.show_fault("")
        self.lines.setPlainText(lines)

    @property
    def _form(self) -> FileFormat:
        form: FileFormat = self.form.currentData()
        return form

    def _is_csv(self) -> bool:
        return self._form == "csv"

    def _has_cells(self) -> bool:
        return self._form != "jsonl"

    def _can_explode(self) -> bool:
        """Columns on screen are single keys already."""
        return self._has_cells() and not self.chosen_columns

    def _explodes(self) -> bool:
        return self._can_explode() and self.explode.isChecked()

    def _joins_arrays(self) -> bool:
        """Whether a column may contain an array."""
        has_info = any(name.startswith(INFO) for name in self.chosen_columns)
        return self._explodes() or (has_info and self._has_cells())

    def _delimiter(self) -> str:
        text = self.delimiter.currentText()
        known = self.delimiter.findText(text)
        return str(self.delimiter.itemData(known)) if known >= 0 else text

    def _update(self) -> None:
        """Describes the choice, and checks it."""
        has_cells = self._has_cells()
        needs_all = tr("Requires all fields: on screen each key already has its own column.")
        self.explode.setToolTip(needs_all if has_cells and not self._can_explode() else "")
        self.table.setVisible(has_cells)
        self.lines.setVisible(not has_cells)
        self.set_text(" ".join(self._description()))
        self._validate(self._form)

    def _description(self) -> Iterator[str]:
        rows = len(self.ids) or self._rows
        if self.ids:
            yield tr("The selected {count:row.|rows ({count}), by ascending id.}", count=len(self.ids))
        elif rows is not None:
            yield tr("{count:The only row.|All {count} rows, by ascending id.}", count=rows)
        if self._form == "jsonl":
            yield tr("Each line is a whole record, whatever columns are on screen.")
        elif not self.chosen_columns:
            yield tr("All fields, whatever columns are on screen.")
        elif self._form == "csv":
            yield tr("The columns on screen, in their order; times with their offset from UTC.")
        else:
            yield tr("The columns on screen, in their order.")
        yield tr("Session tokens are masked.")
        if not self._has_csv and self._form != "jsonl" and not self.chosen_columns:
            yield tr("The form of this service's CSV is fixed, so the file is made here of whole records.")
        if (self.ids or not self._has_csv) and self._form != "jsonl" and not self.chosen_columns:
            yield tr("The column user_type is omitted: no record contains it.")

    def _validate(self, form: FileFormat) -> None:
        texts = {
            "delimiter": tr("The delimiter must be one character and differ from quote and escape."),
            "quote": tr("The quote is one character."),
            "escape": tr("The escape is one character."),
        }
        too_many = too_many_rows_text(form, len(self.ids) or self._rows) if is_table_format(form) else ""
        fault = texts.get(invalid_option(self.options), "") or too_many
        self.show_fault(fault)
        self.accept_button.setEnabled(not fault)
        self._preview_timer.stop()
        if not fault:
            self._preview_timer.start()

    def _agree(self) -> None:
        options = self.options
        self.close()
        self.agreed.emit(options)

    def _add_forms(self) -> None:
        """Lists the formats; without its library one is disabled, and its text names the library."""
        forms: dict[FileFormat, str] = {
            "csv": tr("CSV"),
            "jsonl": tr("JSON, a record a line"),
            "xlsx": tr("XLSX, for spreadsheets; times are those of UTC"),
            "parquet": tr("Parquet, for data frames"),
        }
        for form, text in forms.items():
            missing = missing_library_text(form) if is_table_format(form) else ""
            self.form.addItem(f"{text} – {missing}" if missing else text, form)
            if missing:
                _disable_last(self.form)


def _disable_last(box: QComboBox) -> None:
    choices = box.model()
    if isinstance(choices, QStandardItemModel):
        choices.item(box.count() - 1).setEnabled(False)


class _PreviewLines(QPlainTextEdit):
    """The first lines of the file, not wrapped, read-only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("The first records, as they will be written"))
        self.setPlaceholderText(self.accessibleName())
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setMinimumHeight(_PREVIEW_HEIGHT)


class _PreviewTable(PlainTable):
    """The first rows with all columns."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("The first rows, read back"))
        self.horizontalHeader().setMaximumSectionSize(_WIDEST_COLUMN)
        self.verticalHeader().hide()
        self.setMinimumHeight(_PREVIEW_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_preview(self, preview: ExportPreview) -> None:
        """Replaces the rows."""
        self.setColumnCount(len(preview.columns))
        self.setHorizontalHeaderLabels(preview.columns)
        rows = preview.rows[:_PREVIEW_ROWS]
        self.setRowCount(len(rows))
        for line, row in enumerate(rows):
            for place, cell in enumerate(row[: len(preview.columns)]):
                self.setItem(line, place, QTableWidgetItem(cell[:_LONGEST_CELL]))
        self.resizeColumnsToContents()


_TYPE = "events/export/type"
_UNTRIMMED = CsvOptions(max_length=0)  # the service would trim values at 100 characters (§8)


class ExportFileType(msgspec.Struct, frozen=True):
    """A type of file with its export options; ``obstacle`` is why it cannot be written, or empty.

    ``name`` is the one under which the last choice is stored.
    """

    name: str
    label: str
    options: ExportOptions
    suffixes: tuple[str, ...]
    obstacle: str = ""

    @property
    def name_filter(self) -> str:
        """As file dialogs list it: ``JSON, a whole record a line (*.jsonl)``."""
        label = f"{self.label} – {self.obstacle}" if self.obstacle else self.label
        return f"{label} ({' '.join(f'*.{suffix}' for suffix in self.suffixes)})"


def file_types(
    rows: int | None, columns: tuple[str, ...], zone: Zone, sheet: SheetOptions
) -> tuple[ExportFileType, ...]:
    """All types for a file of ``rows`` rows, None if they have not been counted.

    Tables contain ``columns`` (those on screen) with times in ``zone``, except for the type of all fields.
    """
    tabs = CsvOptions(max_length=0, delimiter="\t")
    shown = ExportOptions("csv", _UNTRIMMED, columns=columns, zone=zone)
    of_excel = replace(shown, escape_formulas=True, sheet=sheet)
    of_libreoffice = replace(of_excel, sheet=replace(sheet, time_mark="T"))
    sheets = (
        ExportFileType("excel", tr("CSV for Excel"), of_excel, ("csv",)),
        ExportFileType("libreoffice", tr("CSV for LibreOffice"), of_libreoffice, ("csv",)),
    )
    return (
        # That of this system first: there is no Excel for Linux.
        *(reversed(sheets) if sys.platform == "linux" else sheets),
        ExportFileType("exact", tr("CSV, exact: times with their offset"), shown, ("csv",)),
        ExportFileType("tabs", tr("Separated by tabs"), replace(shown, csv=tabs), ("tsv", "csv")),
        ExportFileType(
            "all", tr("CSV with all fields, separated by commas"), ExportOptions("csv", _UNTRIMMED), ("csv",)
        ),
        ExportFileType(
            "jsonl", tr("JSON, a whole record a line"), ExportOptions("jsonl", _UNTRIMMED), ("jsonl",)
        ),
        _table(tr("XLSX, for spreadsheets; times are those of UTC"), "xlsx", shown, rows),
        _table(tr("Parquet, for data frames"), "parquet", shown, rows),
    )


def sheet_options(order: tuple[Sort, ...], zone: Zone) -> SheetOptions:
    """The options for a spreadsheet on this computer, sorted by ``order``, with times in ``zone``.

    Numbers are those of the system's locale, which spreadsheets use, or of the program's language where the
    system has none.
    """
    system = QLocale.system()
    locale = QLocale() if system.language() == QLocale.Language.C else system
    local = bytes(QTimeZone.systemTimeZoneId().data()).decode()
    return SheetOptions(order, locale.decimalPoint(), "UTC" if zone == "utc" else local)


def last_type(settings: QSettings, types: Sequence[ExportFileType]) -> ExportFileType:
    """The type that was chosen last, or the first if that is not possible."""
    name = settings.value(_TYPE)
    return next((each for each in types if each.name == name and not each.obstacle), types[0])


def remember_type(settings: QSettings, chosen: ExportFileType) -> None:
    """Stores the choice for `last_type`."""
    settings.setValue(_TYPE, chosen.name)


def type_of_path(target: Path, chosen: ExportFileType, types: Sequence[ExportFileType]) -> ExportFileType:
    """The type for a typed name: its ending decides if it is one of a type, else the ``chosen`` type."""
    suffix = target.suffix.removeprefix(".").casefold()
    if suffix in chosen.suffixes:
        return chosen
    return next((each for each in types if suffix in each.suffixes), chosen)


def suggested_name(suffix: str) -> str:
    """``events 2026-11-22.csv``."""
    return f"events {in_zone(datetime.now(UTC)):%Y-%m-%d}.{suffix}"


class ExportFileDialog(QFileDialog):
    """Asks for a file; its ending follows the type. Types that cannot be written are listed with the reason.

    Signals: ``accepted_file`` (Path, ExportFileType).
    """

    accepted_file = Signal(object, object)

    def __init__(
        self, folder: str, types: Sequence[ExportFileType], first: ExportFileType, parent: QWidget
    ) -> None:
        """``first`` is the type that is selected at first."""
        super().__init__(parent, "", folder)
        self.setWindowTitle(tr("Export events"))
        self._types = {each.name_filter: each for each in types}
        self.setObjectName("events.export.dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setNameFilters(list(self._types))
        self._disable_impossible()
        self.selectNameFilter(first.name_filter)
        suffix = first.suffixes[0]
        self.setDefaultSuffix(suffix)
        self.selectFile(suggested_name(suffix))
        self.filterSelected.connect(self._change_suffix)
        self.fileSelected.connect(self._accept_file)

    def _disable_impossible(self) -> None:
        """Disables types with an obstacle; native dialogs have no such list, so the controller checks too."""
        box = self.findChild(QComboBox, "fileTypeCombo")
        choices = None if box is None else box.model()
        if isinstance(choices, QStandardItemModel):
            for place, each in enumerate(self._types.values()):
                choices.item(place).setEnabled(not each.obstacle)

    def _change_suffix(self, name_filter: str) -> None:
        suffix = self._types[name_filter].suffixes[0]
        known = {one for each in self._types.values() for one in each.suffixes}
        typed = [Path(path) for path in self.selectedFiles()]
        self.setDefaultSuffix(suffix)
        if typed and typed[0].suffix.removeprefix(".") in known:
            self.selectFile(typed[0].with_suffix(f".{suffix}").name)

    def _accept_file(self, path: str) -> None:
        types = list(self._types.values())
        chosen = self._types.get(self.selectedNameFilter(), types[0])
        self.accepted_file.emit(Path(path), type_of_path(Path(path), chosen, types))


def file_dialog_for(form: FileFormat, folder: str, parent: QWidget) -> QFileDialog:
    """A dialog for a file of one type only, whose options have been chosen already."""
    dialog = QFileDialog(parent, tr("Export events"), folder, acceptMode=QFileDialog.AcceptMode.AcceptSave)
    dialog.setObjectName("events.export.dialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    filters: dict[FileFormat, str] = {
        "csv": tr("CSV (*.csv)"),
        "jsonl": tr("JSON lines (*.jsonl)"),
        "xlsx": tr("XLSX (*.xlsx)"),
        "parquet": tr("Parquet (*.parquet)"),
    }
    dialog.setNameFilter(filters[form])
    dialog.setDefaultSuffix(form)
    dialog.selectFile(suggested_name(form))
    return dialog


def _table(label: str, form: TableFormat, shown: ExportOptions, rows: int | None) -> ExportFileType:
    obstacle = missing_library_text(form)
    if not obstacle and too_many_rows_text(form, rows):
        obstacle = tr("holds no more than {most} rows", most=TABLE_LIMITS[form].rows or 0)
    return ExportFileType(form, label, replace(shown, file_format=form), (form,), obstacle)


_MINUTE = 60  # seconds


def missing_library_text(form: TableFormat) -> str:
    """Which library must be installed for ``form``; empty if it is installed."""
    name = missing_library(form)
    return tr("needs the library {name}", name=name) if name else ""


def too_many_rows_text(form: TableFormat, rows: int | None) -> str:
    """Why a file of ``form`` cannot contain ``rows``; empty if it can or ``rows`` is None (not counted)."""
    most = TABLE_LIMITS[form].rows
    if most is None or rows is None or rows <= most:
        return ""
    return tr(
        "An XLSX sheet holds {most} rows, but there are {rows}: set filters or use CSV.", most=most, rows=rows
    )


def progress_text(progress: ExportProgress) -> str:
    """``Export: 12,000 of 20,000 rows · 3.1 MB · 4 s left``, or how much of a table has been written."""
    if progress.converted is not None:
        made = tr(
            "writing the table, {made} of {rows:1 row|{rows} rows}",
            rows=progress.rows,
            made=progress.converted,
        )
        return f"{tr('Export')}: {made}"
    parts = [_rows(progress), size_text(progress.size)]
    left = progress.seconds_left
    if left is not None:
        parts.append(time_left_text(left))
    return f"{tr('Export')}: {' · '.join(parts)}"


def waiting_text(progress: ExportProgress) -> str:
    """The progress while the service does not answer."""
    waits = tr("waiting for the service")
    return f"{tr('Export')}: {_rows(progress)} · {waits}"


def success_message(export: Export, receipt: Path | None = None, *, as_shown: bool = False) -> ErrorMessage:
    """What was written where; ``receipt`` is the file beside it that describes the export.

    ``as_shown``: the rows have the order of the table, otherwise that of their ids.
    """
    done = export.progress
    rows = tr("{rows:1 row|{rows} rows}", rows=done.rows)
    text = tr(
        "{rows}, {order}, {size}, in {target}. Session tokens are masked.",
        rows=rows,
        order=tr("in the order of the table") if as_shown else tr("by ascending id"),
        size=size_text(done.size),
        target=str(export.target),
    )
    if done.cut:
        cut = tr("Values cut because they were too long for a cell: {count}.", count=done.cut)
        text = f"{text} {cut}"
    if export.checkpoint.unreadable:
        text = f"{text} {_unreadable_text(export)}"
    if receipt is not None:
        text = f"{text} {tr('The receipt beside it is {name}.', name=receipt.name)}"
    return ErrorMessage(tr("Exported"), text, "")


def _unreadable_text(export: Export) -> str:
    count = export.checkpoint.unreadable
    if any(stretch.columns for stretch in export.checkpoint.sections):
        return tr("Unreadable records, included as far as possible: {count}.", count=count)
    return tr("Unreadable records, included unchanged: {count}.", count=count)


def cancelled_message(export: Export) -> ErrorMessage:
    """The result of a cancelled export."""
    text = tr("The target file was not changed.")
    return ErrorMessage(tr("Export cancelled"), f"{export.target}: {text}", "")


def failure_message(export: Export, error: BaseException) -> ErrorMessage:
    """Why the export has failed, and what is kept of the file."""
    if isinstance(error, TooManyRowsError | TableError):
        text = _table_error_text(error)
        return ErrorMessage(tr("Not exported"), f"{text} {_kept(export)}", "")
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        title = tr("The disk is full") if full else tr("Not exported")
        reason = "" if full else (error.strerror or str(error))
        cause = tr("The file could not be written completely.")
        remedy = tr("Make room there or choose another place, and export again.")
        text = " ".join(part for part in (cause, reason, _kept(export)) if part)
        return ErrorMessage(title, text, remedy)
    if isinstance(error, CsvPageError):
        remedy = tr("Try JSON, a record a line.")
        text = tr(
            "The service has sent something other than the CSV that was asked for: {reason}.",
            reason=str(error),
        )
        return ErrorMessage(tr("Export incomplete"), f"{text} {_kept(export)}", remedy)
    title = tr("Export incomplete")
    if isinstance(error, IncompleteResultError):
        text = tr(
            "The service counts {total:1 row|{total} rows} and returns only {rows}, also when asked again.",
            total=error.total,
            rows=error.rows,
        )
        return ErrorMessage(title, text, _kept(export))
    failure = error_message(error)
    return ErrorMessage(
        title, f"{failure.title}. {failure.text}", _kept(export), failure.code, failure.details
    )


def _table_error_text(error: TooManyRowsError | TableError) -> str:
    if isinstance(error, TooManyRowsError):
        most = TABLE_LIMITS["xlsx"].rows or 0
        return tr("An XLSX sheet holds {most} rows, but there are more: set filters or use CSV.", most=most)
    if error.reason == "columns":
        most = TABLE_LIMITS["xlsx"].columns or 0
        return tr("An XLSX sheet holds {most} columns: keep info in one column or use CSV.", most=most)
    return tr("The table could not be created: {reason}.", reason=error.reason)


def _kept(export: Export) -> str:
    if not export.is_part_kept:
        return tr("The target file was not changed.")
    return tr(
        "{rows} are in {part}: repeat the same export to this file to continue.",
        rows=_rows(export.progress),
        part=str(export.part),
    )


def _rows(progress: ExportProgress) -> str:
    if progress.total is None:
        return tr("{rows:1 row|{rows} rows}", rows=progress.rows)
    return tr("{rows} of {total:1 row|{total} rows}", total=progress.total, rows=progress.rows)


def time_left_text(seconds: float) -> str:
    """``45 s left``, ``30 minutes left``, ``2 hours 5 minutes left``."""
    if seconds < _MINUTE:
        return tr("{seconds} s left", seconds=max(1, round(seconds)))
    hours, minutes = divmod(round(seconds / _MINUTE), _MINUTE)
    names = [tr("{number:1 hour|{number} hours}", number=hours)] if hours else []
    if minutes:
        names.append(tr("{number:1 minute|{number} minutes}", number=minutes))
    return tr("{names} left", names=" ".join(names))
