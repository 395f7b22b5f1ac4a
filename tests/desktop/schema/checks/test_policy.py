"""Tests of policies: what they find, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdb_desktop.schema.checks.lint import (
    LocalizedNames,
    Policy,
    PolicyError,
    read_policy,
    read_policy_file,
    violations,
)
from cdb_desktop.schema.edits.columns import AddColumn
from cdb_desktop.schema.edits.tables import RemoveTable
from tests.desktop.schema.models import PERSON, PICTURE, museum_export, opened

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
    after = AddColumn(PERSON, "x", "text").apply_to(RemoveTable(PICTURE).apply_to(before))
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


def test_an_empty_policy_allows_everything() -> None:
    """All parts are optional, in both formats."""
    assert read_policy(b"") == read_policy(b"{}", is_json=True) == Policy()
    assert violations(Policy(), opened()) == ()


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
