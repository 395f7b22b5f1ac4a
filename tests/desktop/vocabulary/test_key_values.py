"""Tests of parsing keys with values."""

from __future__ import annotations

import pytest

from cdb_desktop.vocabulary.key_values import KeyValueError, key_value_text, parse_key_values


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("objecttype=image object_id=530", [("objecttype", ("image",)), ("object_id", ("530",))]),
        ("ID = 7", [("ID", ("7",))]),
        ("user=Anna Weber type=SEARCH", [("user", ("Anna Weber",)), ("type", ("SEARCH",))]),
        ('name="a=b c" type = X', [("name", ("a=b c",)), ("type", ("X",))]),
        ("url=http://host/?a=b", [("url", ("http://host/?a=b",))]),
        ('name="open', [("name", ('"open',))]),
        ("name=", [("name", ("",))]),
        ("q=*a b* c = d", [("q", ("", "a b", "")), ("c", ("d",))]),
        (r"k=5\*3 \"x\"", [("k", ('5*3 "x"',))]),
    ],
)
def test_a_value_extends_to_the_next_key(typed: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    """It may contain blanks, and an equals sign in quotes or without a blank; a star splits it."""
    assert [(pair.key, pair.pieces) for pair in parse_key_values(typed)] == found


@pytest.mark.parametrize("typed", ["7", " = 3", "=7", ""])
def test_a_key_and_an_equals_sign_are_required(typed: str) -> None:
    """Other input is refused."""
    with pytest.raises(KeyValueError):
        parse_key_values(typed)


@pytest.mark.parametrize("value", ["image", "my type", "5*3", 'a"b', "a=b", "7@abc-1"])
def test_formatted_values_are_parsed_again(value: str) -> None:
    """The parsed value is exactly the same."""
    (pair,) = parse_key_values(key_value_text("objecttype", value))
    assert (pair.key, pair.pieces) == ("objecttype", (value,))
