"""Databases to copy, what is in them, and commands that are killed."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import httpx

from server_stub.backup.contents import Summary, stored_tables
from server_stub.database import open_database
from tests.server_process import ServerProcess

EVENTS = 6_000
_SECONDS = 60


def contents(url: str) -> dict[str, Summary]:
    """Rows and checksum of every table of a database."""
    database = open_database(url)
    try:
        with database.snapshot() as connection:
            return {table.name: table.summary(connection) for table in stored_tables(connection)}
    finally:
        database.close()


def changed(before: dict[str, Summary], after: dict[str, Summary]) -> set[str]:
    """The names of the tables that differ."""
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def kill_when(is_due: Callable[[], bool], *arguments: str) -> None:
    """Runs a command and kills it as soon as something is the case, which must be before it ends."""
    with ServerProcess(arguments) as child:
        deadline = time.monotonic() + _SECONDS
        while not is_due():
            assert child.poll() is None, "the command ended first"
            assert time.monotonic() < deadline
        child.kill()
        assert child.wait(20) == -9


class SignedIn:
    """Calls a server as one of its users."""

    def __init__(self, url: str, login: str, password: str) -> None:
        self._client = httpx.Client(base_url=f"{url}/api/v1", trust_env=False, timeout=60)
        token = self._client.get("/session").json()["token"]
        self._token = {"token": token}
        form = {"login": login, "password": password}
        answer = self._client.post("/session/authenticate", params=self._token, data=form)
        assert answer.status_code == 200, answer.text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str, **query: Any) -> Any:
        """The answer of a call that succeeds."""
        answer = self._client.get(path, params=query | self._token)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def insert(self, number: int) -> httpx.Response:
        """Inserts an event with a number in it."""
        event = {"event": {"type": "SEARCH", "info": {"number": number}}}
        return self._client.post("/event", params=self._token, json=event)

    def events(self, last: int) -> list[dict[str, Any]]:
        """All full records up to an id, oldest first, without what depends on the caller."""
        found: list[dict[str, Any]] = []
        while True:
            query = {"limit": 1000, "offset": len(found), "sort": "_id.ASC", "format": "json_full"}
            page = [one for one in self.get("/event/list", **query)["objects"] if one["event"]["_id"] <= last]
            found += page
            if len(page) < 1000:
                return found


def folder_of(file: Path) -> set[str]:
    """The names of the files beside a file."""
    return {each.name for each in file.parent.iterdir()}
