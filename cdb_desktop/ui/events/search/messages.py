"""Messages of the search: progress, results, and why something cannot be searched for."""

from __future__ import annotations

import re
from enum import Enum

import msgspec

from cdb_desktop.events.search import MAX_HITS, SearchProgress
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.browser.filter_text import time_left_text
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind
from cdb_desktop.vocabulary.pattern import Pattern, PatternError, PatternKind, UnsupportedSyntax

_LIKE_PAIR = re.compile(r"\s*[A-Za-z_][\w.]*\s*=\s*\S")
_LONGEST_EXAMPLE = 60  # characters of an example
_LONGEST_SHOWN = 120  # characters


class SearchScope(Enum):
    """Where to search: the result of the query, its loaded rows, or the whole log."""

    RESULT = "result"
    LOADED = "loaded"
    LOG = "log"


class HitsPlaceholder(msgspec.Struct, frozen=True):
    """The text shown instead of hits; ``step`` is the text of a button, empty for none."""

    kind: EmptyStateKind
    title: str
    text: str
    step: str = ""


def progress_text(progress: SearchProgress) -> str:
    """``12 hits in 40,000 of 1,000,000 events · 8 s left``."""
    texts = [_hits(progress), _left(progress)]
    return " · ".join(part for part in texts if part)


def waiting_text(progress: SearchProgress) -> str:
    """The progress while the service does not answer."""
    waits = tr("waiting for the service")
    return f"{_hits(progress)} · {waits}" if progress.searched else waits


def result_text(progress: SearchProgress, *, ended: bool) -> str:
    """The result; ``ended`` is False if the search was stopped."""
    texts = [_hits(progress)]
    if progress.unreadable:
        texts.append(tr("records that could not be read: {count}", count=progress.unreadable))
    if not ended:
        texts.append(tr("stopped"))
    if progress.hits > MAX_HITS:
        texts.append(tr("the first {most} are listed", most=MAX_HITS))
    return " · ".join(texts)


def rule_text(kind: PatternKind, text: str = "") -> str:
    """How ``text`` is interpreted; empty if that is obvious."""
    if key_value_offer(text, kind):
        return tr("This is searched as literal text, including the equals sign.")
    if kind is PatternKind.KEY:
        return tr(
            "Values are compared as a whole; * matches any text: exception=*denied*. Several "
            "pairs must all match: objecttype=image object_id=530. Put a value that contains = "
            "in quotes."
        )
    return ""


def key_value_offer(text: str, kind: PatternKind) -> str:
    """The button that searches for key=value if ``text`` looks like that, else empty."""
    is_pair = kind is PatternKind.TEXT and _LIKE_PAIR.match(text) is not None
    return tr("Look for key=value") if is_pair else ""


def advice_text(pattern: Pattern) -> str:
    """What else to try after nothing was found; empty if there is no advice."""
    if key_value_offer(pattern.text, pattern.kind):
        return tr("0 hits: this was searched as text. Choose key=value to search for a value.")
    whole = next((pair for pair in pattern.pairs if pair.is_whole and pair.pieces[0]), None)
    if whole is None or len(whole.pieces[0]) > _LONGEST_EXAMPLE:
        return ""
    return tr(
        "0 hits: values are compared as a whole. Write {example} for a part of it.",
        example=f"{whole.key}=*{whole.pieces[0]}*",
    )


def filters_removed_text(key: str) -> str:
    """Informs that the filters were removed for a search; the shortcut ``key`` restores them."""
    return tr("The filters were removed to search the whole log; {key} restores them.", key=key)


def invalid_pattern_text(error: PatternError) -> str:
    """Why a pattern cannot be searched for, and what to do."""
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
    return f"{hits} {_scope_text(progress)}"


def _scope_text(progress: SearchProgress) -> str:
    searched, total = progress.searched, progress.total
    if total is not None and searched < total:
        return tr("in {searched} of {total:1 event|{total} events}", total=total, searched=searched)
    return tr("in {searched:1 event|{searched} events}", searched=searched)


def _left(progress: SearchProgress) -> str:
    left = progress.seconds_left
    return "" if left is None else time_left_text(left)


def initial_placeholder() -> HitsPlaceholder:
    """Before the first search."""
    text = tr("Type the text to search for above and press Return. Hits appear as they are found.")
    return HitsPlaceholder(EmptyStateKind.WELCOME, tr("Search in everything"), text)


def searching_placeholder(pattern: Pattern) -> HitsPlaceholder:
    """During a search without hits so far."""
    text = tr("Looking for “{text}”…", text=_shown(pattern))
    return HitsPlaceholder(EmptyStateKind.LOADING, tr("No hits so far"), text)


def no_hits_placeholder(
    pattern: Pattern, scope: SearchScope, progress: SearchProgress, *, filtered: bool
) -> HitsPlaceholder:
    """After a search without hits: what was searched, and where else to search."""
    texts = [_pattern_text(pattern), _searched(scope, progress, filtered=filtered)]
    if pattern.exact:
        texts.append(tr("Case was not ignored."))
    step = ""
    if scope is SearchScope.LOADED:
        step = tr("Search the whole result")
    elif filtered:
        step = tr("Search the whole log")
    elif pattern.kind is PatternKind.TEXT:
        texts.append(tr("A part of the word may be enough."))
    return HitsPlaceholder(EmptyStateKind.EMPTY, tr("Nothing found"), " ".join(texts), step)


def incomplete_placeholder(pattern: Pattern, why: str) -> HitsPlaceholder:
    """After a search without hits that was stopped or has failed; ``why`` is empty if it was stopped."""
    title = tr("Search incomplete")
    return HitsPlaceholder(
        EmptyStateKind.FAILED if why else EmptyStateKind.EMPTY,
        title,
        f"{_pattern_text(pattern)} {why}".strip(),
    )


def _pattern_text(pattern: Pattern) -> str:
    text = _shown(pattern)
    return {
        PatternKind.TEXT: tr("Looked for the text “{text}”.", text=text),
        PatternKind.REGEX: tr("Looked for the regular expression “{text}”.", text=text),
        PatternKind.KEY: tr("Looked for events with {text}.", text=text),
        PatternKind.OBJECT: tr("Looked for events of {text}.", text=text),
    }[pattern.kind]


def _shown(pattern: Pattern) -> str:
    return pattern.text if len(pattern.text) <= _LONGEST_SHOWN else f"{pattern.text[: _LONGEST_SHOWN - 1]}…"


def _searched(scope: SearchScope, progress: SearchProgress, *, filtered: bool) -> str:
    if scope is SearchScope.LOADED:
        return tr(
            "Only the {count:one loaded row was|{count} loaded rows were} searched.", count=progress.searched
        )
    if filtered:
        return tr(
            "Only the {count:one event that matches the filters was|"
            "{count} events that match the filters were} searched.",
            count=progress.searched,
        )
    return tr(
        "{count:The only event was|All {count} events were} searched, with all fields and info.",
        count=progress.searched,
    )
