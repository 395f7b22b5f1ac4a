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
from datetime import UTC, datetime, timedelta
from enum import Enum

import msgspec

from cdb_desktop.foundation.i18n import language
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.time_input import (
    MAX_SECONDS_AGO,
    TimeFault,
    TimeInputError,
    TimeUnit,
    parse_time,
    step_time,
)
from cdb_desktop.vocabulary.time_span import TimePreset, TimeSpan, span_around
from cdb_desktop.vocabulary.times import in_zone, midnight


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


# The English name of a field is the first, and the German one the last.
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
    "abfragbar": Field.POLLABLE,  # of earlier versions
    "abrufbar": Field.POLLABLE,
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
_LISTS = frozenset({Field.TYPE, Field.BASE_TYPE, Field.USER_TYPE})
_LIST_REST = re.compile(r'\s+([^\s":=/-][^\s":=/]*)(?!\S)')
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
    """A term with a field, as it is typed in the language in use."""
    names = [name for name, one in FIELD_NAMES.items() if one is field]
    shown = value if field is Field.OBJECT or _PLAIN.fullmatch(value) else _quote(value)
    return f"{'-' if is_excluded else ''}{names[-1] if language() == 'de' else names[0]}:{shown}"


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
        while (rest := _rest(term, text, now)) is not None:
            last = rest.end()
            term = msgspec.structs.replace(term, last=last, value=term.value + rest[0])
        yield term
        run = place = last
    yield from _of_words(text, run, len(text), now, object_types)


def _rest(term: Term, text: str, now: datetime) -> re.Match[str] | None:
    """The number of an object, or another value of a list after a comma and a blank."""
    if term.field is Field.OBJECT and _OBJECT_REST.search(f" {term.value}") is None:
        return _OBJECT_REST.match(text, term.last)
    if term.field not in _LISTS or not term.value.endswith(","):
        return None
    rest = _LIST_REST.match(text, term.last)
    is_date = rest and any(one.first == 0 for one in find_dates(text[rest.start(1) :], now))
    return None if is_date else rest


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


