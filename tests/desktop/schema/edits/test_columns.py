"""Tests of edits of columns, including all dependent elements."""

from __future__ import annotations

import pytest

from cdb_desktop.foundation.i18n import use_language
from cdb_desktop.schema.document.element_ref import ColumnRef, NestedTableRef
from cdb_desktop.schema.document.model import Document, ReverseLink
from cdb_desktop.schema.edits.columns import (
    AddColumn,
    RenameColumn,
    RequireColumns,
    SetColumnOptions,
)
from cdb_desktop.schema.edits.edit import Edit, EditError
from tests.desktop.schema.models import (
    NOTE,
    PICTURE,
    PICTURE_WORK,
    TITLE,
    WORK,
    apply,
    inconsistent_references,
    opened,
)


def test_a_column_is_added_at_its_index() -> None:
    """It has the attributes of exports, the given options, and no id."""
    edit = AddColumn(WORK, "height", "decimal.2", index=1, options={"not_null": True})
    column = apply(opened(), edit).by_key[WORK].entries[1]
    assert dict(column.raw) == {
        "kind": "column",
        "name": "height",
        "type": "decimal.2",
        "not_null": True,
        "reverse_edit": False,
    }
    assert column.ref(WORK) == ColumnRef(WORK, edit.key)
    assert str(edit.title(opened())) == "Add column work.height"


def test_renaming_a_column_updates_all_references() -> None:
    """The references and generated names of keys and the reverse link are updated."""
    document = apply(opened(), RenameColumn(ColumnRef(PICTURE, PICTURE_WORK), "shows"))
    document = apply(document, RenameColumn(ColumnRef(WORK, TITLE), "label"))
    assert inconsistent_references(document) == []
    work, picture = document.by_key[WORK], document.by_key[PICTURE]
    assert work.unique_keys[0].name == "work__label__year_unique"
    assert picture.foreign_keys[0].name == "picture__shows__work_fkey"
    reverse = next(entry for entry in work.entries if isinstance(entry, ReverseLink))
    assert reverse.raw["other_column_name_hint"] == "shows"
    assert work.by_key[TITLE].raw["remark"] == {"kept": [1, None]}


def test_options_of_columns_and_entries() -> None:
    """A check with its parts is one edit."""
    check = {"check": "range", "check_range_lower": 0}
    edit = SetColumnOptions(ColumnRef(WORK, TITLE), check)
    document = apply(opened(), edit)
    document = apply(document, SetColumnOptions(ColumnRef(WORK, TITLE), {"not_null": False}))
    document = apply(document, SetColumnOptions(NestedTableRef(WORK, NOTE), {"check": "not_empty"}))
    work = document.by_key[WORK]
    assert work.by_key[TITLE].raw["check_range_lower"] == 0
    assert not work.by_key[TITLE].flag("not_null")
    assert work.entries[3].raw["check"] == "not_empty"
    assert str(edit.title(opened())) == "Change check, check_range_lower of work.title"


@pytest.mark.parametrize(
    "edit",
    [
        AddColumn(99, "name", "text"),
        AddColumn(WORK, "name", "link"),
        RenameColumn(ColumnRef(WORK, 99), "name"),
        SetColumnOptions(ColumnRef(WORK, TITLE), {"type": "text"}),
        SetColumnOptions(ColumnRef(WORK, TITLE), {"reverse_edit": True}),
    ],
)
def test_impossible_edits_are_refused_with_a_reason(edit: Edit) -> None:
    """Attributes that are not plain options have their own edits."""
    with pytest.raises(EditError) as refused:
        apply(opened(), edit)
    assert str(refused.value.message)


def test_a_single_column_has_a_singular() -> None:
    """The title of an edit is localized."""
    title = RequireColumns(1, (2,), on=True).title(Document({}, ()))
    assert str(title) == "Make a column of ? required"
    use_language("de", lambda value, decimals: f"{value:.{decimals}f}")
    try:
        assert str(title) == "Eine Spalte von ? zum Pflichtfeld machen"
    finally:
        use_language("en", lambda value, decimals: f"{value:,.{decimals}f}")
