"""Says how a search goes and why something cannot be looked for, in the user's language."""

from __future__ import annotations

import re

from cdb_desktop.events.search import MAX_HITS, SearchProgress
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.query_text import time_left_words
from cdb_desktop.vocabulary.pattern import Pattern, PatternError, PatternKind, UnsupportedSyntax

_LIKE_PAIR = re.compile(r"\s*[A-Za-z_][\w.]*\s*=\s*\S")
_MOST_SHOWN = 60  # characters of an example


def progress_words(progress: SearchProgress) -> str:
    """``12 hits in 40,000 of 1,000,000 events · 8 s left``."""
    told = [_hits(progress), _left(progress)]
    return " · ".join(part for part in told if part)


def waiting_words(progress: SearchProgress) -> str:
    """The service does not answer, and the search waits for it."""
    waits = tr("waiting for the service")
    return f"{_hits(progress)} · {waits}" if progress.searched else waits


def result_words(progress: SearchProgress, *, ended: bool) -> str:
    """What was found, and where the search has stopped."""
    told = [_hits(progress)]
    if progress.unreadable:
        told.append(tr("records that could not be read: {count}", count=progress.unreadable))
    if not ended:
        told.append(tr("stopped"))
    if progress.hits > MAX_HITS:
        told.append(tr("the first {most} are listed", most=MAX_HITS))
    return " · ".join(told)


def rule_words(kind: PatternKind, text: str = "") -> str:
    """How ``text`` is taken, where that is not plain."""
    if pair_offer(text, kind):
        return tr("This is searched as literal text, including the equals sign.")
    if kind is PatternKind.KEY:
        return tr(
            "Values are compared as a whole; * matches any text: exception=*denied*. Several "
            "pairs must all match: objecttype=image object_id=530. Put a value that contains = "
            "in quotes."
        )
    return ""


def pair_offer(text: str, kind: PatternKind) -> str:
    """What a button says that looks for a key with its value, where that may be meant; else nothing."""
    is_pair = kind is PatternKind.TEXT and _LIKE_PAIR.match(text) is not None
    return tr("Look for key=value") if is_pair else ""


def advice_words(pattern: Pattern) -> str:
    """What else to try after nothing was found; empty where there is no advice."""
    if pair_offer(pattern.text, pattern.kind):
        return tr("0 hits: this was searched as text. Choose key=value to search for a value.")
    whole = next((pair for pair in pattern.pairs if pair.is_whole and pair.pieces[0]), None)
    if whole is None or len(whole.pieces[0]) > _MOST_SHOWN:
        return ""
    return tr(
        "0 hits: values are compared as a whole. Write {example} for a part of it.",
        example=f"{whole.key}=*{whole.pieces[0]}*",
    )


def cleared_words(key: str) -> str:
    """The query has no filters any more for the sake of a search; ``key`` takes that back."""
    return tr("The filters were removed to search the whole log; {key} restores them.", key=key)


def refusal_words(error: PatternError) -> str:
    """Why this cannot be looked for, and what to do."""
    if not error.reason:
        return tr("Type a key, an equals sign and a value: object_id=77, or key=* for any value.")
    if error.unsupported is UnsupportedSyntax.LOOK_AROUND:
        return tr(
            "Lookahead and lookbehind, such as (?=…) and (?<=…), are not supported. Include the "
            "surrounding text instead, such as “denied: .*” in place of “(?<=denied: ).*”."
        )
    if error.unsupported is UnsupportedSyntax.BACK_REFERENCE:
        return tr("Backreferences such as \\1 are not supported: write the repeated text out.")
    return tr("Invalid regular expression: {reason}", reason=error.reason)


def _hits(progress: SearchProgress) -> str:
    hits = tr("{hits:1 hit|{hits} hits}", hits=progress.hits)
    return f"{hits} {_where(progress)}"


def _where(progress: SearchProgress) -> str:
    searched, total = progress.searched, progress.total
    if total is not None and searched < total:
        return tr("in {searched} of {total:1 event|{total} events}", total=total, searched=searched)
    return tr("in {searched:1 event|{searched} events}", searched=searched)


def _left(progress: SearchProgress) -> str:
    left = progress.seconds_left
    return "" if left is None else time_left_words(left)
