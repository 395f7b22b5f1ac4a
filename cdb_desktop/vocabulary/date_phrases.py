"""Dates in a typed query: ``last week``, ``2 weeks ago``, ``since 9.11.``, ``2026-11-09 .. 2026-11-12``.

English and German are understood in either language of the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

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

_PRESETS = {
    "today": TimePreset.TODAY,
    "heute": TimePreset.TODAY,
    "yesterday": TimePreset.YESTERDAY,
    "gestern": TimePreset.YESTERDAY,
    "this week": TimePreset.THIS_WEEK,
    "diese woche": TimePreset.THIS_WEEK,
    "last week": TimePreset.LAST_WEEK,
    "letzte woche": TimePreset.LAST_WEEK,
    "this month": TimePreset.THIS_MONTH,
    "diesen monat": TimePreset.THIS_MONTH,
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
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_DAY = r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\.\d{1,2}\.(?:\d{4})?|today|heute|yesterday|gestern)"
_MOMENT = rf"(?:{_DAY}(?:[T ]{_CLOCK}(?:Z|[+-]\d{{2}}:?\d{{2}})?)?|{_CLOCK}|\d{{1,10}}[ ]?(?:{_UNIT}))"
_PHRASE = re.compile(
    rf"""(?<![\w.:/-])(?:
        (?:(?:since|from|between|seit|ab|von|vom|zwischen)\ )?
        (?P<from>{_MOMENT})\s*
        (?:\.\.|–|\ -\ |(?<=\.)-|\ (?:to|until|till|and|bis|bis\ zum|und)\ )\s*
        (?P<to>{_MOMENT})
        |(?:(?:in|im)\ )?(?P<month>{_MONTH})\ (?P<year>\d{{4}})
        |(?:in|im)\ (?P<bare_month>{_MONTH})
        |(?:since|from|seit|ab|von)\ (?P<since>{_MOMENT})
        |(?:until|bis)\ (?P<until>{_MOMENT})
        |(?:before|vor\ dem)\ (?P<before>{_MOMENT})
        |(?:at|around|um|gegen)\ (?P<at>(?:{_DAY}\ )?{_CLOCK})
        |(?:last|past|letzten?|vergangenen?)\ (?P<length>\d{{1,6}})\ ?(?P<length_unit>{_UNIT})
        |(?P<ago>\d{{1,6}}|a|an)\ (?P<ago_unit>{_UNIT})\ ago
        |vor\ (?P<vor>\d{{1,6}}|einer|einem)\ (?P<vor_unit>{_UNIT})
        |(?P<preset>{"|".join(map(re.escape, _PRESETS))})(?!\ {_CLOCK})
        |(?P<day>{_DAY}(?:[T ]{_CLOCK})?)
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
        return _month(name, found["year"] or "", now)
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
    if (day := _NO_YEAR.match(text)) is None:
        return parse_time(text, now, day_ends=ends)
    rest, year = text[day.end() :], in_zone(now).year
    moment = parse_time(f"{day[0]}{year}{rest}", now, day_ends=ends)
    start = parse_time(f"{day[0]}{year}", now)
    return moment if start <= now else parse_time(f"{day[0]}{year - 1}{rest}", now, day_ends=ends)


def _month(name: str, year: str, now: datetime) -> TimeSpan:
    """A whole month; without a year the last one that has begun."""
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
