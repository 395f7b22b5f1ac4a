"""Completions of a query while it is typed, and what words mean that are typed without marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import msgspec

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import language as shown_language
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.typed_query import field_condition
from cdb_desktop.vocabulary.event_types import (
    EventFamily,
    family_of,
    names_of_family,
    names_of_group,
    names_of_type,
)
from cdb_desktop.vocabulary.query_text import (
    FIELD_NAMES,
    NO_TIME,
    Field,
    condition_text,
    field_text,
    parse_query,
)

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
    ``words`` are those that the text replaces, if they do not show in it. ``shown`` is a shorter form of the
    text.
    """

    text: str
    first: int
    number: int | None = None
    is_field: bool = False
    last: int | None = None
    words: str = ""
    shown: str = ""

    @property
    def title(self) -> str:
        """``deleted → type:OBJECT_DELETE``; of many words only their meaning, which has to be readable."""
        words = self.words if len(self.words) <= _LONGEST_WORDS else "…"
        return f"{words} → {self.shown or self.text}" if words else self.shown or self.text


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
        *meanings(text[:cursor], known, counts),
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


def meanings(text: str, known: KnownValues, counts: Mapping[str, int]) -> Iterator[Completion]:
    """The conditions for words that are exactly what people call a type: ``sign-ins``, ``api calls``."""
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
    kinds = tuple(known.types)
    found = [
        (name not in called, -sum(counts.get(event_type, 0) for event_type in types.split(",")), types)
        for types, called in _names_of_types(kinds, tuple(map(known.group_of_type, kinds))).items()
        if name in called or (not exactly and any(one.startswith(name) for one in called))
    ]
    for _is_begun, number, types in sorted(found)[:_FEW]:
        text = field_text(Field.TYPE, types, is_excluded=excluded)
        yield Completion(
            text,
            first,
            # How many events remain is not known.
            None if excluded else -number,
            last=words[-1].end(),
            words="" if name in types.casefold() else name_shown,
            shown=_shortened(types, known, is_excluded=excluded),
        )


def _shortened(types: str, known: KnownValues, *, is_excluded: bool) -> str:
    """A condition for many types with what they are called, or the first one, and their number."""
    first, *others = types.split(",")
    if len(others) < _FEW:
        return ""
    if name := known.name_of_types((first, *others), shown_language()):
        return f"{'-' if is_excluded else ''}{tr('{name} ({count})', name=name, count=len(others) + 1)}"
    more = tr("and {count:1 more type|{count} more types}", count=len(others))
    return f"{field_text(Field.TYPE, first, is_excluded=is_excluded)} {more}"


