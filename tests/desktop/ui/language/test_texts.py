"""Tests that every text of the window is there in German, and no German without its text."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from cdb_desktop.foundation.resources import resource
from cdb_desktop.ui.language.texts import german_texts
from tests.desktop.ui.language.literals import texts

GAP = re.compile(r"%\d|\{\w+\}")
ENDING = re.compile(r"[….:!?]$")


def test_every_text_can_be_found_in_the_sources() -> None:
    """A text that is put together at run time would never be translated."""
    assert [text.place for text in texts() if not text.source or not text.context] == []


def test_every_text_has_german() -> None:
    """No word of another language in the middle of a German window."""
    german = german_texts()
    missing = {
        f"{text.place}  {text.context!r}: {text.source!r}"
        for text in texts()
        if not german.get((text.context, text.source))
    }
    assert not missing, "\n" + "\n".join(sorted(missing))


def test_no_text_is_translated_twice() -> None:
    """Two files that disagree would make the language a matter of luck."""
    found: Counter[tuple[str, str]] = Counter()
    for file in resource("texts/de").glob("*.json"):
        contexts = msgspec.json.decode(file.read_bytes(), type=dict[str, dict[str, str]])
        found.update((context, source) for context, several in contexts.items() for source in several)
    assert [text for text, count in found.items() if count > 1] == []


def test_german_keeps_the_gaps_and_the_ending() -> None:
    """A number that is told in English is told in German, and a question stays one."""
    wrong = [
        (source, german)
        for (_context, source), german in german_texts().items()
        if sorted(GAP.findall(source)) != sorted(GAP.findall(german))
        or ENDING.findall(source) != ENDING.findall(german)
        or source.count("&") != german.count("&")
    ]
    assert wrong == []


def test_german_uses_its_own_quotation_marks() -> None:
    """„So“, and umlauts as such."""
    assert [german for german in german_texts().values() if '"' in german or "'" in german] == []
