"""Streams of a server with several processes, and their end."""

import json
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.demo_files import create_demo
from tests.server import address
from tests.server_process import ServerProcess


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.long), "2"])
def test_streams_of_all_workers_bring_the_same_and_end_with_the_server(tmp_path: Path, workers: str) -> None:
    """Whichever process has written; the log has no token, even where it has everything else."""
    file = tmp_path / "demo.sqlite"
    create_demo(file, 10)
    options = ["--generation", "6", "--log-level", "DEBUG", "--workers", workers, "--exit-with-stdin"]
    command = ["--port", "0", "--database", str(file), *options]
    with (tmp_path / "log").open("w+") as errors, ServerProcess(command, errors) as process:
        url = address(process)
        given = {"grant_type": "password", "client_id": "web-client", "username": "root", "password": "admin"}
        token = httpx.post(f"{url}/api/oauth2/token", data=given, timeout=60).json()["access_token"]
        header = {"Authorization": f"Bearer {token}"}
        wanted = url.replace("http", "ws", 1) + f"/api/v1/event/stream?access_token={token}"
        with ExitStack() as open_streams:
            streams = [
                open_streams.enter_context(connect(wanted, additional_headers=header, proxy=None))
                for _ in range(6)
            ]
            event = {"event": {"type": "SEARCH", "pollable": True}}
            ids = [
                httpx.post(f"{url}/api/v1/event", json=event, headers=header).json()["event"]["_id"]
                for _ in range(6)
            ]
            for stream in streams:
                assert [json.loads(stream.recv(60))["event"]["_id"] for _ in ids] == ids
            process.stdin.close()
            codes = []
            for stream in streams:
                with pytest.raises(ConnectionClosed) as ended:
                    stream.recv(60)
                codes.append(ended.value.rcvd and ended.value.rcvd.code)
            assert codes == [1012] * 6
        assert process.wait(60) == 0
        errors.seek(0)
        log = errors.read()
    assert token not in log
    assert "Traceback" not in log
