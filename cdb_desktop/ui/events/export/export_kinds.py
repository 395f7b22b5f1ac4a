"""The kinds of files that rows are exported to without further options. Asks nobody."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from cdb_desktop.client import CsvOptions
from cdb_desktop.events.export.options import ExportOptions
from cdb_desktop.events.export.tables import TABLE_LIMITS, TableFormat
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.export.export_words import missing_words, overfull_words
from cdb_desktop.vocabulary.times import Zone

translate = QCoreApplication.translate
_WHOLE = CsvOptions(max_length=0)  # the service would trim values at 100 characters (§8)


class Kind(msgspec.Struct, frozen=True):
    """What is wished for, and how such files end; ``obstacle`` says why there can be none, else empty."""

    words: str
    wish: ExportOptions
    suffixes: tuple[str, ...]
    obstacle: str = ""

    @property
    def filter(self) -> str:
        """As a dialog for files lists it."""
        told = f"{self.words} – {self.obstacle}" if self.obstacle else self.words
        return f"{told} ({' '.join(f'*.{suffix}' for suffix in self.suffixes)})"


def kinds_for(rows: int | None, columns: tuple[str, ...] = (), zone: Zone = "utc") -> tuple[Kind, ...]:
    """All kinds; ``rows`` are to go into the file, None where nobody has counted them.

    With ``columns`` on screen those are what tables hold, and there is one with all fields besides.
    """
    kinds = _kinds_of_all(rows)
    if not columns:
        return kinds
    shown = tuple(replace(kind, wish=_of_columns(kind.wish, columns, zone)) for kind in kinds)
    everything = _csv(translate("Export", "CSV with all fields, separated by commas"), _WHOLE)
    tables = sum(kind.wish.file_format == "csv" for kind in kinds)
    return (*shown[:tables], everything, *shown[tables:])


def _of_columns(wish: ExportOptions, columns: tuple[str, ...], zone: Zone) -> ExportOptions:
    return wish if wish.file_format == "jsonl" else replace(wish, columns=columns, zone=zone)


def _kinds_of_all(rows: int | None) -> tuple[Kind, ...]:
    return (
        _csv(translate("Export", "CSV, separated by commas"), CsvOptions(max_length=0)),
        _csv(
            translate("Export", "CSV, with a byte order mark for spreadsheets"),
            CsvOptions(max_length=0, use_bom=True),
        ),
        _csv(
            translate("Export", "CSV, separated by semicolons"),
            CsvOptions(max_length=0, delimiter=";", use_bom=True),
        ),
        Kind(
            translate("Export", "Separated by tabs"),
            ExportOptions("csv", CsvOptions(max_length=0, delimiter="\t")),
            ("tsv", "csv"),
        ),
        Kind(translate("Export", "JSON, a whole record a line"), ExportOptions("jsonl", _WHOLE), ("jsonl",)),
        _table(translate("Export", "XLSX, for spreadsheets; times are those of UTC"), "xlsx", rows),
        _table(translate("Export", "Parquet, for data frames"), "parquet", rows),
    )


def meant(target: Path, chosen: Kind, kinds: Sequence[Kind]) -> Kind:
    """The kind that somebody wants who has chosen one and typed a name: its ending decides, if it is one."""
    suffix = target.suffix.removeprefix(".").casefold()
    if suffix in chosen.suffixes:
        return chosen
    return next((kind for kind in kinds if suffix in kind.suffixes), chosen)


def _csv(words: str, options: CsvOptions) -> Kind:
    return Kind(words, ExportOptions("csv", options), ("csv",))


def _table(words: str, form: TableFormat, rows: int | None) -> Kind:
    obstacle = missing_words(form)
    if not obstacle and overfull_words(form, rows):
        most = number_text(TABLE_LIMITS[form].rows or 0)
        obstacle = translate("Export", "holds no more than %1 rows").replace("%1", most)
    return Kind(words, ExportOptions(form, _WHOLE), (form,), obstacle)
