"""Runs the server as a process and calls it over HTTP as fast as possible."""

import http.client
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.server_process import ServerProcess

_OPTIONS = ("--port", "0", "--exit-with-stdin", "--demo", "--demo-events", "10")


class Client:
    """One session of root on one persistent connection, for use in one thread."""

    def __init__(self, base: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)
        self._token: str | None = None
        self._token = self.call("GET", "session")["token"]
        signed_in = self.call("POST", "session/authenticate", login="root", password="admin")
        self.first_cursor: int = signed_in["current_max_event_id"]

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Returns the decoded response; raises OSError or HTTPException if the server is gone."""
        sent = query | {"pretty": 0} | ({"token": self._token} if self._token else {})
        content = None if body is None else json.dumps(body)
        self._connection.request(method, f"/api/v1/{path}?{urlencode(sent)}", content)
        answer = self._connection.getresponse()
        decoded = json.loads(answer.read())
        assert answer.status == 200, decoded
        return decoded

    def insert(self, number: int) -> int:
        """Inserts an event with a number; returns its id."""
        event = {"type": "SEARCH", "object_id": number, "info": {"filling": "x" * (number % 500)}}
        return int(self.call("POST", "event", event)["event"]["_id"])

    def poll(self, cursor: int) -> list[int]:
        """Returns the ids after a cursor that are visible to this session."""
        return [record["event"]["_id"] for record in self.call("GET", f"event/poll/{cursor}", limit=0)]


@dataclass
class Running:
    """A server process; its clients are closed with it."""

    child: ServerProcess
    base: str
    clients: list[Client] = field(default_factory=list)

    def client(self) -> Client:
        """Returns a client with a new session of root."""
        self.clients.append(Client(self.base))
        return self.clients[-1]

    def kill(self) -> None:
        """Kills all processes of the server with SIGKILL, the one that watches the others first."""
        workers = worker_ids(self.child.pid)
        self.child.kill()
        for worker in workers:
            with suppress(ProcessLookupError):  # It ends itself without the first one.
                os.kill(worker, signal.SIGKILL)


def worker_ids(server: int) -> list[int]:
    """The ids of the worker processes of a server, none if it is one process in all; needs Linux."""
    found = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [int(id_) for id_ in found if b"spawn_main" in Path(f"/proc/{id_}/cmdline").read_bytes()]


@contextmanager
def running(url: str, workers: int = 1) -> Iterator[Running]:
    """A server on a database with some demo events."""
    command = [*_OPTIONS, "--database", url, "--workers", str(workers)]
    with TemporaryFile("w+") as errors, ServerProcess(command, errors) as child:
        server = Running(child, child.stdout.readline().removeprefix("Listening on ").strip())
        errors.seek(0)
        assert server.base, errors.read()
        try:
            yield server
        finally:
            for client in server.clients:
                client.close()
            child.stdin.close()
            child.wait(20)
