"""Tests of translation, plural forms and numbers in texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cdb_desktop.foundation import i18n
from cdb_desktop.foundation.i18n import message, tr


def _german_number(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """German with three texts of its own."""
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


def test_english_is_the_text_itself() -> None:
    """Without a translation the key is shown."""
    i18n.use_language("en", i18n._english_number)
    assert tr("Save as {name}", name="a{b}") == "Save as a{b}"
    assert tr("100 % of {{}}") == "100 % of {}"


@pytest.mark.parametrize(
    ("count", "text"), [(1, "Ein Ereignis"), (0, "0 Ereignisse"), (1200, "1.200 Ereignisse")]
)
@pytest.mark.usefixtures("german")
def test_forms_follow_the_number(count: int, text: str) -> None:
    """One for exactly 1, the other form with a grouped number for the rest."""
    assert tr("{count:One event|{count} events} deleted", count=count) == f"{text} gelöscht"


@pytest.mark.usefixtures("german")
def test_contexts_tell_meanings_apart() -> None:
    """The same English text may be two German ones; an unknown context stays English."""
    assert (tr("Open"), tr("Open", context="state"), tr("Open", context="other")) == (
        "Öffnen",
        "offen",
        "Open",
    )


@pytest.mark.usefixtures("german")
def test_values_may_change_their_order_and_precision_is_kept() -> None:
    """Decimals as the text says, separators as the locale has them."""
    assert tr("{size:.1f} MB of {file}", size=1234.56, file="a.csv") == "a.csv: 1.234,6 MB"
    assert tr("{share}", share=0.25) == "0,25"


def test_messages_are_translated_when_shown(german: None) -> None:
    """The same message reads differently after the language changed; messages may contain messages."""
    found = message("{what}!", what=message("{count:One event|{count} events} deleted", count=2))
    assert str(found) == "2 Ereignisse gelöscht!"
    i18n.use_language("en", i18n._english_number)
    assert str(found) == "2 events deleted!"


def test_missing_value_is_an_error() -> None:
    """A forgotten value is found by the first test that shows the text."""
    with pytest.raises(KeyError, match="name"):
        tr("Save as {name}")
