"""`--login-from-stdin`: the program that starts the server gets a log-in that is not visible to others."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server_process import ServerProcess
from tests.server_stub.command import called

OPTIONS = ("--port", "0", "--exit-with-stdin", "--login-from-stdin", "--demo", "--demo-events", "10")


@contextmanager
def server_with_login(file: Path, login: str, password: str) -> Iterator[str]:
    """The base URL of a server with a log-in from standard input, whose end stops the server."""
    with ServerProcess([*OPTIONS, "--database", str(file)], subprocess.PIPE) as child:
        child.stdin.write(json.dumps({"login": login, "password": password}) + "\n")
        child.stdin.flush()
        yield child.stdout.readline().removeprefix("Listening on ").strip()
        output = child.communicate(timeout=20)
    assert child.returncode == 0
    assert password not in "".join(output)


def signed_in(base: str, login: str, password: str) -> httpx.Response:
    """The response to a sign-in."""
    token = httpx.get(f"{base}/api/v1/session").json()["token"]
    form = {"login": login, "password": password}
    return httpx.post(f"{base}/api/v1/session/authenticate", params={"token": token}, data=form)


def test_the_embedding_program_has_every_right(tmp_path: Path) -> None:
    """The user has every right, and the demo users exist as usual."""
    with server_with_login(tmp_path / "a.sqlite", "desktop-1", "a secret of this start") as base:
        session = signed_in(base, "desktop-1", "a secret of this start").json()
        assert "system.root" in session["system_rights"]
        assert signed_in(base, "viewer", "viewer").status_code == 200


def test_each_start_invalidates_the_previous_log_in(tmp_path: Path) -> None:
    """A new log-in ends the sessions of the previous one but belongs to the same user."""
    ids, tokens = [], []
    for login in ("desktop-1", "desktop-2"):
        with server_with_login(tmp_path / "a.sqlite", login, f"secret of {login}") as base:
            session = signed_in(base, login, f"secret of {login}").json()
            ids.append(session["user"]["user"]["_id"])
            tokens.append(session["token"])
            if login == "desktop-2":
                refused = signed_in(base, "desktop-1", "secret of desktop-1")
                assert refused.json()["code"] == "error.user.login_failed"
                left = httpx.get(f"{base}/api/v1/event/list", params={"token": tokens[0]})
                assert left.json()["code"] == "error.user.not_authenticated"
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    "line", ["", "no JSON, but a secret\n", '{"login": "", "password": "secret"}\n', "[]\n"]
)
def test_a_malformed_line_is_refused_without_quoting_it(tmp_path: Path, line: str) -> None:
    """A malformed line ends the server with code 1 and is not repeated in the message."""
    file = tmp_path / "a.sqlite"
    done = called(*OPTIONS, "--database", str(file), typed=line)
    assert done.returncode == 1
    assert "no log-in" in done.stderr
    assert "secret" not in done.stderr
    assert not file.exists()


def test_a_login_of_another_user_is_refused(tmp_path: Path) -> None:
    """The login of an existing user is refused in a sentence, and the user is not changed."""
    line = json.dumps({"login": "viewer", "password": "a secret"}) + "\n"
    done = called(*OPTIONS, "--database", str(tmp_path / "a.sqlite"), typed=line)
    assert done.returncode == 1
    assert "viewer is another user's" in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr
