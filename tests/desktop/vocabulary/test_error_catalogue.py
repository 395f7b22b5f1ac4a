"""Tests of the catalogue of error codes, and of pasted errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import get_args

import pytest

from cdb_desktop.foundation.i18n import Language
from cdb_desktop.vocabulary.error_catalogue import catalogue, find_entry, parse_pasted_error, search_entries


def test_the_catalogue_has_every_code_of_the_contract() -> None:
    """It has 121 codes, with texts in both languages (§7)."""
    entries = catalogue().values()
    assert len(entries) == 121
    assert all(entry.explanations[language].title for entry in entries for language in get_args(Language))


@pytest.mark.parametrize(
    ("spelled", "code"),
    [
        ("error.user.event_not_found", "error.user.event_not_found"),
        (" user.event_not_found ", "error.user.event_not_found"),
        ("error.server.elasticsearch", "error.server.searchengine"),
    ],
)
def test_a_code_is_found_in_every_spelling(spelled: str, code: str) -> None:
    """The prefix is optional, and the spelling may be that of another service (wire §8)."""
    entry = find_entry(spelled)
    assert entry is not None
    assert entry.code == code


def test_unknown_codes_have_no_entry() -> None:
    """A newer service has more codes than this program."""
    assert find_entry("error.user.brand_new") is None


def test_a_search_uses_the_language_of_the_window(set_language: Callable[[Language], None]) -> None:
    """Titles precede explanations, and all words are in one entry."""
    assert search_entries("system right")[0].code == "error.user.no_system_right"
    assert search_entries("systemrecht") == ()
    set_language("de")
    assert search_entries("systemrecht")[0].code == "error.user.no_system_right"


def test_a_part_of_a_code_is_found_first(set_language: Callable[[Language], None]) -> None:
    """A search for a code lists it before texts that contain the word."""
    set_language("de")
    found = [entry.code for entry in search_entries("version_mismatch")]
    assert found == ["error.user.version_mismatch"]


def test_an_empty_search_finds_everything() -> None:
    """The page starts with the whole catalogue in the contract's order."""
    assert [entry.code for entry in search_entries("  ")] == list(catalogue())


RIGHT = {"realm": "user", "code": "error.user.no_system_right", "parameters": {"right": "system.root"}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RIGHT),
        f"403 Forbidden\n{json.dumps(RIGHT, indent=2)}\n",
        json.dumps({"statuscode": 403, "error": RIGHT}),
        json.dumps({"error": RIGHT["code"], "parameters": RIGHT["parameters"]}),
    ],
)
def test_error_objects_are_parsed_in_every_form(text: str) -> None:
    """They are bare, surrounded by text, or nested (§2.3, wire §4)."""
    error = parse_pasted_error(text)
    assert error is not None
    assert (error.realm, error.code) == ("user", RIGHT["code"])
    assert error.parameters == {"right": "system.root"}


def test_an_unknown_code_is_an_error_too() -> None:
    """It is shown unchanged."""
    error = parse_pasted_error('{"realm": "user", "code": "error.user.brand_new", "parameters": {"n": 3}}')
    assert error is not None
    assert error.parameters == {"n": "3"}


@pytest.mark.parametrize(
    "text", ["", "right", "{", '{"code": 3}', '{"count": 3}', "[1]", '{"a": ' * 100_000 + "}" * 9]
)
def test_other_texts_are_not_errors(text: str) -> None:
    """They are search terms."""
    assert parse_pasted_error(text) is None


def test_secrets_are_masked() -> None:
    """A pasted error may contain secrets that a service should not have sent."""
    text = {"code": "error.server.generic", "description": "GET /x?token=hush"}
    error = parse_pasted_error(json.dumps(text))
    assert error is not None
    assert "hush" not in error.description
