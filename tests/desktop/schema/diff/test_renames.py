"""Tests that renamed tables and columns of other services are recognized where there is no doubt."""

import pytest

from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.diff.matching import MatchBy, align, are_similar
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.model import Document
from tests.desktop.schema.models import Json, column, other, table


@pytest.mark.parametrize(
    ("name", "other", "similar"),
    [
        ("title", "title_main", True),
        ("main_title", "title", True),
        ("adress", "address", True),
        ("artist_name", "artists_name", True),
        ("date_from", "date_to", False),
        ("height", "weight", False),
        ("name_1", "name_2", False),
        ("street_a", "street_b", False),
        ("min_width", "max_width", False),
        ("title", "title", False),
    ],
)
def test_similar_names(name: str, other: str, similar: bool) -> None:
    """In both directions."""
    assert are_similar(name, other) is are_similar(other, name) is similar


def _document(first: int, *tables: tuple[str, list[tuple[str, str]]]) -> Document:
    """A document whose ids begin with a number."""
    found: list[Json] = []
    for number, (name, columns) in enumerate(tables):
        own = [column(first + 100 * number + at, *each) for at, each in enumerate(columns)]
        found.append(table(first + number, name, *own))
    return read_document({"version": 1, "tables": found})


def _kinds(source: Document, target: Document) -> list[str]:
    """The changes from the target to the source, as a sentence each."""
    aligned = align(source, target, MatchBy.NAMES).document
    changes = compare(target, aligned)
    return [f"{one.kind.value}: {one.before} → {one.after}" for one in changes]


WORK = [("title", "text"), ("year", "integer"), ("height", "integer"), ("weight", "integer")]


def test_a_table_with_all_columns_of_another_is_that_table() -> None:
    """Its ids are other ones, and so is its name."""
    others = ("list", WORK[:1])
    found = _kinds(_document(500, ("artwork", WORK), others), _document(1, ("work", WORK), others))
    assert found == ["renamed: work → artwork"]


def test_a_table_that_could_be_two_is_none() -> None:
    """It is added, and both are removed."""
    target = _document(1, ("work", WORK), ("copy", WORK))
    kinds = [one.partition(":")[0] for one in _kinds(_document(500, ("artwork", WORK)), target)]
    assert kinds == ["added", "removed", "removed"]


def test_a_small_table_needs_a_similar_name() -> None:
    """Many lists have just two columns."""
    small = WORK[:2]
    target = _document(1, ("work", small))
    assert _kinds(_document(500, ("works", small)), target) == ["renamed: work → works"]
    found = _kinds(_document(500, ("place", small)), target)
    assert {one.partition(":")[0] for one in found} == {"added", "removed"}


def test_a_column_with_a_similar_name_and_the_same_type() -> None:
    """Another type, or a second candidate, leaves doubt."""
    renamed = [("title_main", "text"), *WORK[1:]]
    target = _document(1, ("work", WORK))
    assert _kinds(_document(500, ("work", renamed)), target) == ["renamed: title → title_main"]
    retyped = [("title_main", "boolean"), *WORK[1:]]
    two = [("title_main", "text"), ("title_second", "text"), *WORK[1:]]
    for columns in (retyped, two, [("depth", "integer"), *WORK[:3]]):
        found = _kinds(_document(500, ("work", columns)), target)
        assert found
        assert not [one for one in found if one.startswith("renamed")]


def test_nested_tables_follow_their_owner() -> None:
    """Their names begin with that of the owner."""

    def model(first: int, name: str) -> Document:
        own = [column(first + 100 + at, *each) for at, each in enumerate(WORK)]
        nested = table(first + 1, f"{name}__part", column(first + 200, "text"), owned_by=other(first, name))
        return read_document({"version": 1, "tables": [table(first, name, *own), nested]})

    assert _kinds(model(500, "artwork"), model(1, "work")) == ["renamed: work → artwork"]
