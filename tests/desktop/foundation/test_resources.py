"""Tests of the location of packaged data."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdb_desktop.foundation import resources


def test_packaged_data_takes_precedence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an installed or frozen program the data is beside the module."""
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    packaged = tmp_path / "_resources" / "errors.json"
    packaged.parent.mkdir()
    packaged.write_text("{}")
    assert resources.resource("errors.json") == packaged


def test_missing_packaged_name_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is not packaged is looked up in the top-level folder."""
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "cdb_desktop")
    assert resources.resource("icons") == tmp_path / "resources" / "icons"
