"""Tests of the embedded server, its command line and its login."""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import pytest

from cdb_desktop.client import Client
from cdb_desktop.embedded import EmbeddedServer, Phase, ServerLostError, open_demo_folder
from cdb_desktop.embedded import server as server_module
from cdb_desktop.embedded.server import random_login, server_command
from cdb_desktop.foundation.files import Report
from tests.desktop.embedded.builders import stand_in
from tests.desktop.patience import until


def test_logins_are_unique_and_hide_their_passwords() -> None:
    """The password is in no repr, only on the server's first line of input."""
    first, second = random_login(), random_login()
    assert first.name != second.name
    assert first.password != second.password
    assert first.password not in repr(first)
    assert json.loads(first.line()) == {"login": first.name, "password": first.password}


async def test_it_signs_in_also_after_a_restart(tmp_path: Path, reports: list[Report]) -> None:
    """The user has every right; a dead server is restarted at the same address with the same login.

    Damaged files are set aside, and the demo has new data.
    """
    phases: list[Phase] = []
    for name in ("demo.sqlite", "in-use", "server.log"):
        (tmp_path / name).write_bytes(Random(2).randbytes(3_000))

    def command(database: Path, port: int) -> list[str]:
        return [*server_command(database, port), "--demo-events", "200"]

    folder = open_demo_folder(tmp_path)
    async with EmbeddedServer(folder, command) as server, Client(await server.url()) as client:
        assert [one.path.name for one in reports] == ["demo.sqlite"]
        session = await client.authenticate(server.login.name, server.login.password)
        assert "system.root" in session.system_rights
        watching = asyncio.ensure_future(server.watch(phases.append))
        await asyncio.sleep(0)
        pid = server.pid
        os.kill(pid, signal.SIGKILL)
        await until(lambda: phases == ["restarting", "running"])
        assert server.pid != pid
        assert await server.url() == client.address
        again = await client.authenticate(server.login.name, server.login.password)
        assert again.user == session.user
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
    contents = _contents(tmp_path)
    assert b"_event" in contents
    assert server.login.password.encode() not in contents


def _contents(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_in_a_bundle_the_neighboring_program_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen program has no interpreter; the server is in the same folder."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "cdb-desktop"))
    command = server_command(tmp_path / "demo.sqlite", 4711)
    assert Path(command[0]).parent == tmp_path
    assert Path(command[0]).stem == "cdb-server"
    assert command[command.index("--port") + 1] == "4711"


async def test_it_listens_inside_the_block_only(tmp_path: Path) -> None:
    """The folder is free afterwards."""
    async with EmbeddedServer(open_demo_folder(tmp_path), stand_in()) as server:
        url = await server.url()
        host, port = url.removeprefix("http://").split(":")
        _reader, writer = await asyncio.open_connection(host, int(port))
        writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, int(port))
    with open_demo_folder(tmp_path) as folder:
        assert not folder.is_copy


async def test_a_server_that_does_not_start_is_reported(tmp_path: Path) -> None:
    """The error names the file with the server's messages."""
    folder = open_demo_folder(tmp_path)
    async with EmbeddedServer(folder, stand_in("mute")) as server:
        with pytest.raises(ServerLostError) as lost:
            await server.url()
    assert lost.value.log == folder.log


async def test_a_server_that_dies_repeatedly_is_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are as many restarts in a minute as there are pauses."""
    monkeypatch.setattr(server_module, "_DELAYS", (0.0, 0.0))
    phases: list[Phase] = []
    async with EmbeddedServer(open_demo_folder(tmp_path), stand_in()) as server:
        await server.url()
        watching = asyncio.ensure_future(server.watch(phases.append))
        while not watching.done():
            await asyncio.sleep(0)
            count = len(phases)
            os.kill(server.pid, signal.SIGKILL)
            await until(partial(_has_settled, watching, phases, count))
        with pytest.raises(ServerLostError):
            await watching
    assert phases == ["restarting", "running"] * 2 + ["restarting"]


def _has_settled(watching: asyncio.Future[None], phases: list[Phase], count: int) -> bool:
    return watching.done() or (len(phases) > count and phases[-1] == "running")
