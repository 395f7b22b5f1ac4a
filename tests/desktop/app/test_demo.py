"""Tests of starting the demo's server."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdb_desktop.app.demo import demo_server, early_demo_server


def test_a_folder_that_cannot_be_made_is_told_when_there_is_a_window(tmp_path: Path) -> None:
    """Before there is one the start goes on; the same failure comes again when it can be shown."""
    (tmp_path / "file").touch()
    assert early_demo_server(tmp_path / "file" / "demo") is None
    with pytest.raises(OSError, match="file"):
        demo_server(tmp_path / "file" / "demo")
