"""Pictures over HTTP while Graphviz hangs: every session gets one, and other calls are answered meanwhile."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from server_stub.accounts import ROOT
from server_stub.database import open_database
from server_stub.process.composition import compose
from tests.contract.caller import Caller
from tests.contract.documents import column, schema, table
from tests.server_stub.command import running

_CALLERS = 14


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_sessions_get_pictures_while_graphviz_hangs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Different pictures for more sessions than may wait; lists are answered before the first limit."""
    (tmp_path / "dot").write_text("#!/bin/sh\nexec sleep 120\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    database = open_database(str(tmp_path / "data.sqlite"))
    users = compose(database, demo=True).users
    with database.write() as connection:
        users.add(connection, "root", "root", displayname="Root", rights=(ROOT,))
    database.close()
    with (
        running("--database", str(tmp_path / "data.sqlite")) as (_, base),
        httpx.Client(base_url=base, trust_env=False, timeout=60) as client,
    ):
        root = Caller(client).signed_in("root")
        for number in range(_CALLERS):
            head = root.get("schema/user/HEAD", format="json").json() if number else schema()
            head["tables"].append(table(f"table{number}", column("title")))
            assert root.post("schema/user/HEAD", head).status_code == 200
            assert root.post("schema/commit").status_code == 200
        callers = [Caller(client).signed_in("root") for _ in range(_CALLERS)]
        with ThreadPoolExecutor(_CALLERS) as pool:
            first = threading.Event()
            calls = [
                pool.submit(each.get, f"schema/user/{number}", format="svg")
                for number, each in enumerate(callers, 1)
            ]
            calls[0].add_done_callback(lambda _: first.set())
            lists = 0
            while not first.is_set():
                assert root.get("event/list", limit=1).status_code == 200
                lists += 1
            answers = [call.result() for call in calls]
    assert lists > 5
    assert [answer.status_code for answer in answers] == [200] * _CALLERS
    for number, answer in enumerate(answers, 1):
        assert "simplified layout" in answer.text
        assert answer.text.count('class="node"') == number
