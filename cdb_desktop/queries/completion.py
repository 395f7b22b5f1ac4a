"""Completions of a query while it is typed: what words mean as conditions, names of fields, known values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from cdb_desktop.queries.interpretation import LONGEST_NAME, interpretation, is_without
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.vocabulary.event_types import names_of_type
from cdb_desktop.vocabulary.query_text import FIELD_NAMES, NO_TIME, Field, field_text, parse_query

_MOST = 12
_WORD = re.compile(
    r"""(?<!\S)(?P<minus>-?)
    (?:(?P<field>[^\s:"=/-][^\s:"=/]*):(?P<value>"[^"]*|[^\s"]*)|(?P<word>[^\s":=/-][^\s":=/]*))$""",
    re.VERBOSE,
)
_PLAIN = re.compile(r'(?<!\S)[^\s":=/]+(?!\S)')
_FEWEST_LETTERS = 3  # of the beginning of such a name
_LONGEST_WORDS = 20  # characters that are shown beside their meaning
_FEW = 4  # types, tables or users that one word offers
_DATES = ("today", "yesterday", "this week", "last week", "this month", "last month", "last 24 h")
_DATES_DE = ("heute", "gestern", "diese Woche", "letzte Woche", "diesen Monat", "letzten Monat")


class Completion(msgspec.Struct, frozen=True):
    """A text for the place from ``first`` to ``last``, or to the cursor without it.

    ``number`` is that of the events read so far, None if it is unknown. ``is_field``: a value must follow.
    ``words`` are those that the text replaces, if they do not show in it.
    """

    text: str
    first: int
    number: int | None = None
    is_field: bool = False
    last: int | None = None
    words: str = ""

    @property
    def title(self) -> str:
        """``deleted → type:OBJECT_DELETE``; of many words only their meaning, which has to be readable."""
        words = self.words if len(self.words) <= _LONGEST_WORDS else "…"
        return f"{words} → {self.text}" if words else self.text


def completions(
    text: str,
    cursor: int,
    known: KnownValues,
    counts: Mapping[str, int],
    language: str,
    *,
    of_new_events: bool = False,
) -> tuple[Completion, ...]:
    """What the word before the cursor may become; ``counts`` are numbers of events by type.

    ``of_new_events``: without dates and groups, by which new events cannot be filtered.
    Values that begin with the word precede those that contain it; after them come the more frequent ones.
    """
    found = _WORD.search(text[:cursor])
    if found is None:
        return ()
    if found["field"] is not None:
        field = FIELD_NAMES.get(found["field"].casefold())
        return () if field is None else tuple(_values(found, field, known, counts))
    words = (
        *_whole(text, cursor, known),
        *_words(found, known, counts, language),
        *_meanings_before(text[:cursor], known, counts),
    )
    unique = {one.text: one for one in reversed(words)}
    return tuple(
        one
        for one in dict.fromkeys(words)
        if unique[one.text] is one and not (of_new_events and _is_of_lists(one))
    )


def _whole(text: str, cursor: int, known: KnownValues) -> Iterator[Completion]:
    """What the whole text means, if the cursor is at its end."""
    typed = "" if text[cursor:].strip() else interpretation(text, known)
    if typed:
        yield Completion(typed, 0, last=len(text), words=" ".join(text.split()))


def meanings(words: str, known: KnownValues, counts: Mapping[str, int]) -> tuple[Completion, ...]:
    """The conditions for words that are exactly what people call a type: ``sign-ins``, ``api calls``."""
    return tuple(_meanings_before(words, known, counts))


def _meanings_before(text: str, known: KnownValues, counts: Mapping[str, int]) -> Iterator[Completion]:
    words = list(_PLAIN.finditer(text))
    for end in range(len(words), 0, -1):
        for begin in range(max(0, end - LONGEST_NAME), end):
            yield from _types_called(words[begin:end], words[:begin], known, counts, exactly=True)


def _types_called(
    words: Sequence[re.Match[str]],
    before: Sequence[re.Match[str]],
    known: KnownValues,
    counts: Mapping[str, int],
    *,
    exactly: bool = False,
) -> Iterator[Completion]:
    """The types that people call so, or with a name that begins so; excluded after "without" or a minus."""
    name = " ".join(word[0] for word in words).casefold()
    excluded, name = name.startswith("-"), name.removeprefix("-")
    if len(name) < _FEWEST_LETTERS:
        return
    first = words[0].start()
    if before and is_without(before[-1][0]):
        excluded, first, name_shown = True, before[-1].start(), f"{before[-1][0]} {name}"
    else:
        name_shown = f"-{name}" if excluded else name
    found = [
        (name not in called, -counts.get(event_type, 0), event_type)
        for event_type in known.types
        if name in (called := names_of_type(event_type))
        or (not exactly and any(one.startswith(name) for one in called))
    ]
    for _is_begun, number, event_type in sorted(found)[:_FEW]:
        text = field_text(Field.TYPE, event_type, is_excluded=excluded)
        yield Completion(
            text,
            first,
            # How many events remain is not known.
            None if excluded else -number,
            last=words[-1].end(),
            words="" if name in event_type.casefold() else name_shown,
        )


def _values(
    found: re.Match[str], field: Field, known: KnownValues, counts: Mapping[str, int]
) -> Iterator[Completion]:
    *before, typed = found["value"].lstrip('"').split(",")
    candidates = _candidates(field, known, counts)
    ranked = sorted(
        (name for name in candidates if typed.casefold() in name.casefold()),
        key=lambda name: (
            not name.casefold().startswith(typed.casefold()),
            -(candidates[name] or 0),
            name.casefold(),
        ),
    )
    for name in ranked[:_MOST]:
        value, excluded = ",".join([*before, name]), bool(found["minus"])
        text = field_text(field, value, is_excluded=excluded)
        # How many events remain without a value is not known.
        yield Completion(text, found.start(), None if excluded else candidates[name])


def _is_of_lists(completion: Completion) -> bool:
    """Whether only the service can filter by what is completed, or by a part of it."""
    terms = parse_query(completion.text, NO_TIME)
    return any(term.span is not None or term.field in {Field.GROUP, Field.USER_TYPE} for term in terms)


def _candidates(field: Field, known: KnownValues, counts: Mapping[str, int]) -> dict[str, int | None]:
    if field is Field.TYPE:
        return {name: counts.get(name) for name in known.types}
    if field is Field.USER:
        return {name: known.event_count_of(number) for number, name in known.users}
    if field is Field.OBJECT:
        return {name: known.events_of_objects.get(name) for name in known.object_types}
    names = {
        Field.BASE_TYPE: known.base_types,
        Field.GROUP: [name for _, name in known.groups],
        Field.USER_TYPE: known.user_types,
        Field.POLLABLE: ["yes", "no"],
    }.get(field, [])
    return dict.fromkeys(names)


def _words(
    found: re.Match[str], known: KnownValues, counts: Mapping[str, int], language: str
) -> Iterator[Completion]:
    """Fields, then conditions for what the last words may mean: types, tables, users and dates."""
    typed, minus = found["word"].casefold(), found["minus"]
    first = found.start()
    for field in Field:
        names = [name for name, one in FIELD_NAMES.items() if one is field and name.startswith(typed)]
        if names:
            # The English name is the first, and the German one the last.
            name = names[-1] if language == "de" else names[0]
            yield Completion(f"{minus}{name}:", first, is_field=True)
    words = list(_PLAIN.finditer(found.string))
    excludes = len(words) > 1 and is_without(words[-2][0])
    for begin in range(max(0, len(words) - LONGEST_NAME), len(words)):
        yield from _types_called(words[begin:], words[:begin], known, counts)
    minus = "-" if excludes else minus
    first = words[-2].start() if excludes else first
    tables = {name: known.events_of_objects.get(name) for name in known.object_types}
    types = {name: counts.get(name) for name in known.types}
    users = {name: known.event_count_of(number) for number, name in known.users}
    if len(typed) >= _FEWEST_LETTERS:
        yield from _named(Field.OBJECT, tables, typed, minus, first, begins=True)
        for table in dict.fromkeys(
            one for name, one in known.tables_called.items() if name.startswith(typed)
        ):
            text = field_text(Field.OBJECT, table, is_excluded=bool(minus))
            yield Completion(text, first, None if minus else tables.get(table), words=found[0])
        yield from _named(Field.USER, users, typed, minus, first, begins=True)
    if not minus:
        dates = _DATES_DE if language == "de" else _DATES
        yield from (Completion(phrase, first) for phrase in dates if phrase.casefold().startswith(typed))
    if len(typed) >= _FEWEST_LETTERS - 1:
        yield from _named(Field.TYPE, types, typed, minus, first)
        yield from _named(Field.USER, users, typed, minus, first)


def _named(
    field: Field,
    numbers: Mapping[str, int | None],
    typed: str,
    minus: str,
    first: int,
    *,
    begins: bool = False,
) -> Iterator[Completion]:
    """The values with a word in their names, or with ``begins`` one that a word of them begins with."""
    some = [
        name
        for name in numbers
        if typed in (folded := name.casefold())
        and (not begins or any(word.startswith(typed) for word in folded.split()))
    ]
    some.sort(key=lambda name: (not name.casefold().startswith(typed), -(numbers[name] or 0)))
    for name in some[:_FEW]:
        text = field_text(field, name, is_excluded=bool(minus))
        yield Completion(text, first, None if minus else numbers[name])
