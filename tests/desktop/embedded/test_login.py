"""Tests of the random log-in, against the real server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from contextlib import suppress
from pathlib import Path

from cdb_desktop.client import Client
from cdb_desktop.embedded import EmbeddedServer, Phase, open_demo_folder
from cdb_desktop.embedded.login import random_login
from tests.desktop.patience import until


def test_no_two_log_ins_are_alike_and_none_shows_its_password() -> None:
    """Neither in a repr nor anywhere but on the server's first line of input."""
    first, second = random_login(), random_login()
    assert first.name != second.name
    assert first.password != second.password
    assert first.password not in repr(first)
    assert json.loads(first.line()) == {"login": first.name, "password": first.password}


async def test_it_signs_in_and_does_so_after_a_restart(tmp_path: Path) -> None:
    """With every right; the restarted server is told the same log-in, so that it can be used again."""
    phases: list[Phase] = []
    async with EmbeddedServer(open_demo_folder(tmp_path)) as server, Client(await server.url()) as client:
        session = await client.authenticate(server.login.name, server.login.password)
        assert "system.root" in session.system_rights
        watching = asyncio.ensure_future(server.watch(phases.append))
        await asyncio.sleep(0)
        pid = server.pid
        os.kill(pid, signal.SIGKILL)
        await until(lambda: server.pid != pid)
        await server.url()
        again = await client.authenticate(server.login.name, server.login.password)
        assert again.user == session.user
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
    kept = _contents(tmp_path)
    assert b"_event" in kept
    assert server.login.password.encode() not in kept


def _contents(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())
