"""Tests of translation, plural forms, numbers and marked characters in texts."""

import unicodedata
from collections.abc import Iterator

import pytest

from cdb_desktop.foundation import i18n
from cdb_desktop.foundation.i18n import message, tr, visible


def _german_number(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sets the language to German with three texts of this module."""
    texts = {
        "{count:One event|{count} events} deleted": "{count:Ein Ereignis|{count} Ereignisse} gelöscht",
        "Open": {"": "Öffnen", "state": "offen"},
        "{size:.1f} MB of {file}": "{file}: {size:.1f} MB",
    }
    monkeypatch.setattr(i18n, "german_texts", lambda: texts)
    before = i18n.language()
    i18n.use_language("de", _german_number)
    yield
    i18n.use_language(before, i18n._english_number)


def test_english_texts_are_not_translated() -> None:
    """Without a translation the source text is shown."""
    i18n.use_language("en", i18n._english_number)
    assert tr("Save as {name}", name="a{b}") == "Save as a{b}"
    assert tr("100 % of {{}}") == "100 % of {}"


@pytest.mark.parametrize(
    ("count", "text"), [(1, "Ein Ereignis"), (0, "0 Ereignisse"), (1200, "1.200 Ereignisse")]
)
@pytest.mark.usefixtures("german")
def test_plural_forms_depend_on_the_number(count: int, text: str) -> None:
    """The singular is for exactly 1, the other form with a grouped number for the rest."""
    assert tr("{count:One event|{count} events} deleted", count=count) == f"{text} gelöscht"


@pytest.mark.usefixtures("german")
def test_contexts_distinguish_meanings() -> None:
    """An English text may have two German ones; an unknown context stays English."""
    assert (tr("Open"), tr("Open", context="state"), tr("Open", context="other")) == (
        "Öffnen",
        "offen",
        "Open",
    )


@pytest.mark.usefixtures("german")
def test_values_may_be_reordered_and_keep_their_precision() -> None:
    """Decimals are those of the text, separators those of the locale."""
    assert tr("{size:.1f} MB of {file}", size=1234.56, file="a.csv") == "a.csv: 1.234,6 MB"
    assert tr("{share}", share=0.25) == "0,25"


def test_messages_are_translated_when_shown(german: None) -> None:
    """A message is translated again after the language has changed; messages may contain messages."""
    found = message("{what}!", what=message("{count:One event|{count} events} deleted", count=2))
    assert str(found) == "2 Ereignisse gelöscht!"
    i18n.use_language("en", i18n._english_number)
    assert str(found) == "2 events deleted!"


def test_missing_value_is_an_error() -> None:
    """The first test that shows the text fails."""
    with pytest.raises(KeyError, match="name"):
        tr("Save as {name}")


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
