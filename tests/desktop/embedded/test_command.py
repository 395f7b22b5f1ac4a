"""Tests of the server's command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cdb_desktop.embedded.command import server_command


def test_from_source_the_module_is_run(tmp_path: Path) -> None:
    """The interpreter of the desktop runs the server, which ends with its input."""
    command = server_command(tmp_path / "demo.sqlite", 0)
    assert command[0] == sys.executable
    assert command[command.index("-m") + 1] == "server_stub"
    assert command[command.index("--database") + 1] == str(tmp_path / "demo.sqlite")
    assert "--exit-with-stdin" in command


def test_in_a_bundle_the_neighbour_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen program has no interpreter; the server lies beside it."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "cdb-desktop"))
    command = server_command(tmp_path / "demo.sqlite", 4711)
    assert Path(command[0]).parent == tmp_path
    assert Path(command[0]).stem == "cdb-server"
    assert command[command.index("--port") + 1] == "4711"
