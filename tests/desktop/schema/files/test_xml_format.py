"""Tests of models in XML (wire §5), without loss; test_with_server reads the XML of the server."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdb_desktop.schema.document.json_values import DocumentError
from cdb_desktop.schema.files.model_files import ModelFormat, decode_model, encode_model, from_xml, to_xml
from tests.desktop.schema.models import MODEL_FILES, Json, museum

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


@settings(max_examples=60, deadline=None)
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
