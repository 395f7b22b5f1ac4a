"""Tests of finding the masks that show tables and columns, also within others and after renames."""

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.files.model_files import decode_model
from cdb_desktop.schema.files.renamed_elements import find_mask_use
from tests.desktop.schema.models import (
    MARK,
    MARK_SIGN,
    NOTE,
    PERSON,
    PERSON_NAME,
    PICTURE,
    PICTURE_FILE,
    PICTURE_WORK,
    PLACE,
    WORK,
    YEAR,
    exported_text,
    museum_export,
)


def test_masks_show_elements_at_any_depth() -> None:
    """By ids or hints; tables without a mask are in none."""
    for old_form in (False, True):
        file = decode_model(exported_text(museum_export(old_form=old_form)).encode())
        use = find_mask_use(file.document, file.masks)
        work, person = ("work__all_fields",), ("person__all_fields",)
        assert use.of(TableRef(PERSON)) == use.of(ColumnRef(PERSON, PERSON_NAME)) == person
        inside = (
            TableRef(WORK),
            ColumnRef(WORK, YEAR),
            TableRef(NOTE),
            ColumnRef(MARK, MARK_SIGN),
            ColumnRef(PICTURE, PICTURE_FILE),
            ColumnRef(PICTURE, PICTURE_WORK),
        )
        assert [use.of(ref) for ref in inside] == [work] * len(inside)
        assert use.of(TableRef(PLACE)) == ()
        assert use.of(TableRef(PLACE), TableRef(WORK), TableRef(PERSON)) == (*work, *person)


def test_unexpected_masks_are_ignored() -> None:
    """What is no mask, names nothing or something else."""
    document = decode_model(exported_text(museum_export()).encode()).document
    fields = [1, {"column_id": 999}, {"other_table_name_hint": "gone"}]
    hinted = {"name": "m", "table_name_hint": "work", "fields": [*fields, {"column_name_hint": "year"}]}
    use = find_mask_use(document, {"masks": [None, {"table_id": 77}, hinted]})
    assert use.names == {TableRef(WORK): ("m",), ColumnRef(WORK, YEAR): ("m",)}
    assert find_mask_use(document, {"masks": {}}).names == {}
