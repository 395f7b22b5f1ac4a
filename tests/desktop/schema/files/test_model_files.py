"""Tests of reading and writing model files."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.model_files import (
    ModelFormat,
    decode_model,
    encode_model,
    from_xml,
    is_changed,
    read_file,
    to_xml,
    write_copy,
    write_file,
)
from tests.desktop.schema.models import MODEL_FILES, PERSON, Json, apply, museum


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An export with masks."""
    file = tmp_path / "museum.json"
    file.write_text(json.dumps({"version": 8, "schema": museum(), "mask": {"masks": []}, "keys": {}}))
    return file


def test_a_file_is_written_completely(path: Path) -> None:
    """Content beside the tables is kept, and no temporary file is left."""
    opened = read_file(path)
    written = write_file(opened, apply(opened.model.document, RenameTable(PERSON, "people")))
    assert json.loads(path.read_bytes())["mask"] == {"masks": []}
    again = read_file(path)
    assert (again.model.document, again.stamp) == (written.model.document, written.stamp)
    assert [file.name for file in path.parent.iterdir()] == ["museum.json"]


def test_changes_by_other_programs_are_detected(path: Path) -> None:
    """They are detected by size or time; a deleted file can be written again."""
    opened = read_file(path)
    assert not is_changed(opened)
    path.write_text(path.read_text() + " ")
    assert is_changed(opened)
    path.unlink()
    assert not is_changed(opened)


def test_a_copy_has_the_format_of_its_name(path: Path) -> None:
    """An XML copy has everything that the JSON file had."""
    opened = read_file(path)
    xml = write_copy(path.with_name("museum.xml"), opened.model.document, opened.model)
    assert xml.model.form is ModelFormat.XML
    assert xml.path.read_bytes().startswith(b"<?xml")
    copied = write_copy(path.with_name("again.json"), xml.model.document, xml.model)
    assert json.loads(copied.path.read_bytes()) == json.loads(path.read_bytes())
    assert write_copy(path.with_name("bare.json"), opened.model.document).model.form is ModelFormat.BARE


def test_a_failed_write_leaves_the_file_unchanged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full."""
    before, opened = path.read_bytes(), read_file(path)

    def full(file: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_file(opened, opened.model.document)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["museum.json"]


_SPACE = 'xmlns="urn:content-database:schema:1"'
TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.lists(st.booleans())


def test_a_model_is_restored() -> None:
    """It has every kind of element, and the file keeps its format."""
    content = to_xml(museum())
    file = decode_model(content)
    assert file.form is ModelFormat.XML
    assert from_xml(encode_model(file)) == museum()


@pytest.mark.parametrize("path", MODEL_FILES, ids=lambda path: path.stem)
def test_real_models_are_restored(path: object) -> None:
    """They are converted from JSON to XML and back, including masks and names, which XML does not have."""
    file = decode_model(path.read_bytes())  # type: ignore[attr-defined]
    again = decode_model(encode_model(file.as_xml(wanted=True)))
    assert from_xml(encode_model(again)) == from_xml(to_xml(_schema(file.raw)))
    assert file.as_xml(wanted=True).as_xml(wanted=False) == file


@settings(max_examples=25, deadline=None)
@given(comment=TEXTS, unknown=VALUES, default=VALUES, flag=st.booleans() | st.integers() | st.none())
def test_values_are_restored(comment: str, unknown: object, default: object, flag: object) -> None:
    """These are control characters, values of unexpected types, and unknown attributes."""
    column = {"kind": "column", "name": "x", "default": default, "not_null": flag}
    raw: Json = {"version": 1, "unknown": unknown, "tables": [{"comment": comment, "columns": [column]}]}
    assert from_xml(to_xml(raw)) == raw


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("<schema", ""),
        ("<html/>", ""),
        ("<!DOCTYPE schema><schema/>", ""),
        (f"<schema {_SPACE}/>", "tables"),
        (f'<schema {_SPACE} version="one"><tables/></schema>', "version"),
        (f'<schema {_SPACE}><tables><table has-tags="yes"/></tables></schema>', "tables[0].has_tags"),
        (f"<schema {_SPACE}><tables><table><rows/></table></tables></schema>", "tables[0].rows"),
        (f'<schema {_SPACE}><tables/><other name="x">{{</other></schema>', "x"),
        (f'<schema {_SPACE}><tables/><other name="x">{"[" * 200_000}</other></schema>', "x"),
    ],
)
def test_anything_else_is_refused_with_its_path(content: str, place: str) -> None:
    """The error names the place of the unexpected content."""
    with pytest.raises(DocumentError) as refused:
        decode_model(content.encode())
    assert refused.value.path == place


def _schema(raw: object) -> Json:
    assert isinstance(raw, dict)
    schema = raw["schema"]
    found: Json = schema.get("HEAD", schema)
    return found
