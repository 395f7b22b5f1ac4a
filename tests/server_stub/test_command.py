"""`cdb-server` as whoever starts it meets it: its one line, its messages, its exit codes."""

from __future__ import annotations

import re
import signal
import socket
import sqlite3
import time
from pathlib import Path

import httpx
import pytest

from tests.server_stub.process import called, refused, running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """Exit code 0, one line on standard output, start and shutdown logged."""
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
    """So that it never outlives a killed desktop."""
    with running("--database", str(tmp_path / "a.sqlite"), "--exit-with-stdin") as (child, _):
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(20) == 0


def test_root_gets_a_random_password_once(tmp_path: Path) -> None:
    """It is printed on the first start only, and it signs in."""
    file = str(tmp_path / "a.sqlite")
    with running("--database", file) as (child, base):
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=20)
    (password,) = re.findall(r"^root password: (\S+)$", errors, re.MULTILINE)
    with running("--database", file) as (child, base):
        token = httpx.get(f"{base}/api/v1/session").json()["token"]
        form = {"login": "root", "password": password}
        answer = httpx.post(f"{base}/api/v1/session/authenticate", params={"token": token}, data=form)
        assert answer.json()["user"]["user"]["login"] == "root"
        child.send_signal(signal.SIGTERM)
        assert child.communicate(timeout=20)[1] == ""


def test_settings_are_kept_and_logged(tmp_path: Path) -> None:
    """`--set` writes base configuration; the change is an event (wire §3)."""
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


def test_several_workers_serve_one_database(tmp_path: Path) -> None:
    """A session started with one worker is known to all."""
    file = str(tmp_path / "a.sqlite")
    with running("--database", file, "--workers", "2", "--exit-with-stdin") as (child, base):
        token = httpx.get(f"{base}/api/v1/session").json()["token"]
        answers = [httpx.get(f"{base}/api/v1/session", params={"token": token}) for _ in range(8)]
        assert {answer.status_code for answer in answers} == {200}
        child.communicate(timeout=20)
        assert child.returncode == 0


def test_workers_do_not_outlive_a_killed_server(tmp_path: Path) -> None:
    """Nobody is left who answers at the port."""
    given = ("--database", str(tmp_path / "a.sqlite"), "--workers", "2")
    with running(*given) as (child, base):
        assert httpx.get(f"{base}/api/v1/session").status_code == 200
        child.kill()
    port = base.rpartition(":")[2]
    until = time.monotonic() + 20
    while _is_taken(int(port)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _is_taken(int(port))


def _is_taken(port: int) -> bool:
    with socket.socket() as door:
        return door.connect_ex(("127.0.0.1", port)) == 0


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    """The message names the port and the way on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = refused("--port", port, "--database", str(tmp_path / "a.sqlite"))
    assert done.returncode == 1
    assert port in done.stderr
    assert "--port" in done.stderr
    assert not (tmp_path / "a.sqlite").exists()


@pytest.mark.parametrize("place", ["letter.txt", "folder", "letter.txt/below.sqlite"])
def test_an_unusable_database_is_told(tmp_path: Path, place: str) -> None:
    """One sentence, exit code 1, and the file stays as it was."""
    (tmp_path / "letter.txt").write_text("Dear museum, " * 100)
    (tmp_path / "folder").mkdir()
    done = refused("--port", "0", "--database", str(tmp_path / place))
    assert done.returncode == 1
    assert done.stderr.startswith("cdb-server: ")
    assert "Traceback" not in done.stderr
    assert (tmp_path / "letter.txt").read_text() == "Dear museum, " * 100


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port", "70000"],
        ["--set", "nonsense=1"],
        ["--set", "session.timeout=0"],
        ["--workers", "0"],
        ["--activity", "-1"],
    ],
)
def test_wrong_arguments_are_told(arguments: list[str]) -> None:
    """Exit code 2 and a usage line, as for any command."""
    done = called(*arguments)
    assert done.returncode == 2
    assert "usage: cdb-server" in done.stderr
