"""A reference server that can be killed and comes back at its address."""

from pathlib import Path
from types import TracebackType
from typing import Self

from tests.server import address, start


class Server:
    """The process and its address; the data survives it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._port = "0"
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def url(self) -> str:
        """The address, also after a restart."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts it with demo data and returns when it listens."""
        demo = ("--demo", "--demo-events", "200")
        self._process = start(self._database, "--port", self._port, *demo)
        self._port = address(self._process).rpartition(":")[2]

    def kill(self) -> None:
        """Kills it."""
        self._process.kill()
        self._process.communicate()
