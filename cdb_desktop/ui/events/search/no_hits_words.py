"""Says what is or was looked for while there is no hit, and what to do about it, in the user's language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from cdb_desktop.events.search import SearchProgress
from cdb_desktop.ui.events.search.hits_place import Told
from cdb_desktop.ui.events.search.search_scope import Scope
from cdb_desktop.ui.language.numbers import plural
from cdb_desktop.ui.widgets.empty_state import EmptyStateKind
from cdb_desktop.vocabulary import pattern

translate = QCoreApplication.translate
_MOST_SHOWN = 120  # characters


def before_words() -> Told:
    """Nobody has searched yet."""
    text = translate(
        "Search", "Type the text to search for above and press Return. Hits appear as they are found."
    )
    return Told(EmptyStateKind.WELCOME, translate("Search", "Search in everything"), text)


def during_words(wanted: pattern.Pattern) -> Told:
    """The search is under way."""
    text = translate("Search", "Looking for “%1”…").replace("%1", _shown(wanted))
    return Told(EmptyStateKind.LOADING, translate("Search", "No hits so far"), text)


def nothing_words(wanted: pattern.Pattern, scope: Scope, progress: SearchProgress, *, filtered: bool) -> Told:
    """What was searched to the end; what goes further than that is offered."""
    told = [_looked_for(wanted), _searched(scope, progress, filtered=filtered)]
    if wanted.exact:
        told.append(translate("Search", "Case was not ignored."))
    step = ""
    if scope is Scope.LOADED:
        step = translate("Search", "Search the whole result")
    elif filtered:
        step = translate("Search", "Search the whole log")
    elif wanted.kind is pattern.PatternKind.TEXT:
        told.append(translate("Search", "A part of the word may be enough."))
    return Told(EmptyStateKind.EMPTY, translate("Search", "Nothing found"), " ".join(told), step)


def cut_short_words(wanted: pattern.Pattern, why: str) -> Told:
    """It was stopped or has failed before there was a hit; ``why`` is empty where the user wanted that."""
    title = translate("Search", "Search incomplete")
    return Told(
        EmptyStateKind.FAILED if why else EmptyStateKind.EMPTY, title, f"{_looked_for(wanted)} {why}".strip()
    )


def _looked_for(wanted: pattern.Pattern) -> str:
    told = {
        pattern.PatternKind.TEXT: translate("Search", "Looked for the text “%1”."),
        pattern.PatternKind.REGEX: translate("Search", "Looked for the regular expression “%1”."),
        pattern.PatternKind.KEY: translate("Search", "Looked for events with %1."),
    }[wanted.kind]
    return told.replace("%1", _shown(wanted))


def _shown(wanted: pattern.Pattern) -> str:
    return wanted.text if len(wanted.text) <= _MOST_SHOWN else f"{wanted.text[: _MOST_SHOWN - 1]}…"


def _searched(scope: Scope, progress: SearchProgress, *, filtered: bool) -> str:
    if scope is Scope.LOADED:
        one = translate("Search", "Only the one loaded row was searched.")
        many = translate("Search", "Only the %1 loaded rows were searched.")
    elif filtered:
        one = translate("Search", "Only the one event that matches the filters was searched.")
        many = translate("Search", "Only the %1 events that match the filters were searched.")
    else:
        one = translate("Search", "The only event was searched, with all fields and info.")
        many = translate("Search", "All %1 events were searched, with all fields and info.")
    return plural(progress.searched, one, many)
