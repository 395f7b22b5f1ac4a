"""Servers on which commits are rehearsed: empty ones, or with a copy of the demo's database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from cdb_desktop.client import Client
from cdb_desktop.embedded import (
    EmbeddedServer,
    ServerFolder,
    open_rehearsal_folder,
    read_stored_rows,
    rehearsal_command,
)
from cdb_desktop.schema.commit.rehearsal import RehearsalServer


@asynccontextmanager
async def rehearsal_server(database: Path | None) -> AsyncIterator[RehearsalServer]:
    """Starts a server in a temporary folder, with a copy of ``database`` if there is one.

    At the end it is stopped and its folder removed. Raises OSError, ServerLostError, ClientError.
    """
    opening = asyncio.ensure_future(asyncio.to_thread(open_rehearsal_folder, database))
    try:
        folder = await asyncio.shield(opening)
    except asyncio.CancelledError:
        # The copy cannot be stopped, and its folder must not stay.
        opening.add_done_callback(_close)
        raise
    try:
        server = EmbeddedServer(folder, rehearsal_command)
    except OSError:
        folder.close()
        raise
    async with server, Client(await server.url()) as client:
        await client.authenticate(server.login.name, server.login.password)
        has_rows = database is not None
        yield RehearsalServer(client, partial(_read_rows, folder.database) if has_rows else None)


async def _read_rows(database: Path, table: str, limit: int) -> list[dict[str, object]]:
    return await asyncio.to_thread(read_stored_rows, database, table, limit)


def _close(opened: asyncio.Future[ServerFolder]) -> None:
    if opened.exception() is None:
        opened.result().close()
