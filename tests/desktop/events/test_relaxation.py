"""Tests of what is offered where a query finds nothing."""

from collections.abc import AsyncIterator, Sequence
from random import Random

import msgspec

from cdb_desktop.client import Event
from cdb_desktop.events.matches import MatchedResult, search_matches
from cdb_desktop.events.relaxation import (
    Relaxation,
    corrections,
    counterparts,
    in_order,
    served_parts,
    similar_users,
    with_meanings,
    without_served,
    without_words_or_conditions,
)
from cdb_desktop.queries.known_values import KnownValues
from cdb_desktop.queries.query import Query, QueryMatcher, QueryPart, ResolvedQuery
from cdb_desktop.queries.typed_query import with_terms
from cdb_desktop.vocabulary.pattern import Condition, PatternKind
from cdb_desktop.vocabulary.query_text import NO_TIME, parse_query

_TYPES = ("OBJECT_DELETE", "OBJECT_UPDATE", "SEARCH", "USER_LOGIN", "CUSTOM_TYPE")
_WORDS = ("vase", "amphora", "portrait", "denied", "Größe", "café", "landscape", "batch")


def log(random: Random) -> list[Event]:
    """Events with words in info."""
    return [
        Event(
            id=number,
            type=random.choice(_TYPES),
            objecttype=random.choice(("work", "person", None)),
            object_id=random.randint(1, 30),
            user_id=1,
            user_displayname=random.choice(("Anna Weber", "Jonas Roth")),
            info=msgspec.Raw(
                msgspec.json.encode({"title": " ".join(random.sample(_WORDS, 2)), "token": "unmentionable"})
            ),
        )
        for number in range(1, 300)
    ]


async def searched(events: Sequence[Event], query: Query) -> MatchedResult:
    """The result after all events have been searched."""

    async def pages() -> AsyncIterator[Sequence[Event]]:
        for first in range(0, len(events), 100):
            yield events[first : first + 100]

    result = MatchedResult(ResolvedQuery(conditions=query.conditions), events[-1].id)
    await search_matches(pages(), result, lambda _changed: None)
    return result


def number(events: Sequence[Event], query: Query) -> int:
    """How many events a query finds."""
    return sum(map(QueryMatcher(query).matches, events))


def generated(random: Random) -> Query:
    """A query of one to three conditions, often with a word that is misspelt."""

    def word() -> str:
        found = random.choice((*_WORDS, "deleted", "changed", "Anna", "work", "person"))
        if random.random() < 0.4:
            place = random.randrange(len(found))
            found = found[:place] + found[place + 1 :] + random.choice(("", "x"))
        return found

    makers = (
        lambda: Condition(" ".join(word() for _ in range(random.randint(1, 3))), PatternKind.WORDS),
        lambda: Condition(word(), PatternKind.WORDS, is_excluded=True),
        lambda: Condition(f"{word()} {word()}"),
        lambda: Condition(f"type={random.choice(_TYPES)}", PatternKind.KEY, random.random() < 0.5),
        lambda: Condition(f"work {random.randint(1, 40)}", PatternKind.OBJECT),
    )
    return Query(
        conditions=tuple(dict.fromkeys(random.choice(makers)() for _ in range(random.randint(1, 3))))
    )


async def test_offered_numbers_are_those_that_are_found() -> None:
    """For generated queries without a result; corrections find something, and no secret is one."""
    random = Random(31)
    events, empty, corrected, numbered = log(random), 0, 0, 0
    while empty < 40:
        query = generated(random)
        result = await searched(events, query)
        assert result.total == number(events, query)
        if result.total:
            continue
        empty += 1
        for one in without_words_or_conditions(query, result.near_misses):
            assert one.number == number(events, one.query), (query, one)
            numbered += 1
        for one in corrections(query, result.near_misses):
            assert number(events, one.query) > 0, (query, one)
            assert one.instead != "unmentionable"
            corrected += 1
    assert numbered > 30
    assert corrected > 1


async def test_the_nearest_words_come_first() -> None:
    """A misspelt word among others is corrected; the number of events without it follows."""
    events = log(Random(1))
    query = Query(conditions=(Condition("deleted amfora", PatternKind.WORDS),))
    result = await searched(events, query)
    near = result.near_misses
    found = in_order([*without_words_or_conditions(query, near), *corrections(query, near)], 6)
    assert (found[0].word, found[0].instead) == ("amfora", "amphora")
    assert found[0].query == Query(conditions=(Condition("deleted amphora", PatternKind.WORDS),))
    deleted = Query(conditions=(Condition("deleted", PatternKind.WORDS),))
    assert [(one.number, one.query) for one in found if one.word and not one.instead] == [
        (number(events, deleted), deleted)
    ]


