"""A server whose database cannot be written, on a real full or read-only file system, goes on reading."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.server_stub.command import called, running, signal_end

PASSWORD = "secret-of-root"
IS_ROOT = sys.platform == "linux" and os.geteuid() == 0


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A file system of 4 MB, or of as many as the parameter says."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={getattr(request, 'param', 4)}m", "tmpfs", str(folder)]
    if not IS_ROOT or subprocess.run(options, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Service:
    """The calls of one signed-in user to a server."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self.client = client
        self.token = token

    def sign_in(self) -> Service:
        """Signs in anew."""
        self.token = self.client.get("session").json()["token"]
        given = {"token": self.token, "login": "root", "password": PASSWORD}
        answer = self.client.post("session/authenticate", data=given)
        assert answer.status_code == 200, answer.text
        return self

    def insert(self, size: int = 10_000) -> httpx.Response:
        """Stores an event of about this many bytes."""
        body = {"type": "SEARCH", "info": {"text": "x" * size}}
        return self.client.post("event", params={"token": self.token}, json=body)

    def fill(self) -> int:
        """Stores events until that is refused; returns how many."""
        for count in range(5_000):
            answer = self.insert()
            if answer.status_code != 200:
                assert_refused(answer)
                return count
        raise AssertionError("the disk does not become full")

    def count(self) -> int:
        """The number of events in the log."""
        answer = self.client.get("event/list", params={"token": self.token, "limit": 10})
        assert answer.status_code == 200, answer.text
        return int(answer.json()["count"])

    def delete(self, count: int = 20) -> int:
        """Deletes the oldest events, twenty by default."""
        answer = self.client.delete("event", params={"token": self.token, "limit": count, "type": "SEARCH"})
        assert answer.status_code == 200, answer.text
        return int(answer.json()["count"])


