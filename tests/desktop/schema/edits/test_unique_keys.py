"""Tests of edits of unique keys."""

from __future__ import annotations

import pytest

from cdb_desktop.schema.document.element_ref import UniqueKeyRef
from cdb_desktop.schema.edits.columns import AddUniqueKey, RemoveUniqueKey
from cdb_desktop.schema.edits.edit import EditError
from tests.desktop.schema.models import ORIGIN, TITLE, WORK, YEAR, apply, inconsistent_references, opened


def test_a_key_is_added_with_its_generated_name() -> None:
    """Its columns have the given order."""
    edit = AddUniqueKey(UniqueKeyRef(WORK, (ORIGIN, TITLE)))
    document = apply(opened(), edit)
    key = document.by_key[WORK].unique_keys[-1]
    assert (key.name, key.column_keys) == ("work__origin__title_unique", (ORIGIN, TITLE))
    assert inconsistent_references(document) == []
    assert str(edit.title(opened())) == "Make work.origin + title unique"


def test_a_key_is_removed() -> None:
    """All others stay."""
    document = apply(opened(), RemoveUniqueKey(UniqueKeyRef(WORK, (TITLE, YEAR))))
    assert document.by_key[WORK].unique_keys == ()
    assert len(document.by_key[1].unique_keys) == 1


@pytest.mark.parametrize(
    "edit",
    [
        AddUniqueKey(UniqueKeyRef(WORK, ())),
        AddUniqueKey(UniqueKeyRef(WORK, (99,))),
        AddUniqueKey(UniqueKeyRef(WORK, (YEAR, TITLE))),
        RemoveUniqueKey(UniqueKeyRef(WORK, (TITLE,))),
    ],
)
def test_impossible_edits_are_refused_with_a_reason(edit: AddUniqueKey) -> None:
    """No columns, missing columns, an existing key to add, or a missing key to remove."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)
