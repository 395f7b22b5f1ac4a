"""Tests of where packaged data is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdb_desktop.foundation import resources


def test_checkout_reads_the_folder_at_the_top() -> None:
    """Without packaged data beside the module, the repository's own is taken."""
    assert resources.resource("errors.json").is_file()


def test_packaged_data_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an installed or frozen program the data lies beside the module."""
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    packaged = tmp_path / "_resources" / "errors.json"
    packaged.parent.mkdir()
    packaged.write_text("{}")
    assert resources.resource("errors.json") == packaged


def test_missing_packaged_name_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that was not packaged is looked for at the top."""
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "cdb_desktop")
    assert resources.resource("icons") == tmp_path / "resources" / "icons"
