"""Tests of remedies: each solves its problem in one step and causes no other."""

from copy import deepcopy
from typing import Any

import pytest

from cdb_desktop.schema.checks.fixes import fixes_for
from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.edits.edit import EditError
from tests.desktop.schema.models import Json, column, link, museum, other, table


def _damage(name: str) -> Json:
    raw: dict[str, Any] = deepcopy(museum())
    person, place, work, note, _mark, picture = raw["tables"]
    damages: dict[str, list[tuple[Any, Any, Any]]] = {
        "table_name": [(person, "name", "Person Ü")],
        "table_name_missing": [(person, "name", "")],
        "table_name_long": [(person, "name", "p" * 80)],
        "table_name_reserved": [(place, "name", "user")],
        "table_repeated": [(place, "name", "person")],
        "table_id_repeated": [(picture, "table_id", 1)],
        "nested_name": [(note, "name", "note")],
        "column_name": [(person["columns"][0], "name", "Full name")],
        "column_name_missing": [(person["columns"][0], "name", "")],
        "column_repeated": [(person["columns"][1], "name", "name")],
        "column_id_repeated": [(person["columns"][1], "column_id", 3)],
        "owner_missing": [(note, "owned_by", other(99, "gone"))],
        "nested_option": [(note, "pool_link", True)],
        "entry_missing": [(work, "columns", [each for each in work["columns"] if each["kind"] != "link"])],
        "entry_dangling": [(work, "columns", [*work["columns"], {"kind": "link", **other(99, "gone")}])],
        "entry_repeated": [(work, "columns", [*work["columns"], {"kind": "link", **other(4, "work__note")}])],
        "link_dangling": [(work["foreign_keys"][0]["referenced_table"], "table_id", 99)],
        "link_key_missing": [(work, "foreign_keys", work["foreign_keys"][:1])],
        "link_nested": [(person, "columns", [*person["columns"], column(50, "of", "link")])],
        "reverse_missing": [(work, "columns", work["columns"][:-1])],
        "reverse_stray": [(picture["columns"][1], "reverse_edit", False)],
        "type_missing": [(person["columns"][0], "type", "")],
        "check_unknown": [(person["columns"][0], "check", "odd")],
        "range_missing": [(person["columns"][1], "check", "range")],
        "length_type": [(person["columns"][1], "length_max", 3)],
        "default": [(work["columns"][1], "default", "many")],
        "regexp_flags": [(person["columns"][0], "check_regexp_flags", "x")],
    }
    for holder, attribute, value in damages[name]:
        holder[attribute] = value
    if name == "link_nested":
        person["foreign_keys"] = [link("person", 50, "of", 4, "work__note")]
    return raw


_CODES = (
    *("table_name", "table_name_missing", "table_name_long", "table_name_reserved", "table_repeated"),
    *("table_id_repeated", "nested_name", "column_name", "column_name_missing", "column_repeated"),
    *("column_id_repeated", "owner_missing", "nested_option", "entry_missing", "entry_dangling"),
    *("entry_repeated", "link_dangling", "link_key_missing", "link_nested", "reverse_missing"),
    *("reverse_stray", "type_missing", "check_unknown", "range_missing", "length_type", "default"),
    "regexp_flags",
)


@pytest.mark.parametrize("code", _CODES)
def test_each_remedy_solves_its_problem(code: str) -> None:
    """Applying one after another leaves no error; what is written can be read again without one."""
    document = read_document(_damage(code))
    problems = [problem for problem in find_problems(document) if problem.code == code]
    assert problems
    assert all(fixes_for(document, problem) for problem in problems)
    steps = 0
    while (found := find_problems(document)) and steps < 20:
        fixes = [fix for problem in found for fix in fixes_for(document, problem)]
        assert fixes, found
        document = fixes[0].edit.apply_to(document)
        steps += 1
    assert find_problems(read_document(write_document(document))) == ()


def test_a_dangling_link_can_be_linked_created_or_removed() -> None:
    """By the name that it has; else a table with that name can be added."""
    raw = museum()
    raw["tables"][2]["foreign_keys"][0]["referenced_table"] = {"name_hint": "people", "columns": []}
    document = read_document(raw)
    problem = next(each for each in find_problems(document) if each.code == "link_dangling")
    titles = [str(fix.title) for fix in fixes_for(document, problem)]
    assert titles == ["Add table people and link artist to it", "Remove column work.artist"]
    after = fixes_for(document, problem)[0].edit.apply_to(document)
    assert "link_dangling" not in {each.code for each in find_problems(after)}


def test_what_a_person_has_to_decide_has_no_remedy() -> None:
    """A table without columns, for example."""
    document = read_document({"version": 1, "tables": [table(1, "empty")]})
    (problem,) = find_problems(document)
    assert fixes_for(document, problem) == ()


def test_a_remedy_for_an_element_that_has_gone_is_refused() -> None:
    """With EditError, which the page shows."""
    document = read_document(_damage("entry_dangling"))
    problem = next(each for each in find_problems(document) if each.code == "entry_dangling")
    fix = fixes_for(document, problem)[0]
    with pytest.raises(EditError):
        fix.edit.apply_to(read_document(museum()))
