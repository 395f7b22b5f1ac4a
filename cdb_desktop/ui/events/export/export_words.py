"""Says how an export goes, and what became of it, in the user's language."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QLocale

from cdb_desktop.events.export import Export, Progress, TooManyRowsError
from cdb_desktop.events.pages import IncompleteError
from cdb_desktop.events.sheet import SheetError
from cdb_desktop.events.table_forms import LIMITS, WRITERS, TableForm, writer_of
from cdb_desktop.events.table_making import TableError
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.phrases import time_left_words
from cdb_desktop.vocabulary.sentences import Sentence

_LIBRARIES = {"pyarrow": "pyarrow", "xlsxwriter": "XlsxWriter", "openpyxl": "openpyxl"}


def missing_words(form: TableForm) -> str:
    """Which library must be installed for ``form``; empty where there is one."""
    if writer_of(form) is not None:
        return ""
    names = [_LIBRARIES[name] for name in WRITERS[form]]
    if len(names) == 1:
        return tr("needs the library {name}", name=names[0])
    return tr("needs the library {name} or {other}", name=names[0], other=names[1])


def overfull_words(form: TableForm, rows: int | None) -> str:
    """That so many rows do not go into a file of ``form``; empty where they do, or nobody has counted."""
    most = LIMITS[form].rows
    if most is None or rows is None or rows <= most:
        return ""
    return tr(
        "An XLSX sheet holds {most} rows, but there are {rows}: set filters or use CSV.", most=most, rows=rows
    )


def progress_words(progress: Progress) -> str:
    """``Export: 12,000 of 20,000 rows · 3.1 MB · 4 s left``, at the end of a table what of it is made."""
    if progress.made is not None:
        made = tr(
            "writing the table, {made} of {rows:1 row|{rows} rows}", rows=progress.rows, made=progress.made
        )
        return f"{tr('Export')}: {made}"
    parts = [_rows(progress), _size(progress)]
    left = progress.seconds_left
    if left is not None:
        parts.append(time_left_words(left))
    return f"{tr('Export')}: {' · '.join(parts)}"


def waiting_words(progress: Progress) -> str:
    """The service does not answer, and the export waits for it."""
    waits = tr("waiting for the service")
    return f"{tr('Export')}: {_rows(progress)} · {waits}"


def success_words(export: Export, receipt: Path | None = None) -> Sentence:
    """Everything is in the file; ``receipt`` lies beside it and tells what was asked."""
    done = export.progress
    rows = tr("{rows:1 row|{rows} rows}", rows=done.rows)
    filled = tr(
        "{rows}, by ascending id, {size}, in {target}. Session tokens are masked.",
        rows=rows,
        size=_size(done),
        target=str(export.target),
    )
    if done.cut:
        cut = tr("Values cut because they were too long for a cell: {count}.", count=done.cut)
        filled = f"{filled} {cut}"
    if export.kept.unreadable:
        filled = f"{filled} {_unread_words(export)}"
    if receipt is not None:
        filled = f"{filled} {tr('The receipt beside it is {name}.', name=receipt.name)}"
    return Sentence(tr("Exported"), filled, "")


def _unread_words(export: Export) -> str:
    count = export.kept.unreadable
    if any(stretch.columns for stretch in export.kept.stretches):
        return tr("Unreadable records, included as far as possible: {count}.", count=count)
    return tr("Unreadable records, included unchanged: {count}.", count=count)


def cancelled_words(export: Export) -> Sentence:
    """Somebody has given it up."""
    text = tr("The target file was not changed.")
    return Sentence(tr("Export cancelled"), f"{export.target}: {text}", "")


def failure_words(
    export: Export, error: BaseException, words: Callable[[BaseException], Sentence]
) -> Sentence:
    """Why the export has ended early, and what is kept of it."""
    if isinstance(error, TooManyRowsError | TableError):
        told = _table_words(error)
        return Sentence(tr("Not exported"), f"{told} {_kept(export)}", "")
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        title = tr("The disk is full") if full else tr("Not exported")
        reason = "" if full else (error.strerror or str(error))
        cause = tr("The file could not be written completely.")
        remedy = tr("Make room there or choose another place, and export again.")
        told = " ".join(part for part in (cause, reason, _kept(export)) if part)
        return Sentence(title, told, remedy)
    if isinstance(error, SheetError):
        remedy = tr("Try JSON, a record a line.")
        told = tr(
            "The service has sent something other than the CSV that was asked for: {reason}.",
            reason=str(error),
        )
        return Sentence(tr("Export incomplete"), f"{told} {_kept(export)}", remedy)
    title = tr("Export incomplete")
    if isinstance(error, IncompleteError):
        told = tr(
            "The service counts {total:1 row|{total} rows} and returns only {rows}, also when asked again.",
            total=error.total,
            rows=error.rows,
        )
        return Sentence(title, told, _kept(export))
    said = words(error)
    return Sentence(title, f"{said.title}. {said.text}", _kept(export), said.code, said.details)


def _table_words(error: TooManyRowsError | TableError) -> str:
    if isinstance(error, TooManyRowsError):
        most = LIMITS["xlsx"].rows or 0
        return tr("An XLSX sheet holds {most} rows, but there are more: set filters or use CSV.", most=most)
    if error.reason == "columns":
        most = LIMITS["xlsx"].columns or 0
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


def _rows(progress: Progress) -> str:
    if progress.total is None:
        return tr("{rows:1 row|{rows} rows}", rows=progress.rows)
    return tr("{rows} of {total:1 row|{total} rows}", total=progress.total, rows=progress.rows)


def _size(progress: Progress) -> str:
    return QLocale().formattedDataSize(progress.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
