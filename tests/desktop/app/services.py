"""Reference servers as separate processes, which a test can stop and restart, and keyrings."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from tests.server import address, start
from tests.server_process import ServerProcess

_EVENTS = "200"


class MemoryKeyring(KeyringBackend):
    """A keyring in memory; ``passwords`` is by (service, user), ``written`` all that were ever stored."""

    priority = 5.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.passwords: dict[tuple[str, str], str] = {}
        self.written: list[str] = []

    def get_password(self, service: str, username: str) -> str | None:
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.passwords[service, username] = password
        self.written.append(password)

    def delete_password(self, service: str, username: str) -> None:
        if self.passwords.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


class Service:
    """A server with demo data in ``folder``; ``url`` stays the same when it is restarted."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._options = options
        self._process: ServerProcess | None = None
        self.url = ""

    def start(self, database: str = "demo.sqlite") -> None:
        """Starts it, on the same port as before."""
        port = urlsplit(self.url).port if self.url else 0
        demo = ("--demo", "--demo-events", _EVENTS)
        self._process = start(self._folder / database, "--port", str(port), *demo, *self._options)
        self.url = address(self._process)

    def pause(self) -> None:
        """Suspends the process: its port accepts connections, but nothing is answered."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        """Ends it, even if it is suspended."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@contextmanager
def service(folder: Path, *options: str) -> Iterator[Service]:
    """A running server, for the length of a block."""
    running = Service(folder, *options)
    running.start()
    try:
        yield running
    finally:
        running.stop()
