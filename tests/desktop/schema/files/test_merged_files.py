"""Tests of merges of model files with masks and localized names."""

import json
from copy import deepcopy
from typing import Any

import pytest

from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.merged_files import MergedFile, decode_version, merge_files
from cdb_desktop.schema.files.model_files import ModelFile, ModelFormat, decode_model, encode_model
from cdb_desktop.schema.merge.conflict import Choices
from tests.desktop.schema.merge.triples import with_ids
from tests.desktop.schema.models import (
    MARK,
    MODEL_FILES,
    PERSON,
    PERSON_NAME,
    PICTURE,
    TITLE,
    WORK,
    apply,
    column,
    exported_text,
    field,
    museum_export,
    table,
    table_mask,
)

Export = dict[str, Any]


def _file(export: Export) -> ModelFile:
    return decode_model(exported_text(export).encode())


def _edited(export: Export, *edits: Edit) -> Export:
    """The export after edits, with masks and names that follow, as the program saves it."""
    file = _file(export)
    document = file.document
    for edit in edits:
        document = apply(document, edit)
    return dict(json.loads(encode_model(file.with_document(with_ids(document)))))


def _merged(base: Export, theirs: Export, mine: Export) -> tuple[MergedFile, Export]:
    found = merge_files(_file(base), _file(theirs), _file(mine))
    return found, json.loads(encode_model(found.file))


@pytest.mark.parametrize("old_form", [False, True])
def test_masks_and_names_of_both_sides_follow_renames(old_form: bool) -> None:
    """They rename a table, I change a mask and a localized name of it."""
    base = museum_export(old_form=old_form)
    theirs = _edited(base, RenameTable(WORK, "artwork"), RenameColumn(ColumnRef(WORK, TITLE), "name"))
    mine = deepcopy(base)
    mask, names = _parts(mine)
    mask["masks"][1]["fields"][0]["edit"] = {"mode": "hide"}
    names["schema.work.column.title"]["en-US"] = "Title"
    found, merged = _merged(base, theirs, mine)
    assert found.conflicts == ()
    mask, names = _parts(merged)
    assert mask["masks"][1]["table_name_hint"] == "artwork"
    assert mask["masks"][1]["fields"][0]["edit"] == {"mode": "hide"}
    assert mask["masks"][1]["fields"][0]["column_name_hint"] == "name"
    assert names["schema.artwork.column.name"]["en-US"] == "Title"
    assert "schema.work.column.title" not in names


def test_new_ids_are_those_in_masks_and_names_too() -> None:
    """Both sides add a table and a column with the same ids, and show them in a mask."""
    base = museum_export()
    versions = []
    for name in ("theirs", "mine"):
        export = deepcopy(base)
        export["schema"]["tables"].append(table(10, name, column(21, f"{name}_title")))
        export["schema"]["tables"][PICTURE - 1]["columns"].append(column(22, f"{name}_size"))
        new = {"mask_id": 3, "name": f"{name}__all", **table_mask(10, name, field(21, f"{name}_title"))}
        export["mask"]["masks"].append(new)
        export["keys"][f"schema.{name}.column.{name}_title"] = {"de-DE": name}
        export["keys"][f"mask.3.{name}__all.10.field.21.edit_user_hint"] = {"de-DE": name}
        versions.append(export)
    found, merged = _merged(base, *versions)
    assert found.conflicts == ()
    masks = {mask["name"]: mask for mask in merged["mask"]["masks"]}
    assert [masks["theirs__all"]["table_id"], masks["theirs__all"]["fields"][0]["column_id"]] == [10, 21]
    own = next(one for one in merged["schema"]["tables"] if one["name"] == "mine")
    number = own["columns"][0]["column_id"]
    assert (own["table_id"], number > 22) == (11, True)
    assert [masks["mine__all"]["table_id"], masks["mine__all"]["fields"][0]["column_id"]] == [11, number]
    assert masks["mine__all"]["mask_id"] != masks["theirs__all"]["mask_id"]
    assert merged["keys"][f"mask.3.mine__all.11.field.{number}.edit_user_hint"] == {"de-DE": "mine"}
    assert merged["keys"]["mask.3.theirs__all.10.field.21.edit_user_hint"] == {"de-DE": "theirs"}


def test_conflicts_of_masks_and_names() -> None:
    """Each is a conflict of its own; mine is taken without a choice."""
    base = museum_export()
    versions = [deepcopy(base), deepcopy(base)]
    for export, text in zip(versions, ("Kunstwerk", "Arbeit"), strict=True):
        export["keys"]["schema.work.name"]["de-DE"] = text
        export["mask"]["masks"][0]["fields"][1]["edit"] = {"mode": text}
    found, merged = _merged(base, *versions)
    assert [(one.element, str(one.what)) for one in found.conflicts] == [
        ("Mask person__all_fields", "fields[field 2 born].edit.mode"),
        ("Localized names", "schema.work.name.de-DE"),
    ]
    assert merged["keys"]["schema.work.name"]["de-DE"] == "Arbeit"
    choices: Choices = {conflict.id: "theirs" for conflict in found.conflicts}
    chosen = merge_files(_file(base), _file(versions[0]), _file(versions[1]), choices)
    assert chosen.file.names["schema.work.name"] == {**base["keys"]["schema.work.name"], "de-DE": "Kunstwerk"}


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_real_exports_differ_only_where_they_were_changed(path: Any) -> None:
    """A side without changes leaves the bytes of the other one; changes of theirs are a few lines of mine."""
    content = path.read_bytes()
    file = decode_model(content)
    assert encode_model(merge_files(file, file, decode_model(content)).file) == content
    first = file.document.tables[0]
    theirs = file.with_document(apply(file.document, AddColumn(first.key, "merged_in", "text")))
    merged = encode_model(merge_files(file, decode_model(encode_model(theirs)), decode_model(content)).file)
    assert b"merged_in" in merged
    added = merged.count(b"\n") - content.count(b"\n")
    assert 0 <= added <= 8
    again = merge_files(file, decode_model(content), decode_model(encode_model(theirs)))
    assert again.conflicts == ()
    assert encode_model(again.file) == encode_model(theirs)


def test_an_empty_version_and_xml() -> None:
    """Git passes an empty base for a file that both sides have added; the result has the format of mine."""
    empty = decode_version(b"\n")
    assert empty.document.tables == ()
    export = museum_export()
    mine = _file(export).as_xml(wanted=True)
    theirs = _edited(export, RenameColumn(ColumnRef(PERSON, PERSON_NAME), "surname"))
    found = merge_files(_file(export), _file(theirs), mine)
    assert found.file.form is ModelFormat.XML
    again = decode_model(encode_model(found.file))
    assert again.document.by_key[PERSON].by_key[PERSON_NAME].name == "surname"
    both = merge_files(empty, _file(export), _file(export))
    assert both.conflicts == ()
    assert len(both.file.document.tables) == MARK + 1


def _parts(export: Export) -> tuple[Export, Export]:
    mask, keys = (export[part].get("HEAD", export[part]) for part in ("mask", "keys"))
    return mask, keys
