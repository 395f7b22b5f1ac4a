"""Tests of completions of a typed query."""

import pytest

from cdb_desktop.client import Event
from cdb_desktop.queries.completion import Completion, completions, interpretation
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


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("aus dem Papierkorb", "type:OBJECT_UNDELETE"),
        ("failed sign-ins", "type:USER_LOGIN_FAILED"),
        ("without Uploads", "-type:FILE_UPLOAD,FILE_UPLOAD_ERROR,FILE_UPLOAD_REMOTE"),
    ],
)
def test_types_and_groups_of_a_service_that_has_them(known: KnownValues, text: str, typed: str) -> None:
    """A group means all of its types; a service without groups has fewer types, and no such words."""
    assert typed not in offered(text, known)
    known.offer_types(in_groups=True)
    assert typed in offered(text, known)
    assert interpretation("type Downloads", known).startswith("type:EXPORT_DOWNLOAD,")
    titles = [one.title for one in completions("downloads", 9, known, {}, "en")]
    assert "downloads → Downloads (5)" in titles


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


@pytest.fixture(scope="module")
def museum() -> KnownValues:
    """Events of two users, on two tables and on a user."""
    found = KnownValues()
    found.add(
        [
            Event(id=1, type="SEARCH", user_id=1, user_displayname="Root", objecttype="work"),
            Event(id=2, type="OBJECT_DELETE", user_id=2, user_displayname="Anna Roth", objecttype="image"),
            Event(id=3, type="USER_LOGIN", user_id=2, user_displayname="Anna Roth", basetype="user"),
        ]
    )
    found.add_table_names(
        {
            "schema.image.name": {"de-DE": "Bild, Foto", "en-US": "Image"},
            "schema.image.column.file": {"de-DE": "Datei"},
        }
    )
    return found


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("user Root this week", "user:Root this week"),
        ("Nutzer root gestern", "user:Root gestern"),
        ("by Anna Roth", 'user:"Anna Roth"'),
        ("user roth", "user:roth"),
        ("event type search user Root", "type:SEARCH user:Root"),
        ("table image 12 v3", "object:image 12 v3"),
        ("IP-Adresse 10.0.0.1", "ipv4_address=10.0.0.1"),
        ("id 19908", "_id=19908"),
        ("who deleted an image?", "type:OBJECT_DELETE object:image"),
        ("wer hat ein image gelöscht", "object:image type:OBJECT_DELETE"),
        ("gelöscht bild", "type:OBJECT_DELETE object:image"),
        ("Foto 12 by Root", "object:image 12 user:Root"),
        ("-api calls", "-type:API_CALL"),
        ("deletions by Root", "type:MAPPING_DELETE,OBJECT_DELETE user:Root"),
        ("ohne API-Aufrufe user Root", "-type:API_CALL user:Root"),
        ("type:SEARCH user Root vase", "type:SEARCH user:Root vase"),
        ("Typ:SEARCH deleted user Root", "Typ:SEARCH deleted user:Root"),
        ("Madonna - Child user Root", "Madonna - Child user:Root"),
        ("insertions and deletions", "type:OBJECT_INSERT type:MAPPING_DELETE,OBJECT_DELETE"),
        ("searches, api_call user Root", "type:SEARCH type:API_CALL user:Root"),
        ("deletions and edits deleted", "type:MAPPING_DELETE,OBJECT_DELETE type:OBJECT_UPDATE deleted"),
        ("everything except searches", "-type:SEARCH"),
        ("alles außer Suchen", "-type:SEARCH"),
    ],
)
def test_words_that_mean_conditions(text: str, typed: str, museum: KnownValues) -> None:
    """They are offered first, for the whole text."""
    assert interpretation(text, museum) == typed
    first = completions(text, len(text), museum, {}, "en")[0]
    assert (first.text, first.first, first.last, first.words) == (typed, 0, len(text), text)


@pytest.mark.parametrize(
    "text",
    ["deleted image", "user 33", "user nobody", "Root", "a vase", "M -", "who", "this week", '"user Root"'],
)
def test_words_that_are_only_words(text: str, museum: KnownValues) -> None:
    """Without a field before a known value, words are looked for as they are."""
    assert interpretation(text, museum) == ""


def test_localized_names_of_tables_are_completed(museum: KnownValues) -> None:
    """Rows do not show them, so they are conditions."""
    titles = [one.title for one in completions("denied bil", 10, museum, {}, "de")]
    assert "bil → object:image" in titles


@pytest.mark.parametrize(
    ("text", "offered"),
    [("user Root", True), ("user Root this week", False), ("group:Staff user Root", False)],
)
def test_new_events_are_not_filtered_by_dates_and_groups(
    text: str, offered: bool, museum: KnownValues
) -> None:
    """What the whole text means is not offered with them."""
    found = completions(text, len(text), museum, {}, "en", of_new_events=True)
    assert (interpretation(text, museum) in [one.text for one in found]) is offered


def test_small_words_are_left_out_where_nothing_was_found(museum: KnownValues) -> None:
    """Articles and question words are in no text."""
    assert interpretation("who has the vase", museum, leaves_out=True) == "vase"
    assert interpretation("who", museum, leaves_out=True) == ""
