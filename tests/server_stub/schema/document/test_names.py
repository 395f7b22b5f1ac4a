"""Edge cases of the naming rules of wire §5."""

import pytest

from server_stub.schema.document.names import (
    cut,
    foreign_key_name,
    is_column_name,
    is_nested_name,
    is_table_name,
    unique_key_name,
)


@pytest.mark.parametrize("name", ["ab", "a1", "work", "a_b__c", "a" * 63, "users", "ezwork"])
def test_good_table_names(name: str) -> None:
    """Names have two to 63 characters, begin with a letter and do not end with an underscore."""
    assert is_table_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "a", "Ab", "1ab", "_ab", "ab_", "a-b", "ä", "ab\n", "a" * 64, "ez_work", "pool", "user", "group"],
)
def test_bad_table_names(name: str) -> None:
    """Reserved words and prefixes are refused."""
    assert not is_table_name(name)


@pytest.mark.parametrize(("name", "good"), [("a", True), ("a" * 63, True), ("a_", False), ("a" * 64, False)])
def test_column_names(name: str, good: bool) -> None:
    """A column name may have one letter, or be a word that is reserved for tables."""
    assert is_column_name(name) is good
    assert is_column_name("user")


@pytest.mark.parametrize(
    ("name", "good"),
    [("work__a", True), ("work__", False), ("work_a", False), ("work", False), ("work__1", False)],
)
def test_nested_names(name: str, good: bool) -> None:
    """The limits apply to the whole `owner__name`."""
    assert is_nested_name(name, "work") is good
    assert not is_nested_name("w" * 50 + "__" + "a" * 12, "w" * 50)


def test_generated_names() -> None:
    """Generated names of keys contain the names of their elements."""
    assert foreign_key_name("work", ["place"], "place") == "work__place__place_fkey"
    assert unique_key_name("work", ["title", "year"]) == "work__title__year_unique"


def test_long_names_are_shortened() -> None:
    """Names of more than 63 characters keep beginning and end around `:` and 16 hex digits."""
    one, other = cut("a" * 40 + "b" * 40, "_fkey"), cut("a" * 40 + "c" + "b" * 39, "_fkey")
    assert len(one) == len(other) == 63
    assert one != other
    assert one.startswith("a" * 40 + "b:")
    assert one.endswith("_fkey")
    assert cut("a" * 63) == "a" * 63


def test_long_names_are_cut_as_real_exports_show() -> None:
    """The shortened name equals that of a foreign key in a real export."""
    table, column, target = "nestedeinfachflat__nestedfeld", "nestedlinkedallefelder", "allefelder"
    expected = "nestedeinfachflat__nestedfeld__nestedlink:0392aba57deec89c_fkey"
    assert foreign_key_name(table, [column], target) == expected
