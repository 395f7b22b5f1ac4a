"""The worker processes of a server and their supervisor."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.server_process import ServerProcess
from tests.server_stub.command import running, signal_end
from tests.server_stub.endurance.process import worker_ids

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

# More than uvicorn waits for a worker that does not answer, and than it takes to replace one that has ended.
_BUSY_SECONDS = 8.0


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


def test_workers_are_given_no_empty_variable(tmp_path: Path) -> None:
    """Windows has none: there a worker would not find it."""
    with running("--database", str(tmp_path / "a.sqlite"), "--workers", "2") as (child, base):
        _wait_until_ready(base)
        for worker in _workers(child, 2):
            given = Path(f"/proc/{worker}/environ").read_bytes().split(b"\0")
            ours = [each.partition(b"=")[2] for each in given if each.startswith(b"CDB_SERVER_")]
            assert ours
            assert all(ours)
        _ends_quietly(child)


def test_a_worker_that_ends_is_replaced_at_once(tmp_path: Path) -> None:
    """Even while the supervisor waits for its answer."""
    with running("--database", str(tmp_path / "a.sqlite"), "--workers", "2") as (child, base):
        _wait_until_ready(base)
        before = _workers(child, 2)
        os.kill(before[0], signal.SIGSTOP)
        time.sleep(1.0)
        os.kill(before[0], signal.SIGKILL)
        began = time.monotonic()
        while len(now := set(worker_ids(child.pid))) < 2 or before[0] in now:
            time.sleep(0.05)
        assert time.monotonic() < began + _BUSY_SECONDS
        assert before[1] in now
        _ends_quietly(child)
