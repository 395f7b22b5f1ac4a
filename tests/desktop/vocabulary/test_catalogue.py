"""Tests of the catalogue of codes and of finding one in it."""

from __future__ import annotations

import pytest

from cdb_desktop.vocabulary.catalogue import catalogue, entry_of, found_entries


def test_the_catalogue_has_every_code_of_the_contract() -> None:
    """121 of them, with words in both languages (§7)."""
    entries = catalogue().values()
    assert len(entries) == 121
    assert all(entry.words[language].title for entry in entries for language in ("en", "de"))


@pytest.mark.parametrize(
    ("spelled", "code"),
    [
        ("error.user.event_not_found", "error.user.event_not_found"),
        (" user.event_not_found ", "error.user.event_not_found"),
        ("error.server.elasticsearch", "error.server.searchengine"),
    ],
)
def test_a_code_is_known_in_every_spelling(spelled: str, code: str) -> None:
    """Without its prefix, and as other services spell it (wire §8)."""
    entry = entry_of(spelled)
    assert entry is not None
    assert entry.code == code


def test_what_nobody_knows_has_no_entry() -> None:
    """A newer service has more codes than this program."""
    assert entry_of("error.user.brand_new") is None


def test_words_are_found_in_the_language_of_the_window() -> None:
    """In titles before explanations, all of them in one entry."""
    assert found_entries("system right", "en")[0].code == "error.user.no_system_right"
    assert found_entries("systemrecht", "de")[0].code == "error.user.no_system_right"
    assert found_entries("systemrecht", "en") == ()


def test_a_part_of_a_code_is_found_first() -> None:
    """Whoever types a code means it, not a text in which the word stands."""
    found = [entry.code for entry in found_entries("version_mismatch", "de")]
    assert found == ["error.user.version_mismatch"]


def test_nothing_typed_finds_everything() -> None:
    """The page begins with the whole catalogue in the contract's order."""
    assert [entry.code for entry in found_entries("  ", "en")] == list(catalogue())