@lru_cache(maxsize=4)
def _names_of_types(types: tuple[str, ...], groups: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """What people call each type, and all types of a family or group, which are separated by commas."""
    names = {event_type: names_of_type(event_type) for event_type in types}
    families = ([one for one in types if family_of(one) is family] for family in EventFamily)
    called = [(some, names_of_family(family)) for family, some in zip(EventFamily, families, strict=True)]
    for group in dict.fromkeys(filter(None, groups)):
        members = [one for one, of_type in zip(types, groups, strict=True) if of_type == group]
        called.append((members, names_of_group(group)))
    for some, names_of_them in called:
        if joined := ",".join(some):
            # There may be only one type, which keeps its names.
            names[joined] = names.get(joined, frozenset()) | names_of_them
    return names


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


LONGEST_NAME = 4  # words of what people call a type
_LONGEST_FIELD = 2  # words of the name of a field
_MARKS = frozenset('":=/')
_OBJECT = re.compile(r"(.+?)((?: \d+(?: v\d+)?)?)", re.IGNORECASE)
_KEYS = {"_id": re.compile(r"#?(\d{1,18})"), "ipv4_address": re.compile(r"(\d{1,3}(?:\.\d{1,3}){3})")}


class _QueryWords(msgspec.Struct, frozen=True):
    """Words with a meaning in queries, in all languages; ``small`` and ``joining`` ones can be left out."""

    fields: dict[str, frozenset[str]]
    without: frozenset[str]
    joining: frozenset[str]
    small: frozenset[str]


class _Condition(msgspec.Struct, frozen=True):
    """The condition that the first ``length`` words mean, as it is typed.

    ``is_sure``: such words are hardly ever looked for.
    """

    typed: str
    length: int
    is_sure: bool


def interpretation(text: str, known: KnownValues, *, leaves_out: bool = False) -> str:
    """The query that words probably mean, as it is typed; empty if they are only words.

    A field before a known value is a condition: ``user Root this week`` → ``user:Root this week``. Names of
    types, tables and users are conditions, too, where there is such a field, a localized name of a table, a
    name of several words after a minus, or a small word, which is left out. ``leaves_out``: small words are
    left out in any case.
    """
    reading = _Reading(known)
    run: list[str] = []
    for term in parse_query(text, NO_TIME):
        typed = text[term.first : term.last]
        if term.field is None and term.span is None and _MARKS.isdisjoint(typed):
            run += typed.rstrip("?!").replace(", ", " , ").split()
            continue
        reading.add_words(run)
        reading.add(typed)
        run = []
    reading.add_words(run)
    is_meant = reading.is_sure or (reading.is_shorter and (leaves_out or reading.has_conditions))
    return " ".join(reading.pieces) if is_meant else ""


def is_without(word: str) -> bool:
    """Whether the word excludes what follows: "without", "not"."""
    return word.casefold() in _query_words().without


class _Reading:
    """What has been read so far, as it is typed."""

    def __init__(self, known: KnownValues) -> None:
        self._known, self._has_type = known, False
        self._ends_with_type = self._joins_types = False
        self.pieces: list[str] = []
        self.is_sure = self.is_shorter = self.has_conditions = False

    def add(self, typed: str) -> None:
        """Adds a part that has marks."""
        self.pieces.append(typed)
        terms = parse_query(typed, NO_TIME)
        self._ends_with_type = any(term.field is Field.TYPE and not term.is_excluded for term in terms)
        self._has_type |= self._ends_with_type
        self._joins_types = False

    def add_words(self, words: Sequence[str]) -> None:
        """Adds what words mean."""
        place = 0
        while place < len(words):
            place += self._add_first(words[place : place + 1 + _LONGEST_FIELD + LONGEST_NAME])

    def _add_first(self, words: Sequence[str]) -> int:
        """Adds what the first words mean; returns their number."""
        before = int(is_without(words[0]) and len(words) > 1)
        has_minus = words[0].startswith("-") and words[0] != "-"
        read = [words[0][1:], *words[1:]] if has_minus else words[before:]
        for found in self._conditions(read, is_excluded=has_minus or before > 0):
            self.add(found.typed)
            self.has_conditions = True
            self.is_sure |= found.is_sure or before > 0
            return before + found.length
        joins = words[0].casefold() in _query_words().joining
        if joins or words[0].casefold() in _query_words().small:
            self.is_shorter = True
        else:
            self.pieces.append(words[0])
        self._joins_types = joins and self._ends_with_type
        self._ends_with_type = False
        return 1

    def _conditions(self, words: Sequence[str], *, is_excluded: bool) -> Iterator[_Condition]:
        """What the first words may mean, the most probable first."""
        for length in range(_LONGEST_FIELD, 0, -1):
            name = " ".join(words[:length]).casefold()
            for field in (one for one, names in _query_words().fields.items() if name in names):
                for end in range(min(len(words), length + LONGEST_NAME), length, -1):
                    value = " ".join(words[length:end])
                    if typed := self._typed(field, value, is_excluded=is_excluded, is_named=True):
                        yield _Condition(typed, end, is_sure=True)
        for end in range(min(len(words), LONGEST_NAME), 0, -1):
            for field in ("type", "object", "user"):
                value = " ".join(words[:end])
                if typed := self._typed(field, value, is_excluded=is_excluded, is_named=False):
                    # Rows show the names of tables, but no localized ones.
                    is_localized = field == "object" and value.casefold() in self._known.tables_called
                    yield _Condition(typed, end, is_sure=is_localized or (is_excluded and end > 1))

    def _typed(self, field: str, value: str, *, is_excluded: bool, is_named: bool) -> str:
        """The condition as it is typed, empty if no such value is known; ``is_named``: the field is named."""
        folded = value.casefold()
        if field in _KEYS:
            found = _KEYS[field].fullmatch(value)
            return condition_text(field_condition(field, found[1], is_excluded=is_excluded)) if found else ""
        if field == "type":
            # A further type would be an alternative, which only "or" and "and" mean.
            is_free = is_excluded or self._joins_types or not self._has_type
            return _field_text(field, self._types.get(folded, "") if is_free else "", is_excluded)
        if field == "object":
            table, rest = _OBJECT.fullmatch(folded).groups()  # type: ignore[union-attr]  # matches any text
            name = self._tables.get(table)
            return _field_text(field, f"{name}{rest}" if name else "", is_excluded)
        names = self._users if field == "user" else {} if is_excluded else self._groups
        # Part of a name is enough for a query, which then means all who are called so.
        is_part = is_named and any(f" {folded} " in f" {name} " for name in names)
        return _field_text(field, names.get(folded, value if is_part else ""), is_excluded)

    @cached_property
    def _types(self) -> dict[str, str]:
        """The types by what they are called; several are separated by commas."""
        found: dict[str, list[str]] = {}
        for event_type in self._known.types:
            names = names_of_type(event_type) | names_of_family(family_of(event_type))
            names |= names_of_group(self._known.group_of_type(event_type))
            for name in names | {event_type.casefold()}:
                found.setdefault(name, []).append(event_type)
        return {name: ",".join(types) for name, types in found.items()}

    @cached_property
    def _tables(self) -> dict[str, str]:
        return {**self._known.tables_called, **{one.casefold(): one for one in self._known.object_types}}

    @cached_property
    def _users(self) -> dict[str, str]:
        return {name.casefold(): name for _, name in self._known.users}

    @cached_property
    def _groups(self) -> dict[str, str]:
        return {name.casefold(): name for _, name in self._known.groups}


def _field_text(field: str, value: str, is_excluded: bool) -> str:
    return field_text(Field(field), value, is_excluded=is_excluded) if value else ""


@lru_cache(maxsize=1)
def _query_words() -> _QueryWords:
    content = resource("query_words.json").read_bytes()
    return msgspec.json.decode(content, type=_QueryWords)
