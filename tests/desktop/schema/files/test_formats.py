"""Tests of the formats of model files (wire §5)."""

import json

import pytest

from cdb_desktop.schema.document.element_ref import ColumnRef
from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.edits.columns import AddColumn, RenameColumn
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.edits.tables import RenameTable, remove_column, remove_table
from cdb_desktop.schema.files.model_files import ModelFormat, decode_model, encode_model
from tests.desktop.schema.models import (
    MODEL_FILES,
    NOTE,
    NOTE_TEXT,
    PERSON,
    PERSON_BORN,
    PERSON_NAME,
    PICTURE,
    PICTURE_WORK,
    WORK,
    YEAR,
    Json,
    apply,
    exported_text,
    museum,
    museum_export,
)

_JSON = [form for form in ModelFormat if form is not ModelFormat.XML]
_NAMES = {"schema.work.name": {"de-DE": "Werk"}}


def _forms() -> dict[ModelFormat, Json]:
    mask: Json = {"masks": []}
    return {
        ModelFormat.EXPORT: {
            "version": 8,
            "format_version": 1,
            "schema": museum(),
            "mask": mask,
            "keys": _NAMES,
        },
        ModelFormat.OLD_EXPORT: {
            "schema": {"HEAD": museum(), "CURRENT": {"tables": []}},
            "mask": {"HEAD": mask},
            "keys": {"HEAD": _NAMES},
        },
        ModelFormat.BARE: museum(),
    }


@pytest.mark.parametrize("form", _JSON)
def test_each_form_opens_and_is_written_back(form: ModelFormat) -> None:
    """The format and everything beside the schema are kept."""
    raw = _forms()[form]
    file = decode_model(json.dumps(raw).encode())
    assert file.form is form
    assert [table.name for table in file.document.tables][:2] == ["person", "place"]
    assert file.names == ({} if form is ModelFormat.BARE else _NAMES)
    assert json.loads(encode_model(file)) == raw


@pytest.mark.parametrize("form", _JSON)
def test_a_changed_document_is_written_into_its_file(form: ModelFormat) -> None:
    """Only the schema differs."""
    file = decode_model(json.dumps(_forms()[form]).encode())
    edited = file.with_document(apply(file.document, RenameTable(PERSON, "people")))
    again = decode_model(encode_model(edited))
    assert again.document.by_key[PERSON].name == "people"
    assert (again.form, again.masks, again.names) == (form, file.masks, file.names)


@pytest.mark.parametrize("old_form", [False, True])
@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        (RenameTable(PERSON, "people"), "person", "people"),
        (RenameTable(WORK, "opus"), "work", "opus"),
        (RenameTable(NOTE, "remark"), "work__note", "work__remark"),
        (RenameColumn(ColumnRef(PERSON, PERSON_BORN), "birth"), "born", "birth"),
        (RenameColumn(ColumnRef(NOTE, NOTE_TEXT), "words"), "text", "words"),
    ],
    ids=["table", "owner", "nested", "column", "nested column"],
)
def test_a_rename_changes_only_lines_with_the_name(edit: Edit, old: str, new: str, *, old_form: bool) -> None:
    """Masks, localized names and comments are updated; undo restores the bytes."""
    before = exported_text(museum_export(old_form=old_form))
    file = decode_model(before.encode())
    after = encode_model(file.with_document(apply(file.document, edit))).decode()
    pairs = list(zip(before.split("\n"), after.split("\n"), strict=True))
    changes = [(was, now) for was, now in pairs if was != now]
    assert changes
    assert [was for was, _ in changes if old not in was or new not in _] == []
    raw = _parts(json.loads(after))
    assert f'"{new}"' in after
    assert "Persönlichkeit" in after
    if isinstance(edit, RenameTable):
        assert f"schema.{new}.name" in raw["keys"]
        assert f"schema.{old}.name" not in raw["keys"]
        assert _hints(raw["mask"], "table_name_hint") & {old, new} == {new}
    else:
        assert _hints(raw["mask"], "column_name_hint") >= {new}
        assert old not in _hints(raw["mask"], "column_name_hint")
    assert encode_model(file).decode() == before


def test_localized_names_are_updated_wherever_a_table_is_named() -> None:
    """These are nested tables, entries for nested tables and reverse links, and comments."""
    file = decode_model(exported_text(museum_export()).encode())
    renamed = apply(apply(file.document, RenameTable(WORK, "opus")), RenameTable(PICTURE, "photo"))
    keys = _parts(json.loads(encode_model(file.with_document(renamed))))["keys"]
    assert [key for key in keys if key.startswith("schema.")] == [
        "schema.person.name",
        "schema.person.column.name",
        "schema.person.column.born",
        "schema.opus.name",
        "schema.opus.column.title",
        "schema.opus.column.opus__note",
        "schema.opus.column.reverse:photo.12",
        "schema.opus__note.name",
        "schema.opus__note.column.text",
        "schema.opus__note.column.opus__note__mark",
        "schema.opus__note__mark.column.sign",
        "schema.gone.column.name",
    ]
    comments = [texts["_comment"] for texts in keys.values()]
    assert "opus.opus__note.opus__note__mark.sign" in comments
    assert "opus.photo.file" in comments


