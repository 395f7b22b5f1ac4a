"""Tests of what all commands have in common: closed pipes, Ctrl+C, examples and ranges."""

import argparse
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from server_stub.__main__ import _parser
from server_stub.foundation.command_line import CLOSED, INTERRUPTED, CommandParser
from tests.interrupted import interrupted, unread
from tests.server_stub.command import COMMAND, called

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")


def _with_subcommands(parser: CommandParser) -> Iterator[CommandParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _with_subcommands(each)


COMMANDS = {parser.prog: parser for parser in _with_subcommands(_parser())}


@pytest.mark.parametrize("parser", COMMANDS.values(), ids=COMMANDS)
def test_examples_can_be_run(parser: CommandParser) -> None:
    """Each command has one at least, and the program takes it."""
    assert parser.examples
    for example in parser.examples:
        _parser().parse_args(shlex.split(example))
        assert f"\n  cdb-server {example}".rstrip() in parser.format_help()
        assert f"cdb-server {example} ".startswith(f"{parser.prog} ")


@on_posix
def test_nobody_reads_the_help() -> None:
    """The command ends quietly; argparse itself ignores that it is not read."""
    code, errors = unread((*COMMAND, "--help"))
    assert (code in (0, CLOSED), errors) == (True, "")


@on_posix
def test_nobody_reads_the_users(tmp_path: Path) -> None:
    """As of ``cdb-server user list | head``."""
    database = str(tmp_path / "cdb.sqlite")
    add = ("user", "add", "anna", "--password-stdin", "--right", "system.root", "--database", database)
    assert called(*add, typed="swordfish\n").returncode == 0
    assert unread((*COMMAND, "user", "list", "--database", database)) == (CLOSED, "")


@on_posix
def test_control_c(tmp_path: Path) -> None:
    """It ends the command without a traceback."""
    file = tmp_path / "events.jsonl"
    code, _, errors = interrupted((*COMMAND, "import-events", str(file), str(tmp_path / "made.sqlite")), file)
    assert (code, errors) == (INTERRUPTED, "")


@pytest.mark.parametrize(
    ("option", "value", "range_"),
    [
        ("--port", "99999", "whole number from 0 to 65535"),
        ("--port", "http", "whole number from 0 to 65535"),
        ("--workers", "0", "whole number of at least 1"),
        ("--activity", "-1", "number of events from 0 to 1e+06"),
    ],
)
def test_ranges_are_named(option: str, value: str, range_: str) -> None:
    """The error names the option and the range."""
    done = called(f"{option}={value}")
    assert done.returncode == 2
    assert f"argument {option}: '{value}' is no {range_}" in done.stderr
