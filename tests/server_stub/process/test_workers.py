"""The worker processes of a server and their supervisor."""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
import uvicorn
from uvicorn.supervisors import Multiprocess

from server_stub.process import serving
from tests.server_process import ServerProcess
from tests.server_stub.command import running, signal_end
from tests.server_stub.endurance.process import worker_ids

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

# Less than uvicorn waits for a worker, and much more than it takes to replace one on a busy machine.
_BUSY_SECONDS = 20.0


def _wait_until_ready(base: str) -> None:
    assert httpx.get(f"{base}/api/v1/ready", timeout=60).status_code == 200


def _workers(child: ServerProcess, count: int) -> list[int]:
    while len(found := worker_ids(child.pid)) < count:
        time.sleep(0.05)
    return found


def _ends_quietly(child: ServerProcess) -> None:
    """The only line is the password that a new database gets."""
    lines = signal_end(child).splitlines()
    assert [line for line in lines if not line.startswith("root password: ")] == []


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with two workers, which ends quietly."""
    file = tmp_path_factory.mktemp("workers") / "a.sqlite"
    with running("--database", str(file), "--workers", "2") as (child, base):
        _wait_until_ready(base)
        yield child
        _ends_quietly(child)


def test_workers_are_given_no_empty_variable(served: ServerProcess) -> None:
    """Windows has none: there a worker would not find it."""
    for worker in _workers(served, 2):
        given = Path(f"/proc/{worker}/environ").read_bytes().split(b"\0")
        ours = [each.partition(b"=")[2] for each in given if each.startswith(b"CDB_SERVER_")]
        assert ours
        assert all(ours)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGSTOP, marks=pytest.mark.long), signal.SIGKILL])
def test_a_worker_that_ends_or_is_frozen_is_replaced(served: ServerProcess, number: signal.Signals) -> None:
    """The other one goes on."""
    before = _workers(served, 2)
    time.sleep(2.0)  # The supervisor has looked: the worker does not count as one that starts.
    os.kill(before[0], number)
    began = time.monotonic()
    while len(now := set(worker_ids(served.pid))) < 2 or before[0] in now:
        time.sleep(0.05)
    assert time.monotonic() < began + _BUSY_SECONDS
    assert before[1] in now


class _Worker:
    """A worker without a process, as its supervisor sees it; `is_alive` until it is killed."""

    def __init__(self, pid: int, *, serves: bool) -> None:
        self.pid = pid
        self.process = self
        self.parent_conn, self._end = multiprocessing.Pipe()
        self.child_conn = multiprocessing.Pipe()[0]
        self.serves = serves
        self.lives = True
        self.exitcode: int | None = None

    def answer(self) -> None:
        self._end.send(self.serves)

    def is_alive(self) -> bool:
        return self.lives

    def kill(self) -> None:
        self.lives = False

    def join(self) -> None:
        pass


_FAILING_APP = """
import socket
import sys
from pathlib import Path

import uvicorn

from server_stub.process import serving

BROKEN = Path(__file__).with_name("broken")


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup." + ("failed" if BROKEN.exists() else "complete")})
        await receive()
    else:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body"})


if __name__ == "__main__":
    bound = socket.create_server(("127.0.0.1", 0))
    print(bound.getsockname()[1], flush=True)
    serving._Supervisor(uvicorn.Config("failing:app", workers=2), [bound]).run()
