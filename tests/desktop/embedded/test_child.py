"""Tests of one run of a server."""

import os
import sys
from pathlib import Path

import pytest

from cdb_desktop.embedded import child as child_module
from cdb_desktop.embedded.child import Child
from tests.desktop.embedded.builders import stand_in


def test_its_messages_are_logged(tmp_path: Path) -> None:
    """Its stderr is appended to the log of earlier runs."""
    for name in ("first", "second"):
        child = Child(stand_in()(tmp_path / name, 0), tmp_path / "log")
        child.url.result(10)
        child.stop()
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert lines == [f"working on {tmp_path / name}" for name in ("first", "second")]


def test_a_process_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ignores both the end of its input and signals."""
    monkeypatch.setattr(child_module, "_GRACE", 0.2)
    child = Child(stand_in("stubborn")(tmp_path / "db", 0), tmp_path / "log")
    child.url.result(10)
    child.stop()
    assert child.ended.result(1) < 0


def test_it_does_not_inherit_the_password_for_another_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other environment variables are inherited."""
    monkeypatch.setenv("CDB_PASSWORD", "swordfish")
    monkeypatch.setenv("CDB_LOG_LEVEL", "DEBUG")
    script = (
        "import os, sys; print('Listening on', os.environ.get('CDB_PASSWORD'), os.environ['CDB_LOG_LEVEL'])"
    )
    child = Child([sys.executable, "-c", script], tmp_path / "log")
    assert child.url.result(10) == "None DEBUG"
    child.stop()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no niceness")
@pytest.mark.parametrize(("own", "given"), [(0, 5), (10, 10)])
def test_its_priority_is_never_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: int, given: int
) -> None:
    """A desktop that was started with `nice -n 10` may not give its server the niceness 5."""
    found: list[int] = []
    monkeypatch.setattr(os, "getpriority", lambda *_: own)
    monkeypatch.setattr(os, "setpriority", lambda _kind, _pid, niceness: found.append(niceness))
    child = Child(stand_in()(tmp_path / "db", 0), tmp_path / "log")
    child.stop()
    assert found == [given]
