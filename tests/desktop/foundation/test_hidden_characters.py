"""Tests that characters which change the direction of a text are shown as marks."""

from __future__ import annotations

import unicodedata

import pytest

from cdb_desktop.foundation.i18n import tr, visible

_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def test_every_bidirectional_control_character_is_marked() -> None:
    """Those of Unicode; letters of any script stay."""
    for number in range(0x110000):
        letter = chr(number)
        if unicodedata.bidirectional(letter) in _DIRECTIONS or letter in "\u061c\u200e\u200f":
            assert visible(f"a{letter}b") == f"a⟦U+{number:04X}⟧b"
        elif letter.isalpha():
            assert visible(letter) == letter


@pytest.mark.parametrize("text", ["work", "Größe", "שלום", "नमस्\u200dते", "👩\u200d🎨", ""])
def test_other_texts_stay(text: str) -> None:
    """Also those with joiners."""
    assert visible(text) == text


def test_values_of_sentences_are_marked() -> None:
    """Names of tables and users are values of translated texts."""
    text = tr("Go to table {name}", name="a\u202etxt.exe")
    assert text == "Go to table a⟦U+202E⟧txt.exe"
