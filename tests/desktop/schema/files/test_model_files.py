"""Tests of reading and writing model files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdb_desktop.schema.edits.tables import RenameTable
from cdb_desktop.schema.files.model_files import ModelFormat, is_changed, read_file, write_copy, write_file
from tests.desktop.schema.models import PERSON, apply, museum


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
