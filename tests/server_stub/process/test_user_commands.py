"""`cdb-server user …` while a server runs on the same database."""

import os
import pty
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server_stub.command import COMMAND, called, running, signal_end

ROOT = ("--right", "system.root")
EVERYTHING = ("SELECT * FROM _user", "SELECT * FROM _group", "SELECT * FROM _membership")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database in which anna, whose password is `first-secret`, has every right."""
    path = str(tmp_path_factory.mktemp("accounts") / "template.sqlite")
    made = user(path, "add", "anna", *ROOT, "--password-stdin", password="first-secret")
    assert (made.returncode, made.stdout) == (0, "Made the user anna.\n")
    return path


@pytest.fixture
def file(template: str, tmp_path: Path) -> str:
    """A copy of the template."""
    return str(shutil.copy(template, tmp_path / "accounts.sqlite"))


def rows(file: str) -> list[list[tuple[Any, ...]]]:
    """All stored data of users and groups."""
    database = sqlite3.connect(file)
    found = [database.execute(each).fetchall() for each in EVERYTHING]
    database.close()
    return found


def user(file: str, action: str, *arguments: str, password: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the command with the password as the first line of standard input."""
    return called("user", action, *arguments, "--database", file, typed=f"{password}\n")


@pytest.fixture
def server(file: str) -> Iterator[httpx.Client]:
    """Calls a server on the database."""
    with running("--database", file) as (child, url):
        with httpx.Client(base_url=f"{url}/api/v1", trust_env=False, verify=False) as client:  # noqa: S501
            yield client
        signal_end(child)


def sign_in(server: httpx.Client, login: str, password: str) -> tuple[httpx.Response, str]:
    """The response of signing in, and the token of the session."""
    token = server.get("/session").json()["token"]
    form = {"login": login, "password": password}
    return server.post("/session/authenticate", params={"token": token}, data=form), token


def test_a_user_made_while_the_server_runs_signs_in(file: str, server: httpx.Client) -> None:
    """A new user has its rights, name and groups; changes of rights apply to the next call."""
    made = user(
        file,
        "add",
        "bert",
        *("--right", "system.api.event.get", "--group", "editors", "--group", "night watch"),
        *("--name", "Bert B", "--password-stdin"),
        password="a secret with blanks ",
    )
    assert made.returncode == 0, made.stderr
    answer, token = sign_in(server, "bert", "a secret with blanks ")
    session = answer.json()
    assert session["user"]["user"]["_generated_displayname"] == "Bert B"
    assert session["system_rights"] == {"system.api.event.get": {}}
    assert {group["group"]["name"] for group in session["groups"]} == {"editors", "night watch"}
    params = {"token": token}
    assert server.get("/event/list", params=params).status_code == 200
    revoked = user(file, "rights", "bert", "--revoke", "system.api.event.get")
    assert (revoked.returncode, revoked.stdout) == (0, "bert has no rights.\n")
    assert server.get("/event/list", params=params).json()["code"] == "error.user.no_system_right"


def test_a_changed_password_ends_the_sessions(file: str, server: httpx.Client) -> None:
    """A changed password ends all sessions of the user, and only the new one is valid."""
    tokens = [sign_in(server, "anna", "first-secret")[1] for _ in range(2)]
    changed = user(file, "passwd", "anna", "--password-stdin", password="second-secret")
    assert changed.stdout == "Changed the password of anna; sessions ended: 2.\n"
    for token in tokens:
        answer = server.get("/event/list", params={"token": token})
        assert answer.json()["code"] == "error.user.not_authenticated"
    assert sign_in(server, "anna", "first-secret")[0].json()["code"] == "error.user.login_failed"
    assert sign_in(server, "anna", "second-secret")[0].status_code == 200


def test_a_removed_user_is_signed_out(file: str, server: httpx.Client) -> None:
    """Removing a user ends its sessions; its events remain, and its id is not reused."""
    user(file, "add", "bert", "--password-stdin", password="x")
    _, token = sign_in(server, "bert", "x")
    assert user(file, "remove", "bert").returncode == 0
    answer = server.get("/event/poll", params={"token": token})
    assert answer.json() == []
    assert sign_in(server, "bert", "x")[0].json()["code"] == "error.user.login_failed"
    user(file, "add", "carla", "--password-stdin", password="y")
    with sqlite3.connect(file) as database:
        ((carla,),) = database.execute("SELECT id FROM _user WHERE login = 'carla'").fetchall()
        owned = database.execute("SELECT count(*) FROM _event WHERE user_id = ?", (carla,)).fetchall()
        left = database.execute(
            "SELECT type FROM _event WHERE user_displayname = 'bert' ORDER BY id"
        ).fetchall()
    database.close()
    assert owned == [(0,)]
    assert left == [("USER_LOGIN",), ("USER_LOGOUT",)]