_PRESETS = {
    "today": TimePreset.TODAY,
    "heute": TimePreset.TODAY,
    "yesterday": TimePreset.YESTERDAY,
    "gestern": TimePreset.YESTERDAY,
    "this week": TimePreset.THIS_WEEK,
    "diese woche": TimePreset.THIS_WEEK,
    "last week": TimePreset.LAST_WEEK,
    "dieser woche": TimePreset.THIS_WEEK,
    **dict.fromkeys(("letzte woche", "letzten woche", "vorige woche", "vorigen woche"), TimePreset.LAST_WEEK),
    "this month": TimePreset.THIS_MONTH,
    "diesen monat": TimePreset.THIS_MONTH,
    "diesem monat": TimePreset.THIS_MONTH,
    "dieser monat": TimePreset.THIS_MONTH,
    "last month": TimePreset.LAST_MONTH,
    "letzten monat": TimePreset.LAST_MONTH,
    "letzter monat": TimePreset.LAST_MONTH,
}
_UNITS = {  # in English and German, as the beginning of a word, with the letter of an age
    "s": "s|sec|secs|second|seconds|sek|sekunde|sekunden",
    "min": "m|min|mins|minute|minutes|minuten",
    "h": "h|hr|hrs|hour|hours|std|stunde|stunden",
    "d": "d|day|days|tag|tage|tagen",
    "w": "w|week|weeks|woche|wochen",
    "month": "month|months|monat|monate|monaten",
}
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800, "month": 30 * 86_400}
_UNIT = "|".join(_UNITS.values())
_MONTHS = (  # in English and German
    "january|januar|jänner",
    "february|februar",
    "march|märz",
    "april",
    "may|mai",
    "june|juni",
    "july|juli",
    "august",
    "september",
    "october|oktober",
    "november",
    "december|dezember",
)
_MONTH = "|".join(_MONTHS)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
_ZONE = r"(?:Z|[ ]?UTC|[ ]?[+-](?:0\d|1[0-4]):?\d{2})?"  # hours of a range are no zone
_DAY = r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.(?:\d{4})?|today|heute|yesterday|gestern)"
_NAMED_MONTH = rf"(?:{_MONTH})[ ]\d{{4}}"
_TIME = rf"{_DAY}(?:[T ]{_CLOCK}{_ZONE})?"
_MOMENT = rf"(?:{_TIME}|{_CLOCK}|{_NAMED_MONTH}|\d{{1,10}}[ ]?(?:{_UNIT}))"
_IN = r"(?:of|in|from|during|im|des|(?:in\ |aus\ |von\ )?der|aus|von)"
_PHRASE = re.compile(
    rf"""(?<![\w.:/-])(?:
        (?:(?:since|from|between|seit|ab|von|vom|zwischen)\ )?
        (?P<from>{_MOMENT})\s*
        (?:\.\.|–|\ -\ |(?<=\.)-|\ (?:to|until|till|and|bis|bis\ zum|und)\ )\s*
        (?P<to>{_MOMENT})
        |(?:(?:in|im)\ )?(?P<month>{_NAMED_MONTH})
        |(?:in|im)\ (?P<bare_month>{_MONTH})
        |(?:since|from|seit|ab|von)\ (?P<since>{_MOMENT})
        |(?:until|bis)\ (?P<until>{_MOMENT})
        |(?:before|vor\ dem)\ (?P<before>{_MOMENT})
        |(?:at|around|um|gegen)\ (?P<at>{_DAY}[T ]{_CLOCK}{_ZONE}|{_CLOCK})
        |(?:last|past|letzten?|vergangenen?)\ (?P<length>\d{{1,6}})\ ?(?P<length_unit>{_UNIT})
        |(?P<ago>\d{{1,6}}|a|an)\ (?P<ago_unit>{_UNIT})\ ago
        |vor\ (?P<vor>\d{{1,6}}|einer|einem)\ (?P<vor_unit>{_UNIT})
        |(?:{_IN}\ )?(?P<preset>{"|".join(map(re.escape, _PRESETS))})(?!\ {_CLOCK})
        |(?P<day>{_TIME})
    )(?![\w:/-]|\.\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_YEAR = re.compile(r"(\d{1,2})\.(\d{1,2})\.(?!\d)")


class DatePhrase(msgspec.Struct, frozen=True):
    """A date and its place in the text."""

    first: int
    last: int
    span: TimeSpan


def find_dates(text: str, now: datetime) -> Iterator[DatePhrase]:
    """Yields the dates in ``text``, without those that do not exist, such as ``31.2.``, or are too old."""
    for found in _PHRASE.finditer(text):
        try:
            span = _span(found, now)
        except (TimeInputError, OverflowError):
            continue
        yield DatePhrase(found.start(), found.end(), span)


def _span(found: re.Match[str], now: datetime) -> TimeSpan:
    """Raises TimeInputError."""
    if found["from"]:
        return TimeSpan(first=_moment(found["from"], now), last=_moment(found["to"], now, ends=True))
    if open_side := next((name for name in ("since", "until", "before") if found[name]), None):
        return _open_span(open_side, found[open_side], now)
    if name := found["month"] or found["bare_month"]:
        return _month(name, now)
    if found["at"] or found["day"]:
        return _day_or_around(found["at"] or found["day"], now)
    return _relative_span(found, now)


def _relative_span(found: re.Match[str], now: datetime) -> TimeSpan:
    if found["preset"]:
        return TimeSpan(preset=_PRESETS[" ".join(found["preset"].casefold().split())])
    if found["length"]:
        return TimeSpan(first_ago=_seconds(int(found["length"]), _unit(found["length_unit"])))
    number, unit = found["ago"] or found["vor"], found["ago_unit"] or found["vor_unit"]
    return _period_ago(int(number) if number.isdecimal() else 1, _unit(unit), now)


def _open_span(side: str, text: str, now: datetime) -> TimeSpan:
    age = _age(text)
    if side == "since":
        return TimeSpan(first_ago=age) if age is not None else TimeSpan(first=_moment(text, now))
    if age is not None:
        return TimeSpan(last_ago=age)
    if side == "until":
        return TimeSpan(last=_moment(text, now, ends=True))
    return TimeSpan(last=_moment(text, now) - timedelta(seconds=1))


def _moment(text: str, now: datetime, *, ends: bool = False) -> datetime:
    """The time that is meant; a date without a year is the last one that is not in the future."""
    age = _age(text)
    if age is not None:
        return in_zone(now).replace(microsecond=0) - timedelta(seconds=age)
    if re.fullmatch(_NAMED_MONTH, text, re.IGNORECASE):
        month = _month(text, now)
        return (month.last if ends else month.first) or now
    if (day := _NO_YEAR.match(text)) is None:
        return parse_time(text, now, day_ends=ends)
    rest, year = text[day.end() :], in_zone(now).year
    moment = parse_time(f"{day[0]}{year}{rest}", now, day_ends=ends)
    start = parse_time(f"{day[0]}{year}", now)
    return moment if start <= now else parse_time(f"{day[0]}{year - 1}{rest}", now, day_ends=ends)


def _month(text: str, now: datetime) -> TimeSpan:
    """A whole month; without a year the last one that has begun."""
    name, _blank, year = text.partition(" ")
    number = next(i for i, names in enumerate(_MONTHS, 1) if name.casefold() in names.split("|"))
    first = _moment(f"1.{number}.{year}", now)
    return TimeSpan(first=first, last=step_time(first, TimeUnit.MONTH, 1) - timedelta(seconds=1))


def _age(text: str) -> int | None:
    found = re.fullmatch(rf"(\d{{1,10}}) ?({_UNIT})", text, re.IGNORECASE)
    return _seconds(int(found[1]), _unit(found[2])) if found else None


def _seconds(number: int, unit: str) -> int:
    """Raises TimeInputError beyond the first year of any log."""
    seconds = number * _SECONDS[unit]
    if seconds > MAX_SECONDS_AGO:
        raise TimeInputError(TimeFault.YEAR)
    return seconds


def _unit(word: str) -> str:
    folded = word.casefold()
    return next(unit for unit, words in _UNITS.items() if folded in words.split("|"))


def _day_or_around(text: str, now: datetime) -> TimeSpan:
    """A whole day, or some minutes around a time; one of today that is still to come is yesterday's."""
    if ":" not in text:
        return TimeSpan(first=_moment(text, now), last=_moment(text, now, ends=True))
    moment = _moment(text, now)
    is_clock = re.fullmatch(_CLOCK, text) is not None
    return span_around(moment - timedelta(days=1) if is_clock and moment > now else moment)


def _period_ago(number: int, unit: str, now: datetime) -> TimeSpan:
    """Of days, weeks and months the whole one so long ago; since then for shorter units."""
    if unit in ("s", "min", "h"):
        return TimeSpan(first_ago=_seconds(number, unit))
    today = midnight(now)
    if unit == "month":
        first = step_time(today.replace(day=1), TimeUnit.MONTH, -number)
        end = step_time(first, TimeUnit.MONTH, 1)
    else:
        days = 7 if unit == "w" else 1
        begin = step_time(today, TimeUnit.DAY, -today.weekday()) if unit == "w" else today
        first = step_time(begin, TimeUnit.DAY, -days * number)
        end = step_time(first, TimeUnit.DAY, days)
    return TimeSpan(first=first, last=end - timedelta(seconds=1))
