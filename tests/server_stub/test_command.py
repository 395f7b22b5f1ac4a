"""`cdb-server` as a command: its output, its messages, its exit codes."""

import argparse
import shlex
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from server_stub.__main__ import _parser
from server_stub.foundation.command_line import CLOSED, INTERRUPTED, CommandParser
from server_stub.process.serving import behind_proxies
from tests.demo_files import create_demo
from tests.interrupted import interrupted, unread
from tests.server_stub.command import COMMAND, called, refused, running, signal_end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """A signal ends the server with code 0; it prints one line, and logs start and shutdown."""
    file = tmp_path / "a.sqlite"
    with running("--database", str(file)) as (child, base):
        assert httpx.get(f"{base}/api/v1/settings").status_code == 200
        child.send_signal(number)
        rest, _ = child.communicate(timeout=20)
        assert (child.returncode, rest) == (0, "")
    with sqlite3.connect(file) as database:
        types = [row[0] for row in database.execute("SELECT type FROM _event ORDER BY id")]
    database.close()
    assert types == ["SERVER_START", "SERVER_SHUTDOWN"]


def test_it_ends_with_its_standard_input(tmp_path: Path) -> None:
    """The server ends with its standard input, so that it cannot outlive a killed desktop."""
    with running("--database", str(tmp_path / "a.sqlite"), "--exit-with-stdin") as (child, _):
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(20) == 0


def test_settings_are_stored_and_logged(tmp_path: Path) -> None:
    """`--set` stores base configuration, and the change is logged (wire §3)."""
    file = tmp_path / "a.sqlite"
    with running("--database", str(file), "--set", "system.log.search=false", "--exit-with-stdin") as (
        child,
        _,
    ):
        child.communicate(timeout=20)
    with sqlite3.connect(file) as database:
        found = database.execute("SELECT info FROM _event WHERE type = 'BASE_CONFIG_UPDATE'").fetchall()
    database.close()
    assert found == [('{"changed":{"system.log.search":false}}',)]


def test_names_under_which_it_may_be_called(tmp_path: Path) -> None:
    """A loopback address accepts its own names and allowed ones, also in workers, which trust the proxies."""
    names = ("--allow-host", "cdb.example", "--allow-host", "Other.Example")
    file = tmp_path / "a.sqlite"
    given = ("--database", str(file), "--workers", "2", *names, "--trusted-proxy", "127.0.0.0/8")
    with running(*given) as (child, base):
        found = {
            name: httpx.get(f"{base}/api/v1/settings", headers={"host": name}, timeout=60).status_code
            for name in ("localhost", "cdb.example:80", "other.example", "evil.example")
        }
        token = httpx.get(f"{base}/api/v1/session", timeout=60).json()["token"]
        login = {"token": token, "login": "nobody", "password": "wrong"}
        named = {"x-forwarded-for": "203.0.113.9, 127.0.0.2"}
        httpx.post(f"{base}/api/v1/session/authenticate", params=login, headers=named, timeout=60)
        signal_end(child)
    with closing(sqlite3.connect(file)) as database:
        addresses = database.execute("SELECT address FROM _login_throttle WHERE name = 'nobody'").fetchall()
    assert ("203.0.113.9",) in addresses
    assert ("127.0.0.1",) not in addresses
    assert found == {"localhost": 200, "cdb.example:80": 200, "other.example": 200, "evil.example": 400}


PROXIES = ("10.0.0.0/8", "2001:db8:1::/48")
OTHER = "203.0.113.9"
# Who calls, the headers, and the address that the call gets.
FORWARDED: Sequence[tuple[str, list[tuple[str, str]], str]] = (
    (OTHER, [("x-forwarded-for", "198.51.100.1"), ("forwarded", "for=198.51.100.1")], OTHER),
    ("10.0.0.1", [], "10.0.0.1"),
    ("10.0.0.1", [("x-forwarded-for", f"198.51.100.1, {OTHER}")], OTHER),
    ("10.0.0.1", [("x-forwarded-for", f"198.51.100.1, {OTHER}"), ("x-forwarded-for", "10.1.1.1")], OTHER),
    ("10.0.0.1", [("forwarded", f"for=198.51.100.1;by=10.2.2.2, proto=https;For={OTHER}")], OTHER),
    ("10.0.0.1", [("forwarded", 'for="[2001:db8::9]:4711"'), ("forwarded", "for=10.1.1.1")], "2001:db8::9"),
    ("2001:db8:1::1", [("forwarded", f"for={OTHER}"), ("x-forwarded-for", OTHER)], OTHER),
    ("10.0.0.1", [("forwarded", f"for={OTHER}"), ("x-forwarded-for", "198.51.100.1")], "10.0.0.1"),
)


@pytest.mark.parametrize(("caller", "headers", "expected"), FORWARDED)
async def test_addresses_behind_a_proxy(
    caller: str, headers: Sequence[tuple[str, str]], expected: str
) -> None:
    """Only a trusted proxy names the client; of those in a chain, the last one that is no proxy counts."""
    found: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(scope["client"][0])

    raw = [(name.encode(), value.encode()) for name, value in headers]
    scope = {"type": "http", "client": (caller, 4711), "headers": raw, "scheme": "http"}
    await behind_proxies(app, PROXIES)(scope, None, None)  # type: ignore[arg-type]
    assert found == [expected]


