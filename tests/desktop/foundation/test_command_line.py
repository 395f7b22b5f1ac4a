"""Tests of what all commands have in common: closed pipes, Ctrl+C, examples and ranges."""

import shlex
import sys
from pathlib import Path

import pytest

from cdb_desktop.app.options import parse_options, parse_watch_options, parsers
from cdb_desktop.foundation.command_line import CLOSED, INTERRUPTED, CommandParser
from tests.interrupted import interrupted, unread

COMMAND = (sys.executable, "-m", "cdb_desktop")
COMMANDS = {parser.prog: parser for parser in parsers()}

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")


@pytest.mark.parametrize("parser", COMMANDS.values(), ids=COMMANDS)
def test_examples_can_be_run(parser: CommandParser) -> None:
    """Each command has one at least, and the parser takes it."""
    assert parser.examples
    for example in parser.examples:
        command = [*parser.prog.split()[:1], *shlex.split(example)]
        own = parser.prog.split()
        assert command[: len(own)] == own
        parser.parse_args(command[len(own) :])
        assert f"\n  {shlex.join(command)}\n" in parser.format_help()


@on_posix
def test_nobody_reads_the_findings(tmp_path: Path) -> None:
    """As of ``cdb-desktop check … | head``."""
    columns = '{"kind": "column", "_column_id": 1, "name": "A b", "type": "text"}'
    file = tmp_path / "model.json"
    file.write_text(f'{{"tables": [{{"_table_id": 1, "name": "A b", "columns": [{columns}]}}]}}')
    code, errors = unread((*COMMAND, "check", str(file), "--hints"))
    assert (code, errors) == (CLOSED, "")


@on_posix
def test_control_c(tmp_path: Path) -> None:
    """It ends a command without a traceback."""
    file = tmp_path / "model.json"
    assert interrupted((*COMMAND, "check", str(file)), file) == (INTERRUPTED, "", "")


@pytest.mark.parametrize("value", ["0", "3601", "nan", "soon"])
def test_the_timeout_has_a_range(capsys: pytest.CaptureFixture[str], value: str) -> None:
    """The error names the option and the range."""
    with pytest.raises(SystemExit):
        parse_options(["--smoke", "--timeout", value], {})
    assert f"--timeout: '{value}' is no number of seconds from 1 to 3600" in capsys.readouterr().err


def test_times_have_a_range(capsys: pytest.CaptureFixture[str]) -> None:
    """The error shows how times are written."""
    with pytest.raises(SystemExit):
        parse_watch_options(["view", "--within", "soon"], {})
    assert "--within: 'soon' is no time from 1s to 366d, such as 90s" in capsys.readouterr().err
