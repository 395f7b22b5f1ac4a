"""Tests of the program's log."""

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

from cdb_desktop.app.log_files import start_logging
from cdb_desktop.app.process import log_qt_messages
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
    """By default only warnings are logged, in a folder that is created if it is missing."""
    start_logging(tmp_path / "state", {})
    logging.getLogger("cdb_desktop.test").info("of no interest")
    logging.getLogger("cdb_desktop.test").warning("of interest")
    text = (tmp_path / "state" / "cdb-desktop.log").read_text("utf-8")
    assert "WARNING cdb_desktop.test: of interest" in text
    assert "no interest" not in text


def test_the_level_applies_to_our_own_messages(tmp_path: Path) -> None:
    """DEBUG does not apply to libraries, whose messages may contain whole URLs."""
    start_logging(tmp_path, {"CDB_LOG_LEVEL": "debug"})
    logging.getLogger("cdb_desktop.test").debug("ours")
    logging.getLogger("httpcore").debug("theirs")
    text = (tmp_path / "cdb-desktop.log").read_text("utf-8")
    assert "ours" in text
    assert "theirs" not in text


def test_a_folder_that_cannot_be_created_does_not_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message on stderr reports it."""
    (tmp_path / "file").touch()
    start_logging(tmp_path / "file", {})
    assert "no log file" in capsys.readouterr().err


def test_qt_messages_are_logged(tmp_path: Path) -> None:
    """Qt's warnings are in the log too."""
    start_logging(tmp_path, {})
    before = qInstallMessageHandler(None)
    log_qt_messages()
    qWarning("something is odd")
    qInstallMessageHandler(before)
    assert "WARNING qt: something is odd" in (tmp_path / "cdb-desktop.log").read_text("utf-8")


def test_logs_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    """The umask does not matter, and the mode of an existing file is changed."""
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
    """The traceback of an unexpected exception contains none either."""
    monkeypatch.setattr(redaction, "known_secrets", {"swordfish"})
    start_logging(tmp_path, {})
    error = RuntimeError("http://db/?Token=abc-1 and SWORDFISH")
    logging.getLogger("cdb_desktop.test").error("password=pw-77", exc_info=error)
    for text in ((tmp_path / "cdb-desktop.log").read_text("utf-8"), capsys.readouterr().err):
        assert "RuntimeError: http://db/?Token=••• and •••" in text
        assert "abc-1" not in text
        assert "pw-77" not in text


def test_a_crash_leaves_the_stacks_of_its_threads(tmp_path: Path) -> None:
    """They are in a separate file, since a GUI program's stderr is not visible."""
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
