"""Says how an export goes, and what became of it, in the user's language."""

from __future__ import annotations

import errno
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.events.export import Export, Progress
from cdb_desktop.vocabulary.sentences import Sentence

translate = QCoreApplication.translate
_MINUTE = 60


def progress_words(progress: Progress) -> str:
    """``Export: 12,000 of 20,000 rows · 3.1 MB · 4 s left``."""
    parts = [_rows(progress), _size(progress)]
    left = progress.seconds_left
    if left is not None and left < _MINUTE:
        parts.append(translate("Export", "%1 s left").replace("%1", _number(max(1, round(left)))))
    elif left is not None:
        parts.append(translate("Export", "%1 min left").replace("%1", _number(round(left / _MINUTE))))
    return f"{translate('Export', 'Export')}: {' · '.join(parts)}"


def waiting_words(progress: Progress) -> str:
    """The service does not answer, and the export waits for it."""
    waits = translate("Export", "waiting for the service")
    return f"{translate('Export', 'Export')}: {_rows(progress)} · {waits}"


def success_words(export: Export) -> Sentence:
    """Everything is in the file."""
    text = translate("Export", "%1, by ascending id, %2, in %3. Session tokens are masked.")
    done = export.progress
    rows = translate("Export", "%1 rows").replace("%1", _number(done.rows))
    filled = text.replace("%1", rows).replace("%2", _size(done)).replace("%3", str(export.target))
    return Sentence(translate("Export", "Exported"), filled, "")


def failure_words(
    export: Export, error: BaseException, words: Callable[[BaseException], Sentence]
) -> Sentence:
    """Why the export has ended early, and what is kept of it."""
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        title = translate("Export", "The disk is full") if full else translate("Export", "Not exported")
        reason = "" if full else (error.strerror or str(error))
        cause = translate("Export", "The file could not be written to the end.")
        remedy = translate("Export", "Make room there or choose another place, and export again.")
        told = " ".join(part for part in (cause, reason, _kept(export)) if part)
        return Sentence(title, told, remedy)
    said = words(error)
    return Sentence(
        translate("Export", "Not exported to the end"), f"{said.title}. {said.text}", _kept(export)
    )


def _kept(export: Export) -> str:
    if not export.is_part_kept:
        return translate("Export", "Nothing is kept of it; what stood under this name is as it was.")
    text = translate("Export", "%1 are kept in %2; the file itself is as it was.")
    return text.replace("%1", _rows(export.progress)).replace("%2", str(export.part))


def _rows(progress: Progress) -> str:
    if progress.total is None:
        return translate("Export", "%1 rows").replace("%1", _number(progress.rows))
    words = translate("Export", "%1 of %2 rows").replace("%2", _number(progress.total))
    return words.replace("%1", _number(progress.rows))


def _size(progress: Progress) -> str:
    return QLocale().formattedDataSize(progress.size, 1, QLocale.DataSizeFormat.DataSizeSIFormat)


def _number(number: int) -> str:
    return QLocale().toString(number)
