"""Sentences as a text with gaps and what fills them."""

from __future__ import annotations

from cdb_desktop.schema.words import counted, shown_value, words


def test_a_sentence_keeps_text_and_parameters_apart() -> None:
    """A translation replaces the text and fills in the same parameters, whatever they hold."""
    told = words("Rename table {old} to {new}", old="a", new="{b}")
    assert (told.text, dict(told.parameters)) == ("Rename table {old} to {new}", {"old": "a", "new": "{b}"})
    assert str(told) == "Rename table a to {b}"


def test_counts_have_a_text_of_their_own_for_one() -> None:
    """One and many are different texts, so that other languages can differ as well."""
    told = [str(counted(count, "{count} table added", "{count} tables added")) for count in (1, 2)]
    assert told == ["1 table added", "2 tables added"]


def test_values_are_shown_as_they_are_written() -> None:
    """Texts stand without quotes, everything else as JSON."""
    assert [shown_value(value) for value in ("a", True, None, 1.5, [1])] == [
        "a",
        "true",
        "null",
        "1.5",
        "[1]",
    ]
