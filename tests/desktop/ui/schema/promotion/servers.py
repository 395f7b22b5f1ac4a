"""Two servers of both generations with the same model in different ids, and connections to them."""

import subprocess
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from cdb_desktop.client import Client
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.ui.schema.promotion.other_connection import OtherConnection
from tests.desktop.schema.diff.pairs import renumbered
from tests.server import address, started
from tests.server_process import ServerProcess

DEMO = ("--demo", "--demo-events", "10")


@dataclass(frozen=True)
class Servers:
    """Their addresses, and the password of root at ``production``; at ``test`` it is that of the demo."""

    test: str
    production: str
    password: str


@dataclass(frozen=True)
class Connections:
    """Connections by name; the password of one is stored."""

    addresses: dict[str, str]

    def profiles(self) -> list[OtherConnection]:
        return [OtherConnection(name, name, address, "#14703A") for name, address in self.addresses.items()]

    async def password(self, key: str) -> str:
        return "" if key == "test" else "admin"

    def open(self, key: str, password: str) -> AbstractAsyncContextManager[Client]:
        return self._open(self.addresses[key], password)

    @asynccontextmanager
    async def _open(self, address: str, password: str) -> AsyncIterator[Client]:
        async with Client(address) as client:
            await client.authenticate("root", password)
            yield client


@asynccontextmanager
async def two_servers(folder: Path) -> AsyncIterator[Servers]:
    """A demo of generation 5, and a server of generation 6 with its CURRENT in other ids."""
    options = ["--generation", "6", "--port", "0", "--database", str(folder / "production.sqlite")]
    options.append("--exit-with-stdin")
    with (
        started(folder / "test.sqlite", *DEMO) as (_, test),
        ServerProcess(options, errors=subprocess.PIPE) as process,
    ):
        assert process.stderr is not None
        password = process.stderr.readline().partition("root password: ")[2].strip()
        production = address(process)
        async with Client(test) as source, Client(production) as target:
            await source.authenticate("root", "admin")
            await target.authenticate("root", password)
            current = read_document(await source.schema("CURRENT"))
            raw = write_document(renumbered(current, Random(1)))
            await target.update_schema({**raw, "version": 1})
            await target.commit_schema()
        yield Servers(test, production, password)
