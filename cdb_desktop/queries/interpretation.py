"""What words mean that are typed without marks: ``user Root``, ``-api calls``, ``who deleted an image``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

import msgspec

from cdb_desktop.foundation.resources import resource
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.typed_query import field_condition
from cdb_desktop.vocabulary.event_types import names_of_type
from cdb_desktop.vocabulary.query_text import NO_TIME, Field, condition_text, field_text, parse_query

LONGEST_NAME = 4  # words of what people call a type
_LONGEST_FIELD = 2  # words of the name of a field
_MARKS = frozenset('":=/')
_OBJECT = re.compile(r"(.+?)((?: \d+(?: v\d+)?)?)", re.IGNORECASE)
_KEYS = {"_id": re.compile(r"#?(\d{1,18})"), "ipv4_address": re.compile(r"(\d{1,3}(?:\.\d{1,3}){3})")}


class _QueryWords(msgspec.Struct, frozen=True):
    """Words with a meaning in queries, in all languages; ``small`` ones can be left out."""

    fields: dict[str, frozenset[str]]
    without: frozenset[str]
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
            run += typed.rstrip("?!").split()
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
        self.pieces: list[str] = []
        self.is_sure = self.is_shorter = self.has_conditions = False

    def add(self, typed: str) -> None:
        """Adds a part that has marks."""
        self.pieces.append(typed)
        terms = parse_query(typed, NO_TIME)
        self._has_type |= any(term.field is Field.TYPE and not term.is_excluded for term in terms)

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
        if words[0].casefold() in _query_words().small:
            self.is_shorter = True
        else:
            self.pieces.append(words[0])
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
            # A further type would be an alternative.
            is_free = is_excluded or not self._has_type
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
            for name in names_of_type(event_type) | {event_type.casefold()}:
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
