"""Drawing large schemas takes long, but all requests succeed and other calls do not wait."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.server import serving
from tests.server_stub.schema.render.test_pictures import tangle


@pytest.mark.long
def test_drawing_at_once(tmp_path: Path) -> None:
    """While eight clients request a picture of a hundred linked tables, other calls are answered."""
    with (
        serving(tmp_path / "demo.sqlite", "--demo", "--demo-events", "10") as url,
        httpx.Client(base_url=f"{url}/api/v1", timeout=60) as client,
    ):
        client.params = httpx.QueryParams(token=client.get("session").json()["token"], pretty="0")
        client.post("session/authenticate", data={"login": "root", "password": "admin"})
        head = client.get("schema/user/HEAD", params={"format": "json"}).json()
        posted = tangle(100, 4) | {"version": head["version"]}
        assert client.post("schema/user/HEAD", json=posted).status_code == 200
        drawn, others = _drawn_beside_others(client)
    assert [answer.status_code for answer in drawn] == [200] * 8
    assert all(answer.content.count(b'class="node"') == 100 for answer in drawn[::2])
    assert set(others) == {200}
    assert len(others) > 50


def _drawn_beside_others(client: httpx.Client) -> tuple[list[httpx.Response], list[int]]:
    """Requests four pictures in each format, and makes other calls until all are received."""
    end, others = threading.Event(), []

    def call() -> None:
        while not end.is_set():
            for path in ("event/list", "settings", "schema/user/CURRENT?format=json", "event/poll"):
                status = client.get(path).status_code
                others.append(status)

    with ThreadPoolExecutor(9) as pool:
        beside = pool.submit(call)
        forms = ["svg", "png"] * 4
        drawn = list(pool.map(lambda form: client.get("schema/user/HEAD", params={"format": form}), forms))
        end.set()
        beside.result(60)
    return drawn, others
