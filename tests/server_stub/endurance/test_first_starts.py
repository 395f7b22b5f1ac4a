"""Servers that start at the same time on an empty PostgreSQL database."""

import re
import subprocess
from contextlib import ExitStack

import httpx
import pytest

from tests.server_process import ServerProcess
from tests.server_stub.endurance.store import PostgresqlStore

_SERVERS = 3
_LOGINS = "SELECT login FROM _user ORDER BY login"
_DEMO_USERS = [("modeller",), ("releaser",), ("root",), ("steward",), ("support",), ("viewer",)]


def _start(store: PostgresqlStore, *options: str) -> list[str]:
    """Starts the servers at the same time and ends them; returns what each wrote to standard error."""
    command = ["--port", "0", "--exit-with-stdin", "--database", store.url, *options]
    with ExitStack() as until_end:
        servers = [until_end.enter_context(ServerProcess(command, subprocess.PIPE)) for _ in range(_SERVERS)]
        for server in servers:
            until_end.callback(server.kill)
        urls = [server.stdout.readline().removeprefix("Listening on ").strip() for server in servers]
        for url in urls:
            assert httpx.get(f"{url}/api/v1/ready").json() == {"ready": True}
        errors = [server.communicate(60)[1] for server in servers]
        assert [server.returncode for server in servers] == [0] * _SERVERS
    return errors


def test_one_of_them_makes_the_first_user(postgresql: PostgresqlStore) -> None:
    """All of them serve, and the password of the only user is printed once."""
    printed = re.findall(r"^root password: \S+$", "".join(_start(postgresql)), re.MULTILINE)
    assert len(printed) == 1
    assert postgresql.rows(_LOGINS) == [("root",)]
    kinds = "SELECT type, count(*) FROM _event GROUP BY type ORDER BY type"
    assert postgresql.rows(kinds) == [("SERVER_SHUTDOWN", _SERVERS), ("SERVER_START", _SERVERS)]


@pytest.mark.timeout(300)
def test_one_of_them_makes_the_demo(postgresql: PostgresqlStore) -> None:
    """All of them serve the same demo data, which is written once."""
    assert "root password" not in "".join(_start(postgresql, "--demo", "--demo-events", "50"))
    assert [row for row in postgresql.rows(_LOGINS) if row in _DEMO_USERS] == _DEMO_USERS
    logins = [login for (login,) in postgresql.rows(_LOGINS)]
    assert len(logins) == len(set(logins))
    server_events = "SELECT count(*) FROM _event WHERE type = 'SERVER_START' AND id > 50"
    assert postgresql.rows(server_events) == [(_SERVERS,)]
    assert postgresql.rows("SELECT count(*) FROM _event WHERE id <= 50") == [(50,)]
    assert postgresql.rows("SELECT max(id) FROM _event") == postgresql.rows("SELECT value FROM _counter")
