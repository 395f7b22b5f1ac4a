"""Tests of links that are drawn: what they do, and why there are none."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.checks.validation import find_problems
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.columns import AddColumn, AddLink, ChangeType, SetLinkTarget, propose_link
from tests.desktop.schema.models import ARTIST, NOTE, PERSON, PLACE, TITLE, WORK, apply, is_acceptable, opened


def _errors(document: Document) -> bool:
    return not is_acceptable(find_problems(document, opened()))


def test_from_a_table_a_column_is_added() -> None:
    """It has the name of the target, numbered if that is taken."""
    found = propose_link(opened(), opened(), TableRef(PLACE), PERSON)
    assert isinstance(found.edit, AddLink)
    assert str(found.text) == "New column place.person links to person"
    document = apply(opened(), found.edit)
    assert document.contains(found.ref or TableRef(0))
    again = propose_link(document, opened(), TableRef(PLACE), PERSON)
    assert str(again.text) == "New column place.person_2 links to person"
    assert not _errors(document)


def test_a_new_column_becomes_the_link() -> None:
    """It keeps its name and place."""
    added = AddColumn(WORK, "owner", "text_oneline", 1)
    document = apply(opened(), added)
    ref = ColumnRef(WORK, added.key)
    found = propose_link(document, opened(), ref, PERSON)
    assert isinstance(found.edit, ChangeType)
    assert (found.ref, str(found.text)) == (ref, "work.owner becomes a link to person")
    assert apply(document, found.edit).by_key[WORK].columns[1].is_link
    assert not _errors(apply(document, found.edit))


@pytest.mark.parametrize("as_new", [False, True])
def test_a_committed_column_keeps_its_type(as_new: bool) -> None:
    """A link is added after it, as the service would refuse another type."""
    found = propose_link(opened(), opened(), ColumnRef(WORK, TITLE), PLACE, as_new=as_new)
    assert isinstance(found.edit, AddLink)
    assert (found.note is None) == as_new
    document = apply(opened(), found.edit)
    assert [column.name for column in document.by_key[WORK].columns][:2] == ["title", "place"]
    assert not _errors(document)


def test_a_link_gets_another_target() -> None:
    """With the one that it has, there is a reason instead of an edit."""
    ref = ColumnRef(WORK, ARTIST)
    found = propose_link(opened(), opened(), ref, PLACE)
    assert isinstance(found.edit, SetLinkTarget)
    assert str(found.text) == "work.artist links to place instead of person"
    same = propose_link(opened(), opened(), ref, PERSON)
    assert (same.edit, str(same.text)) == (None, "work.artist links to person already.")


def test_nested_and_missing_tables_are_no_targets() -> None:
    """Links lead to objecttypes only (wire §5)."""
    found = propose_link(opened(), None, TableRef(PLACE), NOTE)
    assert (found.edit, str(found.text)) == (
        None,
        "work__note is nested: links lead to objecttypes only.",
    )
    assert propose_link(opened(), None, TableRef(PLACE), 99).edit is None
