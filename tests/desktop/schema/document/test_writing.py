"""Tests of writing without loss: unchanged parts are written as they were read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdb_desktop.schema.document.json_format import read_document, write_document
from tests.desktop.schema.models import MODEL_FILES, Json, museum, real


def test_everything_is_written() -> None:
    """This includes unknown attributes at every level, and the order of attributes."""
    assert json.dumps(write_document(read_document(museum()))) == json.dumps(museum())


def test_real_models_are_written_unchanged() -> None:
    """All exports are equal byte for byte."""

    def back(path: Path) -> Json:
        return dict(write_document(read_document(real(path))))

    assert [path.name for path in MODEL_FILES if json.dumps(back(path)) != json.dumps(real(path))] == []


@pytest.mark.parametrize(
    "table",
    [
        {"name": "bare"},
        {"name": "empty", "columns": None, "foreign_keys": [], "unique_keys": None},
        {"table_id": 1, "name": "odd", "columns": [{"kind": "mirror"}, {}], "group": {"a": [1]}},
        {"name": None, "owned_by": {"other_table_name_hint": "nobody", "since": 3}},
        {"name": "key", "foreign_keys": [{"referenced_table": {"table_name_hint": "key", "x": 1}, "y": 2}]},
    ],
)
def test_unusual_tables_are_written_unchanged(table: Json) -> None:
    """Missing and null lists stay so, and unknown attributes keep their place."""
    raw = {"tables": [table], "extra": None}
    assert json.dumps(write_document(read_document(raw))) == json.dumps(raw)