async def test_several_misspelt_words_are_corrected_together() -> None:
    """By words of one event, so that it is found."""
    events = log(Random(1))
    query = Query(conditions=(Condition("delted amfora", PatternKind.WORDS),))
    result = await searched(events, query)
    one = next(corrections(query, result.near_misses))
    assert one.query == Query(conditions=(Condition("deleted amphora", PatternKind.WORDS),))
    assert (one.word, one.instead) == ("delted amfora", "deleted amphora")
    assert number(events, one.query) > 0


async def test_near_misses_are_not_counted_once_something_is_found() -> None:
    """They take time, and nobody needs them then."""
    events = log(Random(1))
    result = await searched(events, Query(conditions=(Condition("vase", PatternKind.WORDS),)))
    assert result.total
    assert result.near_misses.numbers.total() < 50


async def test_words_that_mean_a_type() -> None:
    """They are offered as a condition, with the other words kept, and with the number if it is known."""
    events, known = log(Random(1)), KnownValues()
    query = Query(conditions=(Condition("sign-ins Anna", PatternKind.WORDS),))
    result = await searched(events, query)
    (one,) = with_meanings(query, result.near_misses, known)
    anna = Condition("Anna", PatternKind.WORDS)
    assert one.query == Query(types=("USER_LOGIN",), conditions=(anna,))
    assert (one.word, one.instead) == ("sign-ins", "type:USER_LOGIN")
    assert one.number == number(events, one.query) > 0
    query = Query(conditions=(Condition("sessions Anna", PatternKind.WORDS),))
    result = await searched(events, query)
    (one,) = with_meanings(query, result.near_misses, known)
    assert one.query.types == ("USER_LOGIN", "USER_LOGOUT")
    assert one.number == number(events, one.query) > 0
    calls = Query(conditions=(Condition("without api calls Anna", PatternKind.WORDS),))
    (one,) = with_meanings(calls, result.near_misses, known)
    assert one.query.conditions[0] == anna
    assert (one.word, one.instead, one.number) == ("without api calls", "-type:API_CALL", None)


async def test_filters_of_the_service() -> None:
    """The number of events without one is exact only if there is nothing else to be tested."""
    query = Query(types=("SEARCH",), users=(7,))
    (part, rest), _other = served_parts(query)
    assert (part, rest) == (QueryPart.TYPE, Query(users=(7,)))
    relaxation = without_served(None, part, rest, 12)
    assert relaxation is not None
    assert relaxation.number == 12
    assert without_served(None, part, rest, 0) is None
    conditions = (Condition("zzz", PatternKind.WORDS),)
    result = await searched(log(Random(1)), Query(conditions=conditions))
    relaxation = without_served(result, part, Query(conditions=conditions), 1000)
    assert relaxation is not None
    assert relaxation.number is None
    assert without_served(result, part, Query(conditions=conditions), result.progress.searched) is None


def test_types_of_another_generation_have_counterparts() -> None:
    """As saved views of a service that was replaced contain them."""
    known = KnownValues()
    known.offer_types(in_groups=True)
    query = Query(types=("LOGIN_FAILED", "SEARCH", "SERVER_START"))
    assert list(counterparts(query, known)) == [
        Relaxation(
            Query(types=("USER_LOGIN_FAILED", "SEARCH", "SERVER_START")),
            word="LOGIN_FAILED",
            instead="type:USER_LOGIN_FAILED",
        )
    ]
    assert list(counterparts(Query(types=("UNHEARD",)), known)) == []


def test_a_misspelt_user_is_corrected() -> None:
    """With those who are called nearly so, by a part of their names or the whole."""
    known = KnownValues()
    known.add([Event(id=1, type="SEARCH", user_id=5, user_displayname="Astrid Lindqvist")])
    for typed in ("Lindquist", '"Astrid Lindquist"'):
        query = with_terms(Query(), parse_query(f"user:{typed}", NO_TIME), known)
        (one,) = similar_users(query, known)
        assert (one.query, one.word) == (Query(users=(5,)), typed.strip('"'))
        assert one.instead == "Astrid Lindqvist"