def test_a_blocked_login_opens_with_a_new_password(file: str, server: httpx.Client) -> None:
    """A new password unblocks the login."""
    for _ in range(50):
        if sign_in(server, "anna", "guess")[0].json()["code"] == "error.user.login_disabled_to":
            break
    else:
        pytest.fail("Fifty wrong passwords have not blocked the log-in.")
    user(file, "passwd", "anna", "--password-stdin", password="new")
    assert sign_in(server, "anna", "new")[0].status_code == 200


def test_list_shows_rights_and_groups(file: str) -> None:
    """Each user is a line with tab-separated cells."""
    user(file, "add", "bert", "--group", "editors", "--password-stdin", password="x")
    assert user(file, "groups", "bert", "--join", "readers", "--leave", "editors").stdout == "readers\n"
    assert user(file, "list").stdout.splitlines() == [
        "LOGIN\tTYPE\tNAME\tRIGHTS\tGROUPS",
        "anna\teasydb\tanna\tsystem.root\t-",
        "bert\teasydb\tbert\t-\treaders",
    ]


REFUSALS = (
    (("add", "anna", "--password-stdin"), 1, "There is a user anna already."),
    (("add", "bert", "--password-stdin", "--right", "system.nonsense"), 2, "invalid choice"),
    (("add", "", "--password-stdin"), 2, "no name"),
    (("add", "bert"), 1, "--password-stdin"),
    (("passwd", "nobody", "--password-stdin"), 1, "There is no user nobody."),
    (("rights", "nobody"), 1, "There is no user nobody."),
    (("rights", "anna", "--grant", "everything"), 2, "invalid choice"),
    (("rights", "anna", "--revoke", "system.root"), 1, "the last user with the right system.root"),
    (("remove", "anna"), 1, "the last user with the right system.root"),
    (("nonsense",), 2, "usage: cdb-server user"),
)


@pytest.mark.parametrize(("arguments", "code", "message"), REFUSALS, ids=lambda value: str(value)[:40])
def test_refusals(file: str, arguments: tuple[str, ...], code: int, message: str) -> None:
    """A refusal has a sentence and an exit code, changes nothing, and does not show the password."""
    before = rows(file)
    done = user(file, *arguments, password="a-secret-nobody-sees")
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "a-secret-nobody-sees" not in done.stdout + done.stderr
    assert rows(file) == before


def test_an_empty_password_is_refused(file: str) -> None:
    """A user without a password could not sign in."""
    done = user(file, "passwd", "anna", "--password-stdin", password="")
    assert (done.returncode, done.stderr) == (1, "cdb-server: The password is empty.\n")


def test_a_mistyped_database_is_not_created(tmp_path: Path) -> None:
    """Only `add` creates a database, and its first user gets every right."""
    missing = str(tmp_path / "missing.sqlite")
    done = user(missing, "list")
    assert (done.returncode, done.stderr) == (1, f"cdb-server: There is no database {missing}.\n")
    assert not Path(missing).exists()
    first = user(missing, "add", "bert", "--password-stdin", password="x")
    assert (first.returncode, first.stderr) == (
        1,
        "cdb-server: The first user needs the right system.root.\n",
    )


def test_passwords_are_hashed_at_the_usual_cost(file: str) -> None:
    """Passwords are hashed with argon2id and default parameters, and are not stored in plain text."""
    with sqlite3.connect(file) as database:
        ((hashed,),) = database.execute("SELECT password_hash FROM _user").fetchall()
    database.close()
    assert hashed.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert all(b"first-secret" not in each.read_bytes() for each in Path(file).parent.iterdir())


@pytest.mark.parametrize(("again", "code"), [("typed-secret", 0), ("mistyped", 1)])
def test_the_prompt_shows_nothing_of_what_is_typed(file: str, again: str, code: int) -> None:
    """At a terminal the password is entered twice without echo."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "user", "passwd", "anna", "--database", file],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as child:
        os.close(theirs)
        shown = _until(ours, b"Password of anna: ")
        os.write(ours, b"typed-secret\n")
        shown += _until(ours, b"again: ")
        os.write(ours, f"{again}\n".encode())
        shown += _until(ours, b".\r\n")
        assert child.wait(20) == code
    os.close(ours)
    assert b"secret" not in shown
    assert (b"differ" in shown) == bool(code)


def _until(terminal: int, end: bytes) -> bytes:
    shown = b""
    while not shown.endswith(end):
        shown += os.read(terminal, 1024)
    return shown
