"""Tests of hints and of silencing them."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.checks.lint import (
    MISSING_TRANSLATION,
    NO_COLUMNS,
    NO_REVERSE,
    RULES,
    SIMILAR_NAMES,
    UNREACHABLE,
    LocalizedNames,
    find_hints,
)
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.tables import RenameTable
from tests.desktop.schema.models import (
    PERSON,
    PERSON_NAME,
    column,
    link,
    museum,
    museum_export,
    opened,
    table,
)
from tests.durations import shortest


def test_each_rule_finds_what_it_is_for() -> None:
    """With the path of the element."""
    raw = museum()
    raw["tables"] += [
        table(20, "works", column(60, "first_name"), column(61, "firstname"), in_main_search=True),
        table(21, "alone", column(62, "x")),
        table(22, "bare", {"kind": "reverse_link", "other_table_id": 23, "other_column_id": 63}),
        table(23, "part", column(63, "bare", "link", reverse_edit=True), column(64, "work", "link")),
    ]
    raw["tables"][-1]["foreign_keys"] = [
        link("part", 63, "bare", 22, "bare"),
        link("part", 64, "work", 3, "work"),
    ]
    found = [(hint.rule, hint.path) for hint in find_hints(read_document(raw))]
    assert (NO_COLUMNS, "bare") in found
    assert (UNREACHABLE, "alone") in found
    assert (SIMILAR_NAMES, "works") in found
    assert (SIMILAR_NAMES, "works.firstname") in found
    assert (NO_REVERSE, "part.work") in found
    assert not any(rule == MISSING_TRANSLATION for rule, _ in found)


def test_missing_translations_are_found_where_names_are_known() -> None:
    """In the languages of the model."""
    names = LocalizedNames(museum_export()["keys"])
    paths = {hint.path for hint in find_hints(opened(), (), names) if hint.rule == MISSING_TRANSLATION}
    assert "work.year" in paths
    assert "person.name" not in paths


def test_hints_are_silenced_by_rule_and_one_by_one() -> None:
    """The others stay."""
    document, names = opened(), LocalizedNames(museum_export()["keys"])
    every = find_hints(document, (), names)
    assert every
    assert find_hints(document, RULES, names) == ()
    assert find_hints(document, {every[0].silencer}, names) == every[1:]


@pytest.mark.parametrize("words", [("pass", "pas"), ("news", "new_table")])
def test_different_words_are_not_similar(words: tuple[str, str]) -> None:
    """Only plurals and underscores are ignored."""
    columns = [column(number, name) for number, name in enumerate(words, 1)]
    hints = find_hints(read_document({"version": 1, "tables": [table(1, "t1", *columns)]}))
    assert SIMILAR_NAMES not in {hint.rule for hint in hints}


def test_the_time_grows_with_the_number_of_tables() -> None:
    """Not with its square: names are not compared in pairs."""

    def hints(count: int) -> float:
        tables = [
            table(number, f"t{number}", *(column(number * 10 + each, f"c{each}") for each in range(10)))
            for number in range(1, count + 1)
        ]
        document = read_document({"version": 1, "tables": tables})
        assert len(find_hints(document)) == count
        return shortest(lambda: find_hints(document))

    assert hints(1000) < 40 * hints(100)


def test_names_follow_renamed_elements() -> None:
    """They are those of the document with which they were read."""
    before = opened()
    names = LocalizedNames(museum_export()["keys"], before)
    after = RenameTable(PERSON, "people").apply_to(before)
    assert names.of(after, TableRef(PERSON)) == {"de-DE": "Persönlichkeit"}
    assert names.of(after, ColumnRef(PERSON, PERSON_NAME)) == {"de-DE": "Name"}
    assert names.of(after, ColumnRef(PERSON, 999)) == {}
    assert "people.name" not in {hint.path for hint in find_hints(after, (), names)}
