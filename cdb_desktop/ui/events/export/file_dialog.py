"""The dialog for the file of an export and its type, and the types that it lists."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QLocale, QSettings, Qt, QTimeZone, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from cdb_desktop.client import CsvOptions, Sort
from cdb_desktop.events.export.options import ExportOptions, FileFormat
from cdb_desktop.events.export.sheet import SheetOptions
from cdb_desktop.events.export.table_files import TABLE_LIMITS, TableFormat
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.export.messages import missing_library_text, too_many_rows_text
from cdb_desktop.ui.widgets.files import LastFolder
from cdb_desktop.vocabulary.times import Zone, in_zone

_FOLDER, _TYPE = "events/export/folder", "events/export/type"
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


def export_folder(settings: QSettings) -> LastFolder:
    """The remembered folder of exports of every type."""
    return LastFolder(settings, _FOLDER)


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
    dialog = QFileDialog(parent, tr("Export events"), folder)
    dialog.setObjectName("events.export.dialog")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
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
