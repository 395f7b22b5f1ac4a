"""Tests of the command line."""

import os
import subprocess
import sys
from importlib import metadata

import pytest

from cdb_desktop.app.options import Options, parse_options


def test_the_password_for_a_server_is_taken_from_the_environment() -> None:
    """The password is in no argument and in no repr."""
    given = parse_options(["--server", "https://db.example", "--login", "root"], {"CDB_PASSWORD": "secret"})
    assert given == Options(server="https://db.example", login="root", password="secret")
    assert "secret" not in repr(given)


LINK = "cdb://events?profile=Museum&v=1"


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], Options()),
        # The check needs data, and the demo provides it.
        (["--smoke"], Options(demo=True, smoke=True)),
        # Login and password are then looked up, or requested in the window.
        (["--server", "https://db.example"], Options(server="https://db.example")),
        # File managers give files, desktops links that are clicked in other programs, and files like that.
        (["museum.json"], Options(model="museum.json")),
        ([LINK], Options(link=LINK)),
        ([LINK.upper()], Options(link=LINK.upper())),
        (["file:///tmp/my%20view.cdbview"], Options(view="/tmp/my view.cdbview")),  # noqa: S108
        (["file://evil.example/a.json"], Options(model="file://evil.example/a.json")),
    ],
)
def test_what_is_opened(arguments: list[str], options: Options) -> None:
    assert parse_options(arguments, {}) == options


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        # What a link may become on systems that do not quote it.
        (["cdb://events?v=1", "--server=https://evil.example", "--login=a"], "without options"),
        (["cdb://events?v=1", "--demo"], "without options"),
        (["cdb://events?v=1", "other.json"], "unrecognized arguments"),
        (["museum.json", "--demo"], "without a connection"),
        (["--login", "root"], "--login needs --server URL"),
        (["--demo", "--server", "https://db.example"], "exclude each other"),
        (["--dem"], "unrecognized arguments"),
    ],
)
def test_a_missing_argument_is_reported(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong command line exits with 2 and a message."""
    with pytest.raises(SystemExit) as ended:
        parse_options(arguments, {})
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


def test_help_does_not_load_qt() -> None:
    """The help text is printed without delay."""
    code = "import sys, atexit; from cdb_desktop.__main__ import main; sys.argv = ['cdb-desktop', '--help']\n"
    loaded = "atexit.register(lambda: print(sorted({'PySide6', 'httpx'} & set(sys.modules))))\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}{loaded}main()"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "--demo" in done.stdout
    assert "CDB_LOG_LEVEL" in done.stdout
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("names", [("cdb-desktop", "cdb_desktop"), ("cdb-server", "server_stub")])
def test_both_programs_print_their_version(names: tuple[str, str]) -> None:
    """The version is that of the package, and no display is needed."""
    program, module = names
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "QT_QPA_PLATFORM")
    }
    command = [sys.executable, "-m", module, "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert answer.stdout == f"{program} {metadata.version('cdb-desktop')}\n"
    assert answer.stderr == ""


def test_without_standard_streams_nothing_is_printed() -> None:
    """Programs without a console have none on Windows; the exit code is that of a program with streams."""
    closed = 'exec "$0" -P -m cdb_desktop "$1" >&- 2>&-'
    for option, code in (("--version", 0), ("--wrong", 2)):
        done = subprocess.run(["sh", "-c", closed, sys.executable, option], check=False)
        assert done.returncode == code
