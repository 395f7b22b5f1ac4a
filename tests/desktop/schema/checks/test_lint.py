"""Tests of hints and of silencing them."""

from pathlib import Path

import pytest

from cdb_desktop.schema.checks.lint import (
    MISSING_TRANSLATION,
    NO_COLUMNS,
    NO_REVERSE,
    RULES,
    SIMILAR_NAMES,
    UNREACHABLE,
    LocalizedNames,
    Policy,
    PolicyError,
    find_hints,
    read_policy,
    read_policy_file,
    violations,
)
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import RenameTable, remove_table
from tests.desktop.schema.models import (
    PERSON,
    PERSON_NAME,
    PICTURE,
    column,
    link,
    museum,
    museum_export,
    opened,
    table,
)


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


def test_names_follow_renamed_elements() -> None:
    """They are those of the document with which they were read."""
    before = opened()
    names = LocalizedNames(museum_export()["keys"], before)
    after = RenameTable(PERSON, "people").apply_to(before)
    assert names.of(after, TableRef(PERSON)) == {"de-DE": "Persönlichkeit"}
    assert names.of(after, ColumnRef(PERSON, PERSON_NAME)) == {"de-DE": "Name"}
    assert names.of(after, ColumnRef(PERSON, 999)) == {}
    assert "people.name" not in {hint.path for hint in find_hints(after, (), names)}


WHOLE = b"""
no_drops = true
comments = ["tables"]
languages = ["de-DE"]
hints = ["unreachable"]
[names]
table = "[a-z]+"
column = "[a-z]{2,}"
"""


def test_each_part_is_checked() -> None:
    """Relative to the base, and with the localized names."""
    before = opened()
    after = AddColumn(PERSON, "x", "text").apply_to(remove_table(PICTURE).apply_to(before))
    names = LocalizedNames(museum_export()["keys"])
    found = [str(each.message) for each in violations(read_policy(WHOLE), after, before, names)]
    assert "Policy: person needs a comment." in found
    assert "Policy: work needs a comment." not in found
    assert "Policy: the name person.x does not fit [a-z]{2,}." in found
    assert "Policy: work.year has no name in de-DE." in found
    assert any("picture" in text and "values are lost" in text for text in found)
    assert not any("person.name" in text for text in found)


def test_what_cannot_be_checked_is_a_violation() -> None:
    """Without a base or names nothing would be found, which must not look like success."""
    codes = {each.code for each in violations(read_policy(WHOLE), opened())}
    assert {"policy_base", "policy_names_unknown"} <= codes


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"no_drops = maybe\n", "line 1"),
        (b"nodrops = true", "nodrops"),
        (b"no_drops = 3", "bool"),
        (b'comments = ["views"]', "views"),
        (b'hints = ["odd"]', "odd"),
        (b'[names]\ntable = "("', "missing"),
        (b'[names]\ntable = "a)(b"', "unexpected"),
        (b"\xff", "utf-8"),
    ],
)
def test_other_files_are_refused(content: bytes, part: str) -> None:
    """With what is wrong."""
    with pytest.raises(PolicyError, match=part):
        read_policy(content)


def test_files_are_toml_unless_they_are_json(tmp_path: Path) -> None:
    """By their suffix; huge ones are not read."""
    toml, json, huge = (tmp_path / name for name in ("a.toml", "a.json", "b.toml"))
    toml.write_bytes(b"no_drops = true")
    json.write_bytes(b'{"no_drops": true}')
    huge.write_bytes(b"#" * 2_000_000)
    assert read_policy_file(toml) == read_policy_file(json) == Policy(no_drops=True)
    with pytest.raises(PolicyError, match="too large"):
        read_policy_file(huge)


def test_no_expression_can_hang_the_check() -> None:
    """They are RE2's."""
    policy = read_policy(b'[names]\ncolumn = "(a+)+b"')
    document = AddColumn(PERSON, "a" * 63, "text").apply_to(opened())
    assert violations(policy, document)
