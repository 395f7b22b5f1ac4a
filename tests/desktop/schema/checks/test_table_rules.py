"""Tests of the rules for names while they are typed."""

import pytest

from cdb_desktop.schema.checks.validation import find_problems, new_name_problem
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.edits.columns import RenameColumn
from cdb_desktop.schema.edits.tables import RenameTable
from tests.desktop.schema.models import MARK, NOTE, PERSON, TITLE, WORK, apply, is_acceptable, opened

_NAMES = (
    "",
    "year",
    "note",
    "person",
    "group",
    "ez_list",
    "Größe",
    "a",
    "a_",
    "x" * 63,
    "x" * 64,
    "title_2",
    "work",
)


@pytest.mark.parametrize("ref", [TableRef(PERSON), TableRef(NOTE), TableRef(MARK), ColumnRef(WORK, TITLE)])
def test_a_name_is_refused_if_it_would_be_a_problem(ref: TableRef | ColumnRef) -> None:
    """The same names as by the checks of the whole document."""
    for name in _NAMES:
        edit = RenameTable(ref.table, name) if isinstance(ref, TableRef) else RenameColumn(ref, name)
        is_possible = is_acceptable(find_problems(apply(opened(), edit), opened()))
        assert (new_name_problem(opened(), ref, name) is None) == is_possible, name


def test_the_reason_is_the_text_of_the_problem() -> None:
    """It names what was typed."""
    problem = new_name_problem(opened(), ColumnRef(WORK, TITLE), "year")
    assert str(problem) == "Two columns have the name year."
