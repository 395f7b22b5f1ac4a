"""The forms of files with models (wire §5)."""

from __future__ import annotations

import json

import pytest

from cdb_desktop.schema.edit import apply
from cdb_desktop.schema.files import Form, open_model, save_model
from cdb_desktop.schema.shape import DocumentError
from cdb_desktop.schema.table_edits import RenameTable
from tests.desktop.schema.models import PERSON, REAL_CASES, REAL_FILES, Json, museum

needs_real = pytest.mark.skipif(not REAL_FILES, reason="the real models are not at hand")

_JSON = [form for form in Form if form is not Form.XML]
_NAMES = {"schema.work.name": {"de-DE": "Werk"}}


def _forms() -> dict[Form, Json]:
    mask: Json = {"masks": []}
    return {
        Form.EXPORT: {
            "version": 8,
            "format_version": 1,
            "schema": museum(),
            "mask": mask,
            "keys": _NAMES,
        },
        Form.OLD_EXPORT: {
            "schema": {"HEAD": museum(), "CURRENT": {"tables": []}},
            "mask": {"HEAD": mask},
            "keys": {"HEAD": _NAMES},
        },
        Form.BARE: museum(),
    }


@pytest.mark.parametrize("form", _JSON)
def test_each_form_opens_and_is_written_back(form: Form) -> None:
    """The form is kept, and so is everything beside the schema."""
    raw = _forms()[form]
    file = open_model(json.dumps(raw).encode())
    assert file.form is form
    assert [table.name for table in file.document.tables][:2] == ["person", "place"]
    assert file.names == ({} if form is Form.BARE else _NAMES)
    assert json.loads(save_model(file)) == raw


@pytest.mark.parametrize("form", _JSON)
def test_a_changed_document_goes_back_into_its_file(form: Form) -> None:
    """Only the schema differs afterwards."""
    file = open_model(json.dumps(_forms()[form]).encode())
    edited = file.with_document(apply(file.document, RenameTable(PERSON, "people")))
    again = open_model(save_model(edited))
    assert again.document.by_key[PERSON].name == "people"
    assert (again.form, again.masks, again.names) == (form, file.masks, file.names)


@needs_real
@pytest.mark.parametrize("path", REAL_CASES, ids=lambda path: path.stem)
def test_real_files_open_and_come_back(path: object) -> None:
    """Old form and new form, with masks and names."""
    content = path.read_bytes()  # type: ignore[attr-defined]
    file = open_model(content)
    assert file.form is (Form.OLD_EXPORT if "old-form" in str(path) else Form.EXPORT)
    assert file.names
    assert json.loads(save_model(file)) == json.loads(content)


def test_a_byte_order_mark_does_not_matter() -> None:
    """Some editors write one."""
    content = b"\xef\xbb\xbf" + json.dumps(museum()).encode()
    assert len(open_model(content).document.tables) == 6


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
def test_anything_else_is_refused_with_its_place(content: bytes, place: str) -> None:
    """The error names where in the file something else was expected."""
    with pytest.raises(DocumentError) as refused:
        open_model(content)
    assert refused.value.place == place
