"""Tests of the server that is kept running."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from cdb_desktop.embedded import EmbeddedServer, Phase, ServerLostError, open_demo_folder
from cdb_desktop.embedded import server as server_module
from tests.desktop.embedded.builders import stand_in
from tests.desktop.patience import until


async def test_it_listens_inside_the_block_and_is_gone_after_it(tmp_path: Path) -> None:
    """The folder is free again as well."""
    async with EmbeddedServer(open_demo_folder(tmp_path), stand_in()) as server:
        url = await server.url()
        host, port = url.removeprefix("http://").split(":")
        _reader, writer = await asyncio.open_connection(host, int(port))
        writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, int(port))
    with open_demo_folder(tmp_path) as folder:
        assert not folder.is_copy


async def test_a_dead_server_comes_back_at_the_same_address(tmp_path: Path) -> None:
    """The client's base URL stays right, and whoever watches is told both."""
    phases: list[Phase] = []
    async with EmbeddedServer(open_demo_folder(tmp_path), stand_in()) as server:
        url = await server.url()
        watching = asyncio.ensure_future(server.watch(phases.append))
        await asyncio.sleep(0)
        os.kill(server.pid, signal.SIGKILL)
        await until(lambda: phases == ["restarting", "running"])
        assert await server.url() == url
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def test_a_server_that_does_not_start_is_told(tmp_path: Path) -> None:
    """The error names the file in which the server says why."""
    folder = open_demo_folder(tmp_path)
    async with EmbeddedServer(folder, stand_in("mute")) as server:
        with pytest.raises(ServerLostError) as lost:
            await server.url()
    assert lost.value.log == folder.log


async def test_a_server_that_dies_again_and_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After as many restarts in a minute as there are pauses between them it is over."""
    monkeypatch.setattr(server_module, "_DELAYS", (0.0, 0.0))
    phases: list[Phase] = []
    async with EmbeddedServer(open_demo_folder(tmp_path), stand_in()) as server:
        await server.url()
        watching = asyncio.ensure_future(server.watch(phases.append))
        while not watching.done():
            await asyncio.sleep(0)
            told = len(phases)
            os.kill(server.pid, signal.SIGKILL)
            await until(partial(_has_settled, watching, phases, told))
        with pytest.raises(ServerLostError):
            await watching
    assert phases == ["restarting", "running"] * 2 + ["restarting"]


def _has_settled(watching: asyncio.Future[None], phases: list[Phase], told: int) -> bool:
    return watching.done() or (len(phases) > told and phases[-1] == "running")