def test_swapped_names_are_swapped_everywhere() -> None:
    """A rename does not replace text: two columns can swap their names."""
    file = decode_model(exported_text(museum_export()).encode())
    document = file.document
    for column, name in ((PERSON_NAME, "other"), (PERSON_BORN, "name"), (PERSON_NAME, "born")):
        document = apply(document, RenameColumn(ColumnRef(PERSON, column), name))
    raw = _parts(json.loads(encode_model(file.with_document(document))))
    assert raw["keys"]["schema.person.column.born"]["de-DE"] == "Name"
    assert raw["keys"]["schema.person.column.name"]["de-DE"] == "Geboren"
    fields = raw["mask"]["masks"][0]["fields"]
    assert [field["column_name_hint"] for field in fields] == ["born", "name"]


@pytest.mark.parametrize(
    ("edit", "removed_keys", "removed_hints"),
    [
        (
            remove_table(PERSON, dependents=True),
            {
                "schema.person.name",
                "schema.person.column.name",
                "schema.person.column.born",
                "mask.1.person__all_fields.name",
                "mask.1.person__all_fields.1.field.1.edit_user_hint",
                "mask.3.work__all_fields.3.link.6.edit_user_hint",
                "mask.3.work__all_fields.4.mask_3.link.9.edit_user_hint",
            },
            {"person", "name", "born", "artist", "source"},
        ),
        (
            remove_table(NOTE),
            {
                "schema.work.column.work__note",
                "schema.work__note.name",
                "schema.work__note.column.text",
                "schema.work__note.column.work__note__mark",
                "schema.work__note__mark.column.sign",
                "mask.3.work__all_fields.3.linked-table.4.edit_user_hint",
                "mask.3.work__all_fields.4.mask_3.link.9.edit_user_hint",
                "mask.3.work__all_fields.5.mask_3.mask_4.field.10.edit_user_hint",
            },
            {"work__note", "work__note__mark", "text", "source", "sign"},
        ),
        (
            remove_column(ColumnRef(WORK, YEAR), dependents=True),
            {"mask.3.work__all_fields.3.field.5.edit_user_hint"},
            {"year"},
        ),
        (
            remove_column(ColumnRef(PICTURE, PICTURE_WORK)),
            {
                "schema.work.column.reverse:picture.12",
                "mask.3.work__all_fields.3.reverse-linked-table.6.edit_user_hint",
                "mask.3.work__all_fields.6.mask_3.field.11.edit_user_hint",
            },
            {"picture", "work", "file"},
        ),
    ],
    ids=["table", "nested table", "column", "reverse link"],
)
def test_removing_an_element_removes_its_names_and_mask_entries(
    edit: Edit, removed_keys: set[str], removed_hints: set[str]
) -> None:
    """Nothing else is removed, and undo restores everything."""
    before = exported_text(museum_export())
    file = decode_model(before.encode())
    raw, old = (
        _parts(json.loads(encode_model(file.with_document(apply(file.document, edit))))),
        json.loads(before),
    )
    assert old["keys"].keys() - raw["keys"].keys() == removed_keys
    hints = ("table_name_hint", "column_name_hint", "other_table_name_hint", "other_column_name_hint")
    removed = {hint for name in hints for hint in _hints(old["mask"], name) - _hints(raw["mask"], name)}
    assert removed == removed_hints
    assert encode_model(file.with_document(file.document)).decode() == before


def test_a_new_column_is_written_in_the_style_of_the_file() -> None:
    """Its lines are between those of its neighbors, which are unchanged."""
    before = exported_text(museum_export())
    file = decode_model(before.encode())
    added = apply(file.document, AddColumn(PERSON, "grave", "text", index=1))
    after = encode_model(file.with_document(added)).decode()
    lines, old_lines = after.split("\n"), before.split("\n")
    at = next(number for number, line in enumerate(lines) if line != old_lines[number])
    more = len(lines) - len(old_lines)
    assert lines[:at] + lines[at + more :] == old_lines
    assert '                        "name": "grave",' in lines[at : at + more]


def _parts(raw: Json) -> Json:
    return {name: part.get("HEAD", part) if isinstance(part, dict) else part for name, part in raw.items()}


def _hints(value: object, name: str) -> set[str]:
    """All values of an attribute within a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = {value[name]} if isinstance(value, dict) and name in value else set()
    return own.union(*(_hints(each, name) for each in inner))


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_real_files_are_read_and_written_unchanged(path: object) -> None:
    """They have the old or the new format, with masks and names."""
    content = path.read_bytes()  # type: ignore[attr-defined]
    file = decode_model(content)
    assert file.form is (ModelFormat.OLD_EXPORT if "old-form" in str(path) else ModelFormat.EXPORT)
    assert file.names
    assert encode_model(file) == content


def test_a_byte_order_mark_does_not_matter() -> None:
    """Some editors write one."""
    content = b"\xef\xbb\xbf" + json.dumps(museum()).encode()
    assert len(decode_model(content).document.tables) == 6


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", ""),
        (b"\xff\xfe", ""),
        (b"[" * 2_000_000, ""),
        (b'{"tables": ' * 100_000, ""),
        (b"[]", ""),
        (b'{"name": 1}', ""),
        (b'{"schema": []}', "schema"),
        (b'{"schema": {}}', "schema.tables"),
        (b'{"schema": {"HEAD": 3}}', "schema.HEAD"),
        (b'{"schema": {"HEAD": {"tables": [1]}}}', "schema.HEAD.tables[0]"),
        (b'{"schema": {"tables": []}, "keys": 1}', "keys"),
        (b'{"tables": [{"name": 1}]}', "tables[0].name"),
    ],
)
def test_anything_else_is_refused_with_its_path(content: bytes, place: str) -> None:
    """The error names the place of the unexpected content."""
    with pytest.raises(DocumentError) as refused:
        decode_model(content)
    assert refused.value.path == place
