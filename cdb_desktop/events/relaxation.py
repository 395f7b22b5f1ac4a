"""What to offer where a query finds nothing: corrected words, words as conditions, and filters left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher, get_close_matches
from itertools import chain

import msgspec
from msgspec.structs import replace

from cdb_desktop.events.matches import MatchedResult, NearMisses
from cdb_desktop.queries.completion import interpretation, meanings
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Part, Query, QueryPart, without
from cdb_desktop.queries.typed_query import TypedQueryError, with_terms
from cdb_desktop.vocabulary.event_types import type_words
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import NO_TIME, Field, condition_text, field_text, parse_query

MOST_CALLS = 5  # to count what filters of the service exclude
_MOST_CORRECTIONS = 3  # of a word
_USER_NAME = re.compile(r'user="?\*(.+?)\*"?')  # as typed names that are not known become conditions
_ALIKE = 0.7  # of 1: four of five letters


class Relaxation(msgspec.Struct, frozen=True):
    """A similar query with the ``number`` of events that it finds, None if it finds some but not how many.

    What it leaves out is a ``part`` of the query or a ``word`` of one; ``instead`` is a word or a typed
    condition that replaces it.
    """

    query: Query
    part: Part | None = None
    word: str = ""
    instead: str = ""
    number: int | None = None


def corrections(query: Query, near: NearMisses) -> Iterator[Relaxation]:
    """The query with other words in place of those that no event has: the nearest ones that occur."""
    for (condition, word), occurring in near.occurring.items():
        names = _names(occurring)
        for folded in get_close_matches(word.casefold(), names, _MOST_CORRECTIONS, _ALIKE):
            changed = _with_words(query, condition, {word: names[folded]})
            yield Relaxation(changed, word=word, instead=names[folded])
    for (condition, missing), kinds in near.several.items():
        found: dict[str, tuple[float, Query]] = {}
        for occurring in chain.from_iterable(kinds.values()):
            nearest = {word: _nearest(word, occurring) for word in missing}
            if all(nearest.values()) and len(set(nearest.values())) == len(nearest):
                alike = sum(_likeness(word, other) for word, other in nearest.items())
                changed = _with_words(query, condition, nearest)
                found[" ".join(nearest.values())] = alike, changed
        best = sorted(found.items(), key=lambda one: -one[1][0])[:_MOST_CORRECTIONS]
        for instead, (_alike, changed) in best:
            yield Relaxation(changed, word=" ".join(missing), instead=instead)


def _names(occurring: Iterable[str]) -> dict[str, str]:
    """The words without case, each with one of its spellings: the last, which has small letters."""
    return {name.casefold(): name for name in sorted(occurring)}


def _nearest(word: str, occurring: Iterable[str]) -> str:
    """The most similar word, or an empty text."""
    names = _names(occurring)
    found = get_close_matches(word.casefold(), names, 1, _ALIKE)
    return names[found[0]] if found else ""


def _likeness(word: str, other: str) -> float:
    return SequenceMatcher(None, word.casefold(), other.casefold()).ratio()


def interpreted(query: Query, known: KnownValues, *, leaves_out: bool) -> Iterator[Relaxation]:
    """The query with conditions for what its words probably mean; ``leaves_out`` as in `interpretation`."""
    words = [one for one in query.conditions if one.kind is PatternKind.WORDS and not one.is_exact]
    text = " ".join(map(condition_text, words))
    typed = interpretation(text, known, leaves_out=leaves_out)
    if not typed:
        return
    rest = replace(query, conditions=tuple(one for one in query.conditions if one not in words))
    try:
        changed = with_terms(rest, parse_query(typed, NO_TIME), known)
    except TypedQueryError:
        return
    # With other users or types, those of the query would be alternatives.
    if not any(getattr(query, name) not in ((), getattr(changed, name)) for name in ("types", "users")):
        yield Relaxation(changed, word=text, instead=typed)


def similar_users(query: Query, known: KnownValues) -> Iterator[Relaxation]:
    """The query with known users in place of a name that nobody has."""
    names = {word.casefold(): name for _, name in known.users for word in (name, *name.split())}
    for condition in query.conditions:
        typed = _USER_NAME.fullmatch(condition.text)
        if typed is None or condition.kind is not PatternKind.KEY or condition.is_excluded:
            continue
        for folded in get_close_matches(typed[1].casefold(), names, _MOST_CORRECTIONS, _ALIKE):
            terms = parse_query(field_text(Field.USER, names[folded]), NO_TIME)
            changed = with_terms(without(query, condition), terms, known)
            yield Relaxation(changed, word=typed[1], instead=names[folded])


def counterparts(query: Query, known: KnownValues) -> Iterator[Relaxation]:
    """The query with types of this service in place of those of another, which people call the same."""
    for name in query.types:
        words = type_words(name, "en")[:1]
        for other in known.types if words and name not in known.types else ():
            if type_words(other, "en")[:1] == words:
                types = dict.fromkeys(other if one == name else one for one in query.types)
                typed = field_text(Field.TYPE, other)
                yield Relaxation(replace(query, types=tuple(types)), word=name, instead=typed)


def with_meanings(query: Query, near: NearMisses, known: KnownValues) -> Iterator[Relaxation]:
    """The query with a condition in place of words that are what people call a type."""
    for condition in query.conditions:
        if condition.kind is not PatternKind.WORDS or condition.is_excluded:
            continue
        text = condition.text
        for one in meanings(text, known, known.events_of_types):
            words = text[one.first : one.last]
            rest = " ".join(f"{text[: one.first]} {text[one.last :]}".split())
            terms = parse_query(one.text, NO_TIME)
            changed = with_terms(_with_text(query, condition, rest), terms, known)
            if changed.types and query.types:
                continue  # several types are alternatives
            number = None
            if changed.types and " " not in words:
                types = near.types.get((condition, words))
                number = 0 if types is None else sum(types[each] for each in changed.types)
            yield Relaxation(changed, word=words, instead=one.shown or one.text, number=number)


def without_words_or_conditions(query: Query, near: NearMisses) -> Iterator[Relaxation]:
    """The query without a condition or one of its words, with the number of events that it finds."""
    for condition, number in near.numbers.items():
        yield Relaxation(without(query, condition), condition, number=number)
    for (condition, word), number in near.words.items():
        if len(condition.text.split()) > 1:
            yield Relaxation(_with_words(query, condition, {word: ""}), word=word, number=number)


def served_parts(query: Query) -> list[tuple[QueryPart, Query]]:
    """The filters of the service that can be left out, with the query that is left: one call each."""
    parts = [part for part in query.parts if isinstance(part, QueryPart)]
    return [(part, without(query, part)) for part in parts[:MOST_CALLS]]


def without_served(result: object, part: QueryPart, query: Query, listed: int) -> Relaxation | None:
    """The query without a filter of the service, which lists so many events for it; None without any.

    How many of them meet the conditions of the query, only another search can tell.
    """
    if not query.conditions:
        return Relaxation(query, part, number=listed) if listed else None
    searched = result.progress.searched if isinstance(result, MatchedResult) else 0
    return Relaxation(query, part) if listed > searched else None


def in_order(relaxations: Iterable[Relaxation], most: int) -> list[Relaxation]:
    """Corrections first, then the query without single words; queries that find nothing are left out."""
    # Those that were counted later replace those without a number.
    found = [one for one in {one.query: one for one in relaxations}.values() if one.number != 0]
    found.sort(key=lambda one: (not one.instead, not one.word, one.number is None, -(one.number or 0)))
    return found[:most]


def _with_words(query: Query, condition: Condition, instead: Mapping[str, str]) -> Query:
    words = [instead.get(one, one) for one in condition.text.split()]
    return _with_text(query, condition, " ".join(filter(None, words)))


def _with_text(query: Query, condition: Condition, text: str) -> Query:
    if not text:
        return without(query, condition)
    changed = replace(condition, text=text)
    others = tuple(changed if one == condition else one for one in query.conditions)
    return replace(query, conditions=others)