def test_a_taken_port_is_reported(tmp_path: Path) -> None:
    """The message names the port and a solution."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = refused("--port", port, "--database", str(tmp_path / "a.sqlite"))
    assert done.returncode == 1
    assert port in done.stderr
    assert "--port" in done.stderr
    assert not (tmp_path / "a.sqlite").exists()


@pytest.mark.parametrize("place", ["letter.txt", "letter.txt/below.sqlite"])
def test_an_unusable_database_is_reported(tmp_path: Path, place: str) -> None:
    """The command exits with code 1 and one sentence, and the file is not changed."""
    (tmp_path / "letter.txt").write_text("Dear museum, " * 100)
    done = called("--port", "0", "--database", str(tmp_path / place))
    assert done.returncode == 1
    assert done.stderr.startswith("cdb-server: ")
    assert "Traceback" not in done.stderr
    assert (tmp_path / "letter.txt").read_text() == "Dear museum, " * 100


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite://", "must be a file"),
        ("sqlite:///:memory:", "must be a file"),
        ("sqlite:///file:x?mode=memory&uri=true", "must be a file"),
        ("sqlite+aiosqlite:///x.sqlite", "sqlite:///"),
        ("mysql://user:secret@host/name", "SQLite or PostgreSQL"),
        ("nonsense://x", "SQLite or PostgreSQL"),
        ("postgresql+nonsense://host/name", "postgresql+psycopg"),
        ("://", "cannot be read"),
        ("{folder}", "is a folder"),
        ("sqlite:///{folder}", "is a folder"),
    ],
)
def test_an_invalid_address_is_reported(tmp_path: Path, url: str, words: str) -> None:
    """An invalid address exits with code 2 and one sentence without the password."""
    done = called("--port", "0", "--demo", "--database", url.format(folder=tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cdb-server: ")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [("--port", "0", "--database"), ("migrate", "--from", "{demo}", "--to")])
def test_a_password_on_the_command_line_is_warned_of(option: tuple[str, ...], tmp_path: Path) -> None:
    """The warning names the alternatives and does not repeat the password."""
    create_demo(tmp_path / "demo.sqlite", 10)
    given = (each.format(demo=tmp_path / "demo.sqlite") for each in option)
    done = called(*given, "postgresql://cdb:secret@127.0.0.1:1/none")
    assert done.returncode == 1
    assert done.stderr.startswith("Warning: ")
    assert "--database-url-file" in done.stderr
    assert "secret" not in done.stderr


def test_an_address_in_a_file_is_used_without_a_warning(tmp_path: Path) -> None:
    """The password of an address in a file appears nowhere."""
    file = tmp_path / "address"
    file.write_text("postgresql://cdb:secret@127.0.0.1:1/none\n")
    done = called("--port", "0", "--database-url-file", str(file))
    # Before the end it may have logged that the database does not answer.
    (reason,) = (line for line in done.stderr.splitlines() if not line.startswith("{"))
    assert (done.returncode, reason.partition(":")[0]) == (1, "cdb-server")
    assert "secret" not in done.stderr


def test_a_missing_file_with_the_address_is_reported(tmp_path: Path) -> None:
    """The exit code is that of a wrong address."""
    done = called("--port", "0", "--database-url-file", str(tmp_path / "none"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="rights of files are those of POSIX")
@pytest.mark.parametrize("more", [(), ("--demo", "--demo-events", "10")])
def test_only_the_owner_may_read_the_database(tmp_path: Path, more: tuple[str, ...]) -> None:
    """The database, its companion files and new folders are private with any umask."""
    file = tmp_path / "new" / "below" / "a.sqlite"
    command = [*COMMAND, "--port", "0", "--exit-with-stdin", "--database", str(file), *more]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, umask=0, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline().startswith("Listening")
        found = {each.name: stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()}
        child.communicate(timeout=20)
    assert found == dict.fromkeys(("a.sqlite", "a.sqlite-reserve", "a.sqlite-shm", "a.sqlite-wal"), 0o600)
    for folder in (file.parent, file.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="rights of files are those of POSIX")
def test_permissions_of_a_database_are_preserved(tmp_path: Path) -> None:
    """The permissions of an existing file are preserved and apply to its companion files."""
    file = tmp_path / "a.sqlite"
    file.touch()
    file.chmod(0o640)
    with running("--database", str(file)) as (child, _):
        assert stat.S_IMODE((tmp_path / "a.sqlite-wal").stat().st_mode) == 0o640
        signal_end(child)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "70000"],
        ["--allow-host", "http://cdb.example"],
        ["--allow-host", "cdb.example:80"],
        ["--trusted-proxy", "proxy.example"],
        ["--set", "nonsense=1"],
        ["--set", "session.timeout=0"],
    ],
)
def test_wrong_arguments_are_reported(arguments: list[str]) -> None:
    """Wrong arguments exit with code 2 and a usage line."""
    done = called(*arguments)
    assert done.returncode == 2
    assert "usage: cdb-server" in done.stderr


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
