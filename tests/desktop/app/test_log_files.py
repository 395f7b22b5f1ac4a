"""Tests of the program's log."""

from __future__ import annotations

import faulthandler
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import qInstallMessageHandler, qWarning

from cdb_desktop.app.log_files import log_qt_messages, start_logging
from cdb_desktop.client import redaction


@pytest.fixture(autouse=True)
def _logging_of_its_own() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("cdb_desktop")
    before = root.handlers[:], root.level, ours.level
    yield
    for handler in root.handlers:
        if handler not in before[0]:
            handler.close()
    root.handlers, root.level, ours.level = before[0], before[1], before[2]
    faulthandler.enable()


def test_warnings_are_written_to_the_file(tmp_path: Path) -> None:
    """Without a level only what matters is kept, in a folder that is made when it is missing."""
    start_logging(tmp_path / "state", {})
    logging.getLogger("cdb_desktop.test").info("of no interest")
    logging.getLogger("cdb_desktop.test").warning("of interest")
    text = (tmp_path / "state" / "cdb-desktop.log").read_text("utf-8")
    assert "WARNING cdb_desktop.test: of interest" in text
    assert "no interest" not in text


def test_the_level_is_for_our_own_messages(tmp_path: Path) -> None:
    """DEBUG does not make libraries talk, whose messages may hold whole addresses."""
    start_logging(tmp_path, {"CDB_LOG_LEVEL": "debug"})
    logging.getLogger("cdb_desktop.test").debug("ours")
    logging.getLogger("httpcore").debug("theirs")
    text = (tmp_path / "cdb-desktop.log").read_text("utf-8")
    assert "ours" in text
    assert "theirs" not in text


def test_a_folder_that_cannot_be_made_is_no_reason_to_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log on stderr says so."""
    (tmp_path / "file").touch()
    start_logging(tmp_path / "file", {})
    assert "no log file" in capsys.readouterr().err


def test_qt_messages_are_logged(tmp_path: Path) -> None:
    """What Qt warns about is in the log like anything else."""
    start_logging(tmp_path, {})
    before = qInstallMessageHandler(None)
    log_qt_messages()
    qWarning("something is odd")
    qInstallMessageHandler(before)
    assert "WARNING qt: something is odd" in (tmp_path / "cdb-desktop.log").read_text("utf-8")


def test_logs_are_for_their_owner_only(tmp_path: Path) -> None:
    """Whatever the system would allow others, and also where a file was there before."""
    (tmp_path / "cdb-desktop.log").write_text("from before\n")
    (tmp_path / "cdb-desktop.log").chmod(0o666)
    before = os.umask(0)
    try:
        start_logging(tmp_path, {})
    finally:
        os.umask(before)
    logging.getLogger("cdb_desktop.test").warning("of interest")
    files = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert files == {"cdb-desktop.log": 0o600, "cdb-desktop-crashes.log": 0o600}


def test_no_secret_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even in the traceback of an exception that nobody has foreseen."""
    monkeypatch.setattr(redaction, "known_secrets", {"swordfish"})
    start_logging(tmp_path, {})
    error = RuntimeError("http://db/?Token=abc-1 and SWORDFISH")
    logging.getLogger("cdb_desktop.test").error("password=pw-77", exc_info=error)
    for text in ((tmp_path / "cdb-desktop.log").read_text("utf-8"), capsys.readouterr().err):
        assert "RuntimeError: http://db/?Token=••• and •••" in text
        assert "abc-1" not in text
        assert "pw-77" not in text


def test_a_crash_leaves_the_stacks_of_its_threads(tmp_path: Path) -> None:
    """In a file of its own, since nobody sees stderr of a program with windows."""
    script = (
        "import faulthandler, sys\nfrom pathlib import Path\n"
        "from cdb_desktop.app.log_files import start_logging\n"
        "start_logging(Path(sys.argv[1]), {})\nfaulthandler._sigsegv()\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, capture_output=True)
    assert done.returncode != 0
    text = (tmp_path / "cdb-desktop-crashes.log").read_text("utf-8")
    assert "Segmentation fault" in text
    assert "<module>" in text
