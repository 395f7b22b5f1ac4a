"""Completions of a query while it is typed: names of fields, and known values with their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import msgspec

from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.vocabulary.query_text import FIELD_NAMES, Field, field_text

_MOST = 12
_WORD = re.compile(r'(?P<minus>-?)(?:(?P<field>[^\s:"=/]+):(?P<value>"[^"]*|[^\s"]*)|(?P<word>[^\s":=/-]+))$')
_DATES = ("today", "yesterday", "this week", "last week", "this month", "last month", "last 24 h")
_DATES_DE = ("heute", "gestern", "diese Woche", "letzte Woche", "diesen Monat", "letzten Monat")


class Completion(msgspec.Struct, frozen=True):
    """A text for the place from ``first`` to the cursor; ``number`` of events read so far, None if unknown.

    ``is_field``: a value must follow.
    """

    text: str
    first: int
    number: int | None = None
    is_field: bool = False


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
    words = _words(found, known, counts, language)
    return tuple(one for one in words if not (of_new_events and _is_of_lists(one)))


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
        value = ",".join([*before, name])
        text = field_text(field, value, is_excluded=bool(found["minus"]))
        yield Completion(text, found.start(), candidates[name])


def _is_of_lists(completion: Completion) -> bool:
    """Whether only the service can filter by what is completed."""
    name = completion.text.lstrip("-").removesuffix(":")
    is_date = not completion.is_field and ":" not in completion.text
    return is_date or FIELD_NAMES.get(name) in {Field.GROUP, Field.USER_TYPE}


def _candidates(field: Field, known: KnownValues, counts: Mapping[str, int]) -> dict[str, int | None]:
    if field is Field.TYPE:
        return {name: counts.get(name) for name in known.types}
    if field is Field.USER:
        return {name: known.event_count_of(number) for number, name in known.users}
    names = {
        Field.BASE_TYPE: known.base_types,
        Field.GROUP: [name for _, name in known.groups],
        Field.USER_TYPE: known.user_types,
        Field.OBJECT: known.object_types,
        Field.POLLABLE: ["yes", "no"],
    }.get(field, [])
    return dict.fromkeys(names)


def _words(
    found: re.Match[str], known: KnownValues, counts: Mapping[str, int], language: str
) -> Iterator[Completion]:
    """Fields, types and users for a word that is none of them yet, and dates."""
    typed, minus = found["word"].casefold(), found["minus"]
    first = found.start()
    for field in Field:
        names = [name for name, one in FIELD_NAMES.items() if one is field and name.startswith(typed)]
        if names:
            # The English name is the first, and the German one the last.
            name = names[-1] if language == "de" else names[0]
            yield Completion(f"{minus}{name}:", first, is_field=True)
    if not minus:
        dates = _DATES_DE if language == "de" else _DATES
        yield from (Completion(phrase, first) for phrase in dates if phrase.casefold().startswith(typed))
    if len(typed) < 2:
        return
    for field, values in (
        (Field.TYPE, {name: counts.get(name) for name in known.types}),
        (Field.USER, {name: known.event_count_of(number) for number, name in known.users}),
    ):
        some = [name for name in values if typed in name.casefold()]
        some.sort(key=lambda name: (not name.casefold().startswith(typed), -(values[name] or 0)))
        for name in some[:4]:
            yield Completion(field_text(field, name, is_excluded=bool(minus)), first, values[name])
