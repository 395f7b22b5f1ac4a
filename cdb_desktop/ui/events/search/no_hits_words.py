"""Says what is or was looked for while there is no hit, and what to do about it, in the user's language."""

from __future__ import annotations

from cdb_desktop.events.search import SearchProgress
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.ui.events.search.hits_place import Told
from cdb_desktop.ui.events.search.search_scope import Scope
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind
from cdb_desktop.vocabulary import pattern

_MOST_SHOWN = 120  # characters


def before_words() -> Told:
    """Nobody has searched yet."""
    text = tr("Type the text to search for above and press Return. Hits appear as they are found.")
    return Told(EmptyStateKind.WELCOME, tr("Search in everything"), text)


def during_words(wanted: pattern.Pattern) -> Told:
    """The search is under way."""
    text = tr("Looking for “{text}”…", text=_shown(wanted))
    return Told(EmptyStateKind.LOADING, tr("No hits so far"), text)


def nothing_words(wanted: pattern.Pattern, scope: Scope, progress: SearchProgress, *, filtered: bool) -> Told:
    """What was searched to the end; what goes further than that is offered."""
    told = [_looked_for(wanted), _searched(scope, progress, filtered=filtered)]
    if wanted.exact:
        told.append(tr("Case was not ignored."))
    step = ""
    if scope is Scope.LOADED:
        step = tr("Search the whole result")
    elif filtered:
        step = tr("Search the whole log")
    elif wanted.kind is pattern.PatternKind.TEXT:
        told.append(tr("A part of the word may be enough."))
    return Told(EmptyStateKind.EMPTY, tr("Nothing found"), " ".join(told), step)


def cut_short_words(wanted: pattern.Pattern, why: str) -> Told:
    """It was stopped or has failed before there was a hit; ``why`` is empty where the user wanted that."""
    title = tr("Search incomplete")
    return Told(
        EmptyStateKind.FAILED if why else EmptyStateKind.EMPTY, title, f"{_looked_for(wanted)} {why}".strip()
    )


def _looked_for(wanted: pattern.Pattern) -> str:
    text = _shown(wanted)
    return {
        pattern.PatternKind.TEXT: tr("Looked for the text “{text}”.", text=text),
        pattern.PatternKind.REGEX: tr("Looked for the regular expression “{text}”.", text=text),
        pattern.PatternKind.KEY: tr("Looked for events with {text}.", text=text),
    }[wanted.kind]


def _shown(wanted: pattern.Pattern) -> str:
    return wanted.text if len(wanted.text) <= _MOST_SHOWN else f"{wanted.text[: _MOST_SHOWN - 1]}…"


def _searched(scope: Scope, progress: SearchProgress, *, filtered: bool) -> str:
    if scope is Scope.LOADED:
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