"""


def test_a_worker_that_cannot_start_does_not_end_the_server(tmp_path: Path) -> None:
    """Its failure may pass, as that of a database, and the others go on serving."""
    (tmp_path / "failing.py").write_text(_FAILING_APP)
    path = os.pathsep.join([str(tmp_path), str(Path.cwd())])
    errors = tmp_path / "errors"

    def wait_for_workers(count: int, besides: Collection[int] = ()) -> list[int]:
        while errors.read_text().count("startup complete") < count:
            assert child.poll() is None, errors.read_text()
            time.sleep(0.05)
        return [each for each in worker_ids(child.pid) if each not in besides]

    with (
        errors.open("w") as log,
        subprocess.Popen(
            [sys.executable, "failing.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=log,
        ) as child,
    ):
        assert child.stdout is not None
        base = f"http://127.0.0.1:{int(child.stdout.readline())}"
        try:
            killed, _other = before = wait_for_workers(2)
            (tmp_path / "broken").touch()
            os.kill(killed, signal.SIGKILL)
            while "has not started" not in errors.read_text():
                assert child.poll() is None, errors.read_text()
                time.sleep(0.05)
            assert httpx.get(base, timeout=60).status_code == 200
            (tmp_path / "broken").unlink()
            assert wait_for_workers(3, besides=before)
        finally:
            child.send_signal(signal.SIGTERM)


def test_which_workers_count_as_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that served and are silent for some seconds; one that starts has more time."""
    clock = 100.0
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(serving, "time", SimpleNamespace(monotonic=lambda: clock))
    monkeypatch.setattr(Multiprocess, "keep_subprocess_alive", lambda _: None)
    supervisor = serving._Supervisor(uvicorn.Config("none"), [])
    good, frozen, starting = workers = [
        _Worker(1, serves=True),
        _Worker(2, serves=True),
        _Worker(3, serves=False),
    ]
    supervisor.processes = cast("list[Any]", workers)
    lived = []
    for second in range(40):
        clock += 1
        good.answer()
        if second < 2:
            frozen.answer()
        starting.answer()
        supervisor.keep_subprocess_alive()
        lived.append([each.lives for each in workers])
    assert [list(each).index(False) for each in list(zip(*lived, strict=True))[1:]] == [6, 31]
    assert good.lives
    frozen.lives = True
    both: list[Any] = [good, frozen]
    supervisor.processes = both
    clock += 100  # The whole machine was frozen.
    supervisor.keep_subprocess_alive()
    assert good.lives


@pytest.mark.parametrize("restarts", [1, pytest.param(20, marks=pytest.mark.long)])
def test_no_call_fails_while_workers_are_replaced(tmp_path: Path, restarts: int) -> None:
    """Also one on a connection that was open before, and all are counted; SIGHUP loads the program anew."""
    arguments = ("--demo", "--demo-events", "10", "--workers", "2", "--metrics", "0")
    file = str(tmp_path / "a.sqlite")
    with running("--database", file, *arguments) as (child, base), ThreadPoolExecutor() as clients:
        assert child.stderr is not None
        metrics = child.stderr.readline().split()[-1]
        _wait_until_ready(base)
        token = httpx.get(f"{base}/api/v1/session").json()["token"]
        login = {"login": "root", "password": "admin"}
        httpx.post(f"{base}/api/v1/session/authenticate", params={"token": token}, data=login)
        ended = threading.Event()
        inserting = [clients.submit(_insert_until, ended, base, token) for _ in range(4)]
        for _ in range(restarts):
            before = _workers(child, 2)
            child.send_signal(signal.SIGHUP)
            while len(now := set(worker_ids(child.pid))) != 2 or not now.isdisjoint(before):
                time.sleep(0.05)
        ended.set()
        inserted = sum(call.result() for call in inserting)
        listed = httpx.get(f"{base}/api/v1/event/list?token={token}&type=SEARCH&limit=1").json()
        assert listed["count"] == inserted > 0
        counted = 'cdb_call_seconds_count{method="POST",path="/api/v1/event",status="200"}'
        assert f"{counted} {inserted:.1f}\n" in httpx.get(metrics).text
        _ends_quietly(child)


def _insert_until(ended: threading.Event, base: str, token: str) -> int:
    """Inserts events on a connection that stays open as long as the server lets it; returns how many."""
    client = HTTPConnection(base.rpartition("/")[2])
    count = 0
    while not ended.wait(0.05):
        client.request("POST", f"/api/v1/event?token={token}", '{"type": "SEARCH"}')
        answer = client.getresponse()
        answer.read()
        assert answer.status == 200
        count += 1
    client.close()
    return count


def test_no_worker_outlives_its_supervisor(tmp_path: Path) -> None:
    """Neither one that serves a call, nor one that waits for its database."""
    with running("--database", str(tmp_path / "a.sqlite"), "--workers", "2") as (child, base):
        _wait_until_ready(base)
        workers = _workers(child, 2)
        with socket.create_connection(("127.0.0.1", int(base.rpartition(":")[2]))) as calling:
            # The rest of the body never comes, so that the call does not end.
            calling.sendall(b"POST /api/v1/event HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            time.sleep(0.2)
            child.kill()
            began = time.monotonic()
            while any(_is_running(worker) for worker in workers):
                time.sleep(0.02)
            assert time.monotonic() < began + _BUSY_SECONDS
        print(f"the workers ended after {time.monotonic() - began:.2f} s")  # noqa: T201


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
