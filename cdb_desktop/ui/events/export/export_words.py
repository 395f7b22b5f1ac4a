"""Says how an export goes, and what became of it, in the user's language."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.events.export.csv_page import CsvPageError
from cdb_desktop.events.export.export import Export, ExportProgress, TooManyRowsError
from cdb_desktop.events.export.tables import (
    TABLE_LIMITS,
    WRITER_LIBRARIES,
    TableError,
    TableFormat,
    writer_library,
)
from cdb_desktop.events.result import IncompleteResultError
from cdb_desktop.foundation.i18n import number_text
from cdb_desktop.ui.events.browser.phrases import time_left_words
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.vocabulary.error_messages import ErrorMessage

translate = QCoreApplication.translate
_LIBRARIES = {"pyarrow": "pyarrow", "xlsxwriter": "XlsxWriter", "openpyxl": "openpyxl"}


def missing_words(form: TableFormat) -> str:
    """Which library must be installed for ``form``; empty where there is one."""
    if writer_library(form) is not None:
        return ""
    names = [_LIBRARIES[name] for name in WRITER_LIBRARIES[form]]
    if len(names) == 1:
        return translate("Export", "needs the library %1").replace("%1", names[0])
    told = translate("Export", "needs the library %1 or %2")
    return told.replace("%1", names[0]).replace("%2", names[1])


def overfull_words(form: TableFormat, rows: int | None) -> str:
    """That so many rows do not go into a file of ``form``; empty where they do, or nobody has counted."""
    most = TABLE_LIMITS[form].rows
    if most is None or rows is None or rows <= most:
        return ""
    told = translate("Export", "An XLSX sheet holds %1 rows, but there are %2: set filters or use CSV.")
    return told.replace("%1", number_text(most)).replace("%2", number_text(rows))


def progress_words(progress: ExportProgress) -> str:
    """``Export: 12,000 of 20,000 rows · 3.1 MB · 4 s left``, at the end of a table what of it is made."""
    if progress.converted is not None:
        made = plural(
            progress.rows,
            translate("Export", "writing the table, %1 of 1 row"),
            translate("Export", "writing the table, %1 of %2 rows"),
            progress.converted,
            progress.rows,
        )
        return f"{translate('Export', 'Export')}: {made}"
    parts = [_rows(progress), _size(progress)]
    left = progress.seconds_left
    if left is not None:
        parts.append(time_left_words(left))
    return f"{translate('Export', 'Export')}: {' · '.join(parts)}"


def waiting_words(progress: ExportProgress) -> str:
    """The service does not answer, and the export waits for it."""
    waits = translate("Export", "waiting for the service")
    return f"{translate('Export', 'Export')}: {_rows(progress)} · {waits}"


def success_words(export: Export, receipt: Path | None = None) -> ErrorMessage:
    """Everything is in the file; ``receipt`` lies beside it and tells what was asked."""
    text = translate("Export", "%1, by ascending id, %2, in %3. Session tokens are masked.")
    done = export.progress
    rows = plural(done.rows, translate("Export", "1 row"), translate("Export", "%1 rows"))
    filled = text.replace("%1", rows).replace("%2", _size(done)).replace("%3", str(export.target))
    if done.cut:
        cut = translate("Export", "Values cut because they were too long for a cell: %1.")
        filled = f"{filled} {cut.replace('%1', number_text(done.cut))}"
    if export.checkpoint.unreadable:
        unread = _unread_words(export)
        filled = f"{filled} {unread.replace('%1', number_text(export.checkpoint.unreadable))}"
    if receipt is not None:
        beside = translate("Export", "The receipt beside it is %1.")
        filled = f"{filled} {beside.replace('%1', receipt.name)}"
    return ErrorMessage(translate("Export", "Exported"), filled, "")


def _unread_words(export: Export) -> str:
    if any(stretch.columns for stretch in export.checkpoint.sections):
        return translate("Export", "Unreadable records, included as far as possible: %1.")
    return translate("Export", "Unreadable records, included unchanged: %1.")


def cancelled_words(export: Export) -> ErrorMessage:
    """Somebody has given it up."""
    text = translate("Export", "The target file was not changed.")
    return ErrorMessage(translate("Export", "Export cancelled"), f"{export.target}: {text}", "")


def failure_words(
    export: Export, error: BaseException, words: Callable[[BaseException], ErrorMessage]
) -> ErrorMessage:
    """Why the export has ended early, and what is kept of it."""
    if isinstance(error, TooManyRowsError | TableError):
        told = _table_words(error)
        return ErrorMessage(translate("Export", "Not exported"), f"{told} {_kept(export)}", "")
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        title = translate("Export", "The disk is full") if full else translate("Export", "Not exported")
        reason = "" if full else (error.strerror or str(error))
        cause = translate("Export", "The file could not be written completely.")
        remedy = translate("Export", "Make room there or choose another place, and export again.")
        told = " ".join(part for part in (cause, reason, _kept(export)) if part)
        return ErrorMessage(title, told, remedy)
    if isinstance(error, CsvPageError):
        sent = translate(
            "Export", "The service has sent something other than the CSV that was asked for: %1."
        )
        remedy = translate("Export", "Try JSON, a record a line.")
        told = f"{sent.replace('%1', str(error))} {_kept(export)}"
        return ErrorMessage(translate("Export", "Export incomplete"), told, remedy)
    title = translate("Export", "Export incomplete")
    if isinstance(error, IncompleteResultError):
        told = plural(
            error.total,
            translate("Export", "The service counts 1 row and returns only %2, also when asked again."),
            translate("Export", "The service counts %1 rows and returns only %2, also when asked again."),
            error.total,
            error.rows,
        )
        return ErrorMessage(title, told, _kept(export))
    said = words(error)
    return ErrorMessage(title, f"{said.title}. {said.text}", _kept(export), said.code, said.details)


def _table_words(error: TooManyRowsError | TableError) -> str:
    if isinstance(error, TooManyRowsError):
        told = translate("Export", "An XLSX sheet holds %1 rows, but there are more: set filters or use CSV.")
        return told.replace("%1", number_text(TABLE_LIMITS["xlsx"].rows or 0))
    if error.reason == "columns":
        told = translate("Export", "An XLSX sheet holds %1 columns: keep info in one column or use CSV.")
        return told.replace("%1", number_text(TABLE_LIMITS["xlsx"].columns or 0))
    return translate("Export", "The table could not be created: %1.").replace("%1", error.reason)


def _kept(export: Export) -> str:
    if not export.is_part_kept:
        return translate("Export", "The target file was not changed.")
    text = translate("Export", "%1 are in %2: repeat the same export to this file to continue.")
    return text.replace("%1", _rows(export.progress)).replace("%2", str(export.part))


def _rows(progress: ExportProgress) -> str:
    if progress.total is None:
        return plural(progress.rows, translate("Export", "1 row"), translate("Export", "%1 rows"))
    one, many = translate("Export", "%1 of 1 row"), translate("Export", "%1 of %2 rows")
    return plural(progress.total, one, many, progress.rows, progress.total)


def _size(progress: ExportProgress) -> str:
    return QLocale().formattedDataSize(progress.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
