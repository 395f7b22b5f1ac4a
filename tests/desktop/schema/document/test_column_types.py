"""Tests of families of types, and of the changes of type that the service supports (wire §5)."""

import pytest

from cdb_desktop.schema.document.column_types import (
    SPELLINGS,
    TypeFamily,
    is_change_allowed,
    keeps_values,
    type_family,
)

_ONE = {found: spellings[-1] for found, spellings in SPELLINGS.items()}

_ALLOWED = {
    *((one, other) for one in ("text", "text_l10n") for other in ("string", "text_l10n_oneline")),
    *((date, text) for date in ("date", "daterange", "date_time") for text in ("text", "text_l10n")),
    ("date", "datetime"),
    ("datetime", "date"),
    ("date", "date_range"),
    ("date_time", "daterange"),
    ("number", "text_oneline"),
    ("integer", "text_l10n"),
    ("decimal.2", "text"),
    ("integer.2", "text_l10n"),
    ("number", "decimal.2"),
    ("integer.2", "integer"),
}


@pytest.mark.parametrize(("before", "after"), sorted(_ALLOWED))
def test_supported_changes(before: str, after: str) -> None:
    """They are the contract's list, in any spelling."""
    assert is_change_allowed(before, after)


def test_all_other_changes_are_refused() -> None:
    """Of all pairs of families only those in the list are supported."""
    listed = {(type_family(before), type_family(after)) for before, after in _ALLOWED}
    found = {
        (one, other)
        for one in _ONE
        for other in _ONE
        if one is not other and is_change_allowed(_ONE[one], _ONE[other])
    }
    assert found == {(one, other) for one, other in listed if one is not other}


def test_both_spellings_are_one_type() -> None:
    """Files and documentation differ in their spellings."""
    pairs = [
        ("eas", "assetsvc"),
        ("daterange", "date_range"),
        ("datetime", "date_time"),
        ("integer.2", "decimal.2"),
    ]
    assert [type_family(one) is type_family(other) for one, other in pairs] == [True] * 4
    assert type_family("custom:base.gnd.gnd") is TypeFamily.CUSTOM
    assert type_family("hologram") is None


def test_some_supported_changes_may_lose_a_part_of_a_value() -> None:
    """They lose other languages, the time of day or the fraction."""
    narrowing = [("text_l10n", "text"), ("datetime", "date"), ("decimal.2", "number")]
    assert [is_change_allowed(*pair) and not keeps_values(*pair) for pair in narrowing] == [True] * 3
    assert keeps_values("number", "decimal.2")
    assert not keeps_values("custom:base.a.b", "custom:base.a.c")
