"""Tests of the rules for names, and of generated names (wire §5)."""

from itertools import chain

import pytest

from cdb_desktop.schema.document.names import (
    ascii_letters,
    foreign_key_name,
    is_column_name,
    is_reserved,
    is_table_name,
    natural_key,
    unique_key_name,
    unused_name,
)
from tests.desktop.schema.models import MODEL_FILES, opened, real


@pytest.mark.parametrize("name", ["ab", "a_b", "a1", "work__note", "a" * 63])
def test_valid_table_names(name: str) -> None:
    """They have two to 63 lower-case letters, digits and underscores."""
    assert is_table_name(name)


@pytest.mark.parametrize("name", ["", "a", "1a", "_a", "a_", "Work", "wörk", "a b", "a" * 64, "a\n"])
def test_invalid_table_names(name: str) -> None:
    """The first character is a letter, and the last one not an underscore."""
    assert not is_table_name(name)


def test_a_column_may_have_one_letter() -> None:
    """This is the only difference between the two rules."""
    assert is_column_name("a")
    assert not is_column_name("a_")
    assert not is_table_name("a")


def test_reserved_names() -> None:
    """The service's own objecttypes and prefix are reserved."""
    assert [name for name in ("pool", "ez_x", "pools", "users", "group") if is_reserved(name)] == [
        "pool",
        "ez_x",
        "group",
    ]


@pytest.mark.parametrize(
    ("table", "column", "target", "name"),
    [
        (
            "nestedeinfachflat__nestedfeld",
            "nestedlinkedallefelder",
            "allefelder",
            "nestedeinfachflat__nestedfeld__nestedlink:0392aba57deec89c_fkey",
        ),
        (
            "nestedmehrfachflat__outernested__secondnested",
            "nestedlinkedallefelder",
            "allefelder",
            "nestedmehrfachflat__outernested__secondne:b9ddd2ea7e5ccb94_fkey",
        ),
    ],
)
def test_long_names_equal_those_of_deployed_services(table: str, column: str, target: str, name: str) -> None:
    """Names above the limit are truncated and have a hash of the full name."""
    assert foreign_key_name(table, [column], target) == name


def test_generated_names_equal_those_of_real_models() -> None:
    """Every key in the exports has its generated name, long ones with their hash."""
    for document in (opened(real(path)) for path in MODEL_FILES):
        for table in document.tables:
            names = {key: column.name for key, column in table.by_key.items()}
            pairs = chain(
                (
                    (
                        key.name,
                        foreign_key_name(
                            table.name,
                            [names[column] for column in key.column_keys],
                            document.by_key[key.target or 0].name,
                        ),
                    )
                    for key in table.foreign_keys
                ),
                (
                    (key.name, unique_key_name(table.name, [names[column] for column in key.column_keys]))
                    for key in table.unique_keys
                ),
            )
            assert [name for name, expected in pairs if name != expected] == []


def test_a_name_that_is_taken_gets_a_number() -> None:
    """Within the limit of length, and the first number that is free."""
    assert unused_name("title", ["name"]) == "title"
    assert unused_name("title", ["title", "title_2"]) == "title_3"
    assert unused_name("a" * 63, {"a" * 63}) == "a" * 61 + "_2"


def test_letters_without_accents() -> None:
    """Umlauts and ligatures become two letters; what has no counterpart is left out."""
    assert ascii_letters("Größe Æ é 中") == "groesse ae e "


def test_numbers_in_names_are_sorted_by_value() -> None:
    """Also numbers that are too long to be converted."""
    names = ["t_10", "t_9", "t_1" + "0" * 5000, "t", "t_009_a", "a_2_b", "a_10_b"]
    assert sorted(names, key=natural_key) == [
        "a_2_b",
        "a_10_b",
        "t",
        "t_9",
        "t_009_a",
        "t_10",
        "t_1" + "0" * 5000,
    ]