Connect = Callable[..., Service]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Returns the calls to a server at an address, with the token of a session."""
    with ExitStack() as opened:

        def connected(base: str, token: str = "") -> Service:
            client = httpx.Client(base_url=f"{base}/api/v1", timeout=30, trust_env=False)
            return Service(opened.enter_context(client), token)

        yield connected


def assert_refused(answer: httpx.Response, words: str = "The disk of the database is ") -> None:
    """The answer is an error object with a uuid that says what is wrong."""
    assert answer.status_code == 500
    error = answer.json()
    assert error["code"] == "error.server.database"
    assert words in error["description"]
    assert error["uuid"]


def database(folder: Path) -> str:
    """A database with a user."""
    file = str(folder / "a.sqlite")
    options = ("--right", "system.root", "--password-stdin", "--database", file)
    assert called("user", "add", "root", *options, typed=f"{PASSWORD}\n").returncode == 0
    return file


def fill_with_something_else(folder: Path) -> None:
    """Leaves no byte on the disk."""
    with (folder / f"other{len(list(folder.iterdir()))}").open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


def test_a_full_disk(connect: Connect, disk: Path) -> None:
    """Lists and log-ins continue, a deletion makes room for new events, and the end is clean."""
    file = database(disk)
    with running("--database", file) as (child, base):
        service = connect(base).sign_in()
        stored = service.fill()
        assert stored > 50
        for _ in range(3):
            assert_refused(service.insert(30_000))
        before = service.count()
        assert service.client.get("settings").status_code == 200
        details = service.insert(30_000).json()["uuid"]
        report = service.client.get("server/error", params={"token": service.token, "uuid": details})
        assert report.status_code == 200
        again = connect(base).sign_in()
        assert again.delete() == 20
        assert service.insert().status_code == 200
        assert before - 20 < service.count() < before
        assert service.fill() > 3
        assert service.delete() == 20
        token = service.token
        signal_end(child)
    assert {each.name for each in disk.iterdir()} == {"a.sqlite"}
    with running("--database", file) as (child, base):
        assert connect(base, token).count() > 20
        assert connect(base).sign_in().delete() == 20
        signal_end(child)


@pytest.mark.parametrize("disk", [16], indirect=True)
def test_many_large_events_are_deleted_from_a_full_disk(connect: Connect, disk: Path) -> None:
    """In as many parts as fit into what is reserved; afterwards users log in, and events are stored again."""
    file = database(disk)
    with running("--database", file) as (child, base):
        service = connect(base).sign_in()
        while (answer := service.insert(30_000)).status_code == 200:
            pass
        assert_refused(answer, "The disk of the database is nearly full")
        assert service.client.get("ready").json()["disk"]["is_low"]
        fill_with_something_else(disk)
        assert service.delete(250) == 250
        assert (disk / "a.sqlite-reserve").stat().st_size >= 1 << 20
        assert connect(base).sign_in().insert(30_000).status_code == 200
        assert not service.client.get("ready").json()["disk"]["is_low"]
        signal_end(child)


def test_a_disk_that_others_have_filled(connect: Connect, disk: Path) -> None:
    """What is reserved lets users log in and delete; after a restart without any space, lists continue."""
    file = database(disk)
    with running("--database", file) as (child, base):
        service = connect(base).sign_in()
        for _ in range(40):
            assert service.insert().status_code == 200
        fill_with_something_else(disk)
        service.fill()
        assert service.count() > 40
        assert connect(base).sign_in().delete() == 20
        count, token = service.count(), service.token
        signal_end(child)
    fill_with_something_else(disk)
    with running("--database", file) as (child, base):
        service = connect(base, token)
        assert service.count() == pytest.approx(count, abs=2)
        assert_refused(service.insert(), "Start the server again")
        assert_refused(service.client.get("session"), "Start the server again")
        assert service.count() == pytest.approx(count, abs=2)
        errors = signal_end(child)
    assert "Warning: The database cannot be written" in errors or "Warning: The disk of the data" in errors


def test_a_killed_server_on_a_full_disk(connect: Connect, disk: Path) -> None:
    """After a kill the next start finds every event, and what was reserved."""
    file = database(disk)
    with running("--database", file) as (child, base):
        service = connect(base).sign_in()
        stored = service.fill()
        token = service.token
        child.kill()
    assert (disk / "a.sqlite-reserve").exists()
    fill_with_something_else(disk)
    with running("--database", file) as (child, base):
        service = connect(base, token)
        assert service.count() >= stored
        assert connect(base).sign_in().delete() == 20
        signal_end(child)


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
def test_a_file_that_may_not_grow(connect: Connect, tmp_path: Path) -> None:
    """With a limit to the size of files, lists continue; without it everything does."""
    import resource

    file = database(tmp_path)
    with running("--database", file) as (child, base):
        service = connect(base).sign_in()
        assert service.insert().status_code == 200
        before = resource.prlimit(child.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (700_000, before[1]))
        answers = [service.insert(30_000) for _ in range(60)]
        stored = sum(answer.status_code == 200 for answer in answers)
        assert 5 < stored < 60
        assert_refused(answers[-1], "its disk or quota is full")
        assert service.count() > stored
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, before)
        assert service.insert(30_000).status_code == 200
        assert service.delete() == 20
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (700_000, before[1]))
        signal_end(child)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """A folder in which nothing can be changed."""
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)


@pytest.mark.parametrize(("workers", "killed"), [("1", True), ("2", False)])
def test_a_read_only_disk(connect: Connect, disk: Path, workers: str, *, killed: bool) -> None:
    """The server starts, says so, and answers what it can read; what it would store is refused in words."""
    file = database(disk)
    with running("--database", file) as (child, base):
        service = connect(base).sign_in()
        assert service.insert().status_code == 200
        count, token = service.count(), service.token
        if killed:
            child.kill()
            child.wait(10)
        else:
            signal_end(child)
    with read_only(disk), running("--database", file, "--workers", workers) as (child, base):
        service = connect(base, token)
        assert abs(service.count() - count) <= 1
        assert service.client.get("settings").status_code == 200
        session = service.client.get("session", params={"token": token}).json()
        assert session["user"]["user"]["login"] == "root"
        assert_refused(service.insert(), "The database is read-only")
        assert_refused(service.client.get("session"), "The database is read-only")
        refused = service.client.delete("event", params={"token": token, "limit": 1})
        assert_refused(refused, "The database is read-only")
        assert service.count() in (count, count + 1)
        errors = signal_end(child)
    assert "The database is read-only: nothing can be stored." in errors
    with running("--database", file) as (child, base):
        assert connect(base, token).insert().status_code == 200
        signal_end(child)


def test_an_empty_read_only_database(disk: Path) -> None:
    """Without a user nobody could ever read it."""
    file = disk / "a.sqlite"
    with read_only(disk):
        result = called("--database", str(file), "--port", "0")
    assert result.returncode == 1
    assert "a.sqlite" in result.stderr
