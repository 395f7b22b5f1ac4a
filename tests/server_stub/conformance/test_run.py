"""`cdb-server conform` as a command: the reference server agrees, and what ends the command early."""

import json
import re
import socket
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import trustme

from server_stub.conformance.client import ServiceClient
from server_stub.conformance.event_checks import POLL
from server_stub.conformance.run import GROUPS, check_service
from server_stub.conformance.schema_checks import READ, SAVE
from server_stub.conformance.table import Group, Verdict, line_of
from tests.server import serving
from tests.server_stub.command import called, running, signal_end

USERS = {
    "root": "admin",
    "support": "support",
    "steward": "steward",
    "modeller": "modeller",
    "releaser": "releaser",
    "viewer": "viewer",
}
# How the tokens of the reference server look.
_TOKEN = r"(?<![\w-])[\w-]{43}(?![\w-])"
# wire §2: what the server writes by itself for sessions.
SESSION_EVENTS = {"USER_LOGIN", "USER_LOGOUT"}


def conform(url: str, login: str, password: str, *more: str) -> tuple[int, str, str]:
    """Exit code, output and messages of the command."""
    done = called("conform", url, "--login", login, "--password-stdin", *more, typed=f"{password}\n")
    return done.returncode, done.stdout, done.stderr


def agreeing(output: str) -> int:
    """The number of checks that agree, of all of at least 200; no check differs."""
    found = re.search(
        r"^(\d+) checks: (\d+) agree, (\d+) differ, (\d+) were not tried\.$", output, re.MULTILINE
    )
    assert found, output
    whole, agree, differ, not_tried = map(int, found.groups())
    assert differ == 0, "\n".join(line for line in output.splitlines() if line.startswith("differs"))
    assert whole == agree + not_tried >= 200
    return agree


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server with demo data as a process of its own, and its database file."""
    file = tmp_path_factory.mktemp("conformance") / "demo.sqlite"
    with serving(file, "--demo", "--demo-events", "2000") as url:
        yield url, file


@pytest.mark.parametrize(
    "login",
    [each if each == "root" else pytest.param(each, marks=pytest.mark.long) for each in USERS],
)
def test_demo(demo: tuple[str, Path], login: str) -> None:
    """The demo agrees with --write for every user; what the user may not do is not tried.

    Inserted events are deleted again if the user may, and every other event stays.
    """
    url, file = demo
    before = _stored(file).events
    code, output, errors = conform(url, login, USERS[login], "--write")
    least = {"root": 700, "steward": 640, "support": 580}.get(login, 320)
    assert (code, errors) == (0, "")
    assert agreeing(output) >= least
    after = _stored(file).events
    assert before.items() <= after.items()
    if login in ("root", "steward"):
        added = {after[each] for each in after.keys() - before.keys()}
        assert added == SESSION_EVENTS | {"LOGIN_FAILED"}
    else:
        assert "The log-in lacks the right system.api.event.delete." in output
        assert "still in the log" in output


def test_generation_6(demo: tuple[str, Path]) -> None:
    """A second server of the demo agrees in generation 6; one of generation 5 cannot be compared with it."""
    older, file = demo
    newer_checks = ("--generation", "6", "--write")
    before = _stored(file)
    with serving(file, "--generation", "6") as url:
        code, output, errors = conform(url, "root", "admin", *newer_checks)
        other, _, unknown = conform(url, "root", "admin", *newer_checks, "--client-id", "other")
    assert (other, "invalid_client" in unknown) == (2, True)
    assert (code, errors) == (0, "")
    assert re.search(r"^\d+ checks: 5\d agree, 0 differ, [0-2] were not tried\.$", output, re.MULTILINE)
    after = _stored(file)
    assert after.tables == before.tables
    added = {after.events[each] for each in after.events.keys() - before.events.keys()}
    assert added == SESSION_EVENTS | {"SERVER_START", "SERVER_SHUTDOWN"}
    code, _, errors = conform(older, "root", "admin", *newer_checks)
    assert (code, "The log-in failed." in errors) == (2, True)


def test_read_only(demo: tuple[str, Path], tmp_path: Path) -> None:
    """Without --write the demo agrees, and only sessions and their events are stored.

    The reports name the service, every check and the totals. Not even with every message logged a token or
    a password is written. --ca verifies the service; one whose certificate is not trusted is not called. The
    password is the first line of a file.
    """
    _, file = demo
    page, data, password = (tmp_path / name for name in ("report.html", "report.json", "password"))
    password.write_text("admin\nmore\n", encoding="utf-8")
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    issued.private_key_and_cert_chain_pem.write_to_path(tmp_path / "cert.pem")
    before = _stored(file)
    reports = ("--html", str(page), "--json", str(data))
    with serving(
        file, "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "cert.pem")
    ) as url:
        arguments = (
            "conform",
            f"{url}/api/v1/",
            "--login",
            "root",
            "--password-file",
            str(password),
            *reports,
        )
        done = called("--log-level", "DEBUG", *arguments, "--ca", str(tmp_path / "authority.pem"))
        code, output, errors = conform(url, "viewer", "viewer")
    assert (code, output) == (2, "")
    assert "The service cannot be reached" in errors
    assert "certificate" in errors.lower()
    assert done.returncode == 0
    assert agreeing(done.stdout) >= 300
    after = _stored(file)
    assert after.tables == before.tables
    assert before.events.items() <= after.events.items()
    added = {after.events[each] for each in after.events.keys() - before.events.keys()}
    assert added == SESSION_EVENTS | {"SERVER_START", "SERVER_SHUTDOWN"}
    report = json.loads(data.read_text(encoding="utf-8"))
    assert report["service"] == url
    assert sum(report["counts"].values()) == len(report["results"]) >= 200
    assert all(each["section"].startswith("§") for each in report["results"])
    html = page.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in html
    assert html.count("<tr><td class=") == len(report["results"])
    assert "http" not in html.replace(url, "").replace("http-equiv", "")
    for text in (done.stdout, done.stderr, html, data.read_text(encoding="utf-8")):
        assert "password=admin" not in text
        assert not re.search(_TOKEN, text)


class _Stored:
    """What a database file holds, except for sessions."""

    def __init__(self, database: sqlite3.Connection) -> None:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        # The counter of event ids follows the events, that of failed log-ins every log-in.
        left_out = {"_event", "_session", "_counter", "_login_throttle"}
        self.events = dict(database.execute("SELECT id, type FROM _event").fetchall())
        self.tables = {
            name: database.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608 - our own names
            for name in names
            if name not in left_out
        }


def _stored(file: Path) -> _Stored:
    database = sqlite3.connect(file)
    try:
        return _Stored(database)
    finally:
        database.close()


@pytest.mark.parametrize("groups", [(POLL, READ, SAVE), pytest.param(GROUPS, marks=pytest.mark.long)])
def test_empty_database(tmp_path: Path, groups: Sequence[Group]) -> None:
    """A server without any schema agrees and still has none afterwards."""
    file = tmp_path / "empty.sqlite"
    with running("--database", str(file)) as (child, url):
        assert child.stderr is not None
        password = child.stderr.readline().removeprefix("root password: ").strip()
        with ServiceClient(url) as client:
            report = check_service(client, "root", password, writes=True, show=lambda _: None, groups=groups)
        signal_end(child)
    assert [line_of(each) for each in report.results if each.verdict is Verdict.DIFFERS] == []
    assert report.counts[Verdict.AGREES] >= 20 * len(groups)
    assert _stored(file).tables["_schema_version"] == []


@pytest.mark.parametrize(
    ("url", "more", "sentence"),
    [
        ("ftp://127.0.0.1", (), "is not an address"),
        ("http://root:secret@127.0.0.1", (), "takes no user name"),
        ("http://127.0.0.1:99999", (), "is not an address"),
        ("https://127.0.0.1", ("--ca", "/no/such/file"), "cannot be read"),
        ("http://127.0.0.1", ("--html", "/no/such/folder/a.html"), "There is no folder"),
    ],
    ids=["scheme", "user", "port", "ca", "folder"],
)
def test_what_cannot_run(url: str, more: tuple[str, ...], sentence: str) -> None:
    """Wrong arguments end the command with 2 and one line."""
    code, output, errors = conform(url, "root", "admin", *more)
    assert (code, output) == (2, "")
    assert sentence in errors
    assert len(errors.splitlines()) == 1


def test_a_service_that_is_not_there() -> None:
    """A refused connection ends the command with 2."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        code, output, errors = conform(f"http://127.0.0.1:{unused.getsockname()[1]}", "root", "admin")
    assert (code, output) == (2, "")
    assert "The service cannot be reached" in errors


def test_a_wrong_password_from_a_file(demo: tuple[str, Path], tmp_path: Path) -> None:
    """A wrong one or a missing file ends the command with 2; the error is named and not the password."""
    url, _ = demo
    file = tmp_path / "password"
    for content, sentence in ((None, "cannot be read"), ("not-the-password\n", "error.user.login_failed")):
        if content is not None:
            file.write_text(content, encoding="utf-8")
        done = called("conform", url, "--login", "viewer", "--password-file", str(file))
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert sentence in done.stderr
        assert "not-the-password" not in done.stderr
