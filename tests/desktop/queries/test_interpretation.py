"""Tests of what words mean that are typed without marks."""

from __future__ import annotations

import pytest

from cdb_desktop.client import Event
from cdb_desktop.queries.completion import completions, interpretation
from cdb_desktop.queries.known_values import KnownValues


@pytest.fixture(scope="module")
def known() -> KnownValues:
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
    ],
)
def test_words_that_mean_conditions(text: str, typed: str, known: KnownValues) -> None:
    """They are offered first, for the whole text."""
    assert interpretation(text, known) == typed
    first = completions(text, len(text), known, {}, "en")[0]
    assert (first.text, first.first, first.last, first.words) == (typed, 0, len(text), text)


@pytest.mark.parametrize(
    "text",
    ["deleted image", "user 33", "user nobody", "Root", "a vase", "M -", "who", "this week", '"user Root"'],
)
def test_words_that_are_only_words(text: str, known: KnownValues) -> None:
    """Without a field before a known value, words are looked for as they are."""
    assert interpretation(text, known) == ""


def test_localized_names_of_tables_are_completed(known: KnownValues) -> None:
    """Rows do not show them, so they are conditions."""
    titles = [one.title for one in completions("denied bil", 10, known, {}, "de")]
    assert "bil → object:image" in titles


@pytest.mark.parametrize(
    ("text", "offered"),
    [("user Root", True), ("user Root this week", False), ("group:Staff user Root", False)],
)
def test_new_events_are_not_filtered_by_dates_and_groups(
    text: str, offered: bool, known: KnownValues
) -> None:
    """What the whole text means is not offered with them."""
    found = completions(text, len(text), known, {}, "en", of_new_events=True)
    assert (interpretation(text, known) in [one.text for one in found]) is offered


def test_small_words_are_left_out_where_nothing_was_found(known: KnownValues) -> None:
    """Articles and question words are in no text."""
    assert interpretation("who has the vase", known, leaves_out=True) == "vase"
    assert interpretation("who", known, leaves_out=True) == ""
