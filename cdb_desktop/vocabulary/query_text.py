"""The language of the query bar: words to search for, conditions such as ``type:SEARCH``, and dates.

| Text | Meaning |
|---|---|
| ``deleted work`` | all of these words, in any order, in any field or in what the row shows |
| ``"permission denied"`` | exactly this text; ``"last week"`` is not a date then |
| ``/time-?out/`` | a regular expression |
| ``type:SEARCH`` | also ``user:``, ``group:``, ``base:``, ``object:``, ``pollable:yes`` |
| ``info.reason="not found"`` | a key with a value; ``*`` matches any text |
| ``work 477 v2`` | an object, as the Object column shows it |
| ``last week``, ``2 weeks ago``, ``since 9.11.`` | dates |
| ``-type:API_CALL`` | without: a minus before any of these, except for dates |

``exact:"Kiss"``, ``/Kiss/c`` and ``key==Kiss`` distinguish upper and lower case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from datetime import UTC, datetime
from enum import Enum

import msgspec

from cdb_desktop.vocabulary.conditions import Condition
from cdb_desktop.vocabulary.date_phrases import find_dates
from cdb_desktop.vocabulary.pattern import PatternKind
from cdb_desktop.vocabulary.time_span import TimeSpan


class Field(Enum):
    """What a term is about that is written with its name and a colon."""

    TYPE = "type"
    BASE_TYPE = "base"
    USER = "user"
    USER_TYPE = "usertype"
    GROUP = "group"
    OBJECT = "object"
    POLLABLE = "pollable"
    EXACT = "exact"


FIELD_NAMES = {
    "type": Field.TYPE,
    "typ": Field.TYPE,
    "base": Field.BASE_TYPE,
    "basetype": Field.BASE_TYPE,
    "basistyp": Field.BASE_TYPE,
    "user": Field.USER,
    "benutzer": Field.USER,
    "usertype": Field.USER_TYPE,
    "benutzertyp": Field.USER_TYPE,
    "group": Field.GROUP,
    "gruppe": Field.GROUP,
    "object": Field.OBJECT,
    "objekt": Field.OBJECT,
    "pollable": Field.POLLABLE,
    "abfragbar": Field.POLLABLE,
    "exact": Field.EXACT,
    "genau": Field.EXACT,
}
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(
    rf"""\s*(?P<not>-(?=[^\s-]))?(?:
        (?P<field>{"|".join(FIELD_NAMES)}):(?P<value>{_QUOTED}|[^\s"]*)
        |/(?P<regex>(?:[^/\\]|\\.)+)/(?P<case>c?)(?!\S)
        |(?P<key>[^\s="/:?-][^\s="/:?]*)(?P<equals>==?)(?P<content>{_QUOTED}|[^\s"]+)(?!\S)
        |(?P<quoted>{_QUOTED})(?!\S)
        |(?P<word>\S+)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_OBJECT_REST = re.compile(r" (\d+)(?: v(\d+))?(?!\S)", re.IGNORECASE)
_OBJECT = re.compile(r"(?<!\S)(\S+) \d+(?: v\d+)?(?!\S)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
NO_TIME = datetime(2000, 1, 1, tzinfo=UTC)  # where dates are only looked for, or there are none
_PLAIN = re.compile(r'[^\s"]+')


class Term(msgspec.Struct, frozen=True):
    """One part of the text, at ``first`` to ``last``: a field with its value, a date, or a condition."""

    first: int
    last: int
    field: Field | None = None
    value: str = ""
    span: TimeSpan | None = None
    condition: Condition | None = None
    is_excluded: bool = False


def parse_query(text: str, now: datetime, object_types: Container[str] = ()) -> tuple[Term, ...]:
    """The terms of ``text``. Words before a number are an object only if they are in ``object_types``.

    Everything has a meaning: what is nothing else is searched for. Whether a regular expression is valid
    and a field has such a value is checked where the terms are used.
    """
    if (pasted := _pasted_error(text)) is not None:
        return (Term(0, len(text), condition=Condition(pasted)),)
    return tuple(_terms(text, now, object_types))


def event_id(text: str) -> int | None:
    """The id if the whole text is one, such as ``19908`` or ``19,908``; None otherwise."""
    digits = re.sub(r"(?<=\d)[,.\u202f\u00a0](?=\d{3}(?!\d))", "", text.strip().removeprefix("#"))
    return int(digits) if re.fullmatch(r"[1-9]\d{0,17}", digits) else None


def field_text(field: Field, value: str, *, is_excluded: bool = False) -> str:
    """A term with a field, as it is typed."""
    shown = value if field is Field.OBJECT or _PLAIN.fullmatch(value) else _quote(value)
    return f"{'-' if is_excluded else ''}{field.value}:{shown}"


def condition_text(condition: Condition) -> str:
    """A condition as it is typed; `parse_query` returns the same one.

    Words that it would read as something else are phrases then, which are found in the same places.
    """
    minus, text = "-" if condition.is_excluded else "", condition.text
    if condition.kind is PatternKind.OBJECT:
        return f"{minus}{field_text(Field.OBJECT, text)}"
    if condition.kind is PatternKind.REGEX:
        expression = re.sub(r"(?<!\\)((?:\\\\)*)/", r"\1\\/", text)
        return f"{minus}/{expression}/{'c' if condition.is_exact else ''}"
    if condition.kind is PatternKind.KEY:
        return f"{minus}{text.replace('=', '==', 1) if condition.is_exact else text}"
    if condition.kind is PatternKind.WORDS and not condition.is_exact:
        words = text.split()
        is_plain = all(_is_word(f"{minus}{word}") for word in words) and event_id(text) is None
        is_plain = is_plain and next(find_dates(text, NO_TIME), None) is None
        return " ".join(f"{minus}{word if is_plain else _quote(word)}" for word in words)
    return f"{minus}{field_text(Field.EXACT, text) if condition.is_exact else _quote(text)}"


def _is_word(text: str) -> bool:
    found = _TOKEN.fullmatch(text)
    return found is not None and found["word"] is not None


def _terms(text: str, now: datetime, object_types: Container[str]) -> Iterator[Term]:
    place = run = 0  # the words from `run` to `place` are searched for as they are
    while (found := _TOKEN.match(text, place)) is not None:
        if found["word"] and not found["not"]:
            place = found.end()
            continue
        yield from _of_words(text, run, place, now, object_types)
        first, last = found.end() - len(found[0].lstrip()), found.end()
        term = _of_token(found, first, last)
        if term.field is Field.OBJECT and (rest := _OBJECT_REST.match(text, last)):
            last = rest.end()
            term = msgspec.structs.replace(term, last=last, value=term.value + rest[0])
        yield term
        run = place = last
    yield from _of_words(text, run, len(text), now, object_types)


def _of_token(found: re.Match[str], first: int, last: int) -> Term:
    excluded = found["not"] is not None
    if found["field"]:
        return _of_field(found, first, last)
    if found["regex"]:
        text = found["regex"].replace(r"\/", "/")
        condition = Condition(text, PatternKind.REGEX, excluded, found["case"] == "c")
    elif found["key"]:
        content = found["content"]
        condition = Condition(f"{found['key']}={content}", PatternKind.KEY, excluded, found["equals"] == "==")
    else:
        is_phrase = bool(found["quoted"])
        text = _value(found["quoted"]) if is_phrase else found["word"]
        condition = Condition(text, PatternKind.TEXT if is_phrase else PatternKind.WORDS, excluded)
    return Term(first, last, condition=condition, is_excluded=excluded)


def _of_field(found: re.Match[str], first: int, last: int) -> Term:
    field, value = FIELD_NAMES[found["field"].casefold()], _value(found["value"])
    excluded = found["not"] is not None
    if field is Field.EXACT:
        condition = Condition(value, is_excluded=excluded, is_exact=True)
        return Term(first, last, condition=condition, is_excluded=excluded)
    return Term(first, last, field, value, is_excluded=excluded)


def _of_words(
    text: str, first: int, last: int, now: datetime, object_types: Container[str]
) -> Iterator[Term]:
    """The terms in words without any mark: dates, objects, and the rest, which is searched for."""
    words, place = text[first:last], 0
    marked = [Term(one.first, one.last, span=one.span) for one in find_dates(words, now)]
    for found in _OBJECT.finditer(words):
        free = all(found.end() <= one.first or found.start() >= one.last for one in marked)
        if free and found[1] in object_types:
            marked.append(Term(found.start(), found.end(), Field.OBJECT, found[0]))
    for term in sorted(marked, key=lambda one: one.first):
        yield from _searched(words, place, term.first, first)
        yield msgspec.structs.replace(term, first=first + term.first, last=first + term.last)
        place = term.last
    yield from _searched(words, place, len(words), first)


def _searched(words: str, first: int, last: int, offset: int) -> Iterator[Term]:
    piece = words[first:last]
    text = piece.strip()
    if text:
        start = offset + first + piece.index(text)
        condition = Condition(" ".join(text.split()), PatternKind.WORDS)
        yield Term(start, start + len(text), condition=condition)


def _pasted_error(text: str) -> str | None:
    """The uuid of an error object (§1) that was pasted, or of the text itself; None if it is neither."""
    stripped = text.strip()
    if _UUID.fullmatch(stripped):
        return stripped
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return None
    try:
        content = json.loads(stripped)
    except ValueError:
        return None
    if not (isinstance(content, dict) and isinstance(content.get("code"), str)):
        return None
    found = _UUID.search(stripped)
    return found[0] if found else str(content["code"])


def _value(text: str) -> str:
    return _ESCAPE.sub(r"\1", text[1:-1]) if text.startswith('"') else text


def _quote(text: str) -> str:
    escaped = re.sub(r'(["\\])', r"\\\1", text)
    return f'"{escaped}"'
