"""Messages about exports: progress, results, and why something is not possible."""

from __future__ import annotations

import errno
from pathlib import Path

from cdb_desktop.events.export.csv_page import CsvPageError
from cdb_desktop.events.export.export import Export, ExportProgress, TooManyRowsError
from cdb_desktop.events.export.table_files import (
    TABLE_LIMITS,
    TableError,
    TableFormat,
    missing_library,
)
from cdb_desktop.events.result import IncompleteResultError
from cdb_desktop.foundation.i18n import size_text, tr
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

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
    names = [name for number, name in ((hours, _hours(hours)), (minutes, _minutes(minutes))) if number]
    return tr("{names} left", names=" ".join(names))


def _hours(number: int) -> str:
    return tr("{number:1 hour|{number} hours}", number=number)


def _minutes(number: int) -> str:
    return tr("{number:1 minute|{number} minutes}", number=number)
