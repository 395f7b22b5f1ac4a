"""Tests of the program's log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import qInstallMessageHandler, qWarning

from cdb_desktop.app.logs import log_qt_messages, start_logging


@pytest.fixture(autouse=True)
def _logging_of_its_own() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("cdb_desktop")
    before = root.handlers[:], root.level, ours.level
    yield
    for handler in root.handlers:
        if handler not in before[0]:
            handler.close()
    root.handlers, root.level, ours.level = before[0], before[1], before[2]


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
