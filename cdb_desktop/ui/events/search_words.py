"""Says how a search goes and why something cannot be looked for, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

from cdb_desktop.events.search import MOST_HITS, Progress
from cdb_desktop.vocabulary.pattern import PatternError

translate = QCoreApplication.translate


def progress_words(progress: Progress) -> str:
    """``12 hits in 40,000 of 1,000,000 events · 8 s left``."""
    told = [_hits(progress), _left(progress)]
    return " · ".join(part for part in told if part)


def result_words(progress: Progress, *, ended: bool) -> str:
    """What was found, and where the search has stopped."""
    told = [_hits(progress)]
    if not ended:
        told.append(translate("Search", "stopped"))
    if progress.hits > MOST_HITS:
        most = translate("Search", "the first %1 are listed")
        told.append(most.replace("%1", _number(MOST_HITS)))
    return " · ".join(told)


def refusal_words(error: PatternError) -> str:
    """Why this cannot be looked for."""
    if not error.reason:
        return translate(
            "Search", "Type a key, an equals sign and a value: object_id=77, or key=* for any value."
        )
    return translate("Search", "No regular expression: %1").replace("%1", error.reason)


def _hits(progress: Progress) -> str:
    if progress.total is None or progress.searched >= progress.total:
        told = translate("Search", "%1 hits in %2 events")
    else:
        told = translate("Search", "%1 hits in %2 of %3 events").replace("%3", _number(progress.total))
    return told.replace("%1", _number(progress.hits)).replace("%2", _number(progress.searched))


def _left(progress: Progress) -> str:
    left = progress.seconds_left
    return (
        "" if left is None else translate("Search", "%1 s left").replace("%1", _number(max(1, round(left))))
    )


def _number(number: int) -> str:
    return QLocale().toString(number)
