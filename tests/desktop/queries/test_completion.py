"""Tests of completions of a typed query."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Event
from cdb_desktop.queries.completion import Completion, completions
from cdb_desktop.queries.known_values import KnownValues


@pytest.fixture
def known() -> KnownValues:
    """Searches of two users, and an export."""
    found = KnownValues()
    found.add(
        Event(id=number, type=kind, user_id=user, user_displayname=name, objecttype="work")
        for number, (kind, user, name) in enumerate(
            [
                ("SEARCH", 7, "Jonas Roth"),
                ("SEARCH", 8, "Anna Roth"),
                ("SEARCH", 8, "Anna Roth"),
                ("EXPORT_FAILED", 7, "Jonas Roth"),
            ]
        )
    )
    return found


def offered(text: str, known: KnownValues, language: str = "en") -> list[str]:
    """The texts that are offered at the end of ``text``."""
    return [one.text for one in completions(text, len(text), known, known.events_of_types, language)]


def test_fields_and_dates(known: KnownValues) -> None:
    """The beginning of a field or a date is completed; excluded dates make no sense."""
    assert offered("us", known)[:2] == ["user:", "usertype:"]
    assert offered("-ty", known)[0] == "-type:"
    assert "last week" in offered("denied la", known)
    assert "letzte Woche" in offered("letz", known, "de")
    assert offered("ben", known, "de")[:2] == ["benutzer:", "benutzertyp:"]
    assert offered("typ", known)[0] == "type:"
    assert offered("typ", known, "de")[0] == "typ:"
    assert "last week" not in offered("-la", known)


def test_values_with_numbers(known: KnownValues) -> None:
    """Known values with numbers: those that begin with the text first, then the frequent ones."""
    found = completions("type:se", 7, known, known.events_of_types, "en")
    assert found[0] == Completion("type:SEARCH", 0, 3)
    assert [one.text for one in found[1:3]] == ["type:SERVER_SHUTDOWN", "type:SERVER_START"]
    assert offered("user:roth", known) == ['user:"Anna Roth"', 'user:"Jonas Roth"']
    assert offered("type:SEARCH,exp", known)[0] == "type:SEARCH,EXPORT_FAILED"
    assert offered("object:w", known) == ["object:work"]
    assert offered("pollable:", known) == ["pollable:no", "pollable:yes"]


def test_words_offer_types_and_users(known: KnownValues) -> None:
    """A word that is part of a type or a name offers both as filters."""
    assert "type:EXPORT_FAILED" in offered("fail", known)
    assert 'user:"Jonas Roth"' in offered("jon", known)
    assert 'denied -user:"Jonas Roth"'.endswith(offered("denied -jon", known)[0])


@pytest.mark.parametrize("text", ["roth failures", "roth denied", "roth Fehlschläge"])
def test_words_for_a_family_offer_all_of_its_types(known: KnownValues, text: str) -> None:
    """With the number of events of all of them."""
    found = completions(text, len(text), known, known.events_of_types, "en")[0]
    assert found.text.startswith("type:COLLECTION_OWNER_RIGHTS_ERROR,EXPORT_FAILED,")
    assert (text[: found.first], found.number) == ("roth ", 1)


def test_nothing_is_offered(known: KnownValues) -> None:
    """Neither after a blank nor for an unknown field or within a key with a value."""
    for text in ("", "denied ", "http://exam", "reason=den", "exact:"):
        assert offered(text, known) == []


def test_only_the_word_at_the_cursor(known: KnownValues) -> None:
    """Text after the cursor does not count."""
    found = completions("type:se denied", 7, known, known.events_of_types, "en")
    assert (found[0].text, found[0].first) == ("type:SEARCH", 0)


def titles(text: str, known: KnownValues, language: str = "en") -> list[tuple[str, int | None]]:
    """What is offered at the end of ``text``, with the numbers."""
    found = completions(text, len(text), known, known.events_of_types, language)
    return [(one.title, one.number) for one in found]


def test_words_that_mean_a_condition_come_first(known: KnownValues) -> None:
    """What people call a type, in the language of the window or in English, and tables by their names."""
    known.add([Event(id=90, type="OBJECT_DELETE", objecttype="work"), Event(id=91, type="USER_LOGIN")])
    assert titles("deleted", known)[0] == ("deleted → type:OBJECT_DELETE", 1)
    assert titles("gelöscht", known, "de")[0] == ("gelöscht → type:OBJECT_DELETE", 1)
    assert titles("sign-ins", known) == [("sign-ins → type:USER_LOGIN", 1)]
    assert titles("deleted wor", known)[0] == ("object:work", 5)
    assert titles("rot", known)[0] == ('user:"Anna Roth"', 2)


def test_words_before_the_last_one_are_offered_too(known: KnownValues) -> None:
    """The condition takes the place of its words only."""
    found = completions("sign-ins today", 14, known, known.events_of_types, "en")
    assert [one.title for one in found][:2] == ["today", "sign-ins → type:USER_LOGIN"]
    assert (found[1].first, found[1].last) == (0, 8)


@pytest.mark.parametrize(
    ("text", "language", "title"),
    [
        ("without api calls", "en", "without api calls → -type:API_CALL"),
        ("denied without sear", "en", "-type:SEARCH"),
        ("ohne API-Aufrufe", "de", "ohne API-Aufrufe → -type:API_CALL"),
        ("-deleted", "en", "-deleted → -type:OBJECT_DELETE"),
        ("without jonas", "en", '-user:"Jonas Roth"'),
    ],
)
def test_words_after_without_exclude(known: KnownValues, text: str, language: str, title: str) -> None:
    """Without a number: that of what is excluded would be taken for that of what remains."""
    assert titles(text, known, language)[0] == (title, None)
    assert titles("-type:SEA", known) == [("-type:SEARCH", None)]
