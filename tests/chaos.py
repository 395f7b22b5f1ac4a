"""Sets the faults that a reference server started with ``--chaos off`` injects."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx


class Chaos:
    """The administrator's connection to ``/chaos`` of a server with the demo's users."""

    def __init__(self, url: str, login: str = "root", password: str = "admin") -> None:  # noqa: S107
        self._client = httpx.Client(base_url=f"{url}/api/v1/", trust_env=False, timeout=60)
        self._token: dict[str, str] = {}
        if "api" not in self._client.get("settings").json():
            form = {"grant_type": "password", "username": login, "password": password}
            form["client_id"] = "web-client"
            answer = self._client.post(f"{url}/api/oauth2/token", data=form).raise_for_status()
            self._client.headers["authorization"] = f"Bearer {answer.json()['access_token']}"
            return
        self._token = {"token": self._client.get("session").json()["token"]}
        credentials = {"login": login, "password": password}
        self._client.post("session/authenticate", params=self._token | credentials).raise_for_status()

    def inject(self, *rules: dict[str, Any]) -> None:
        """Replaces the rules; see server_stub/README.md for their fields."""
        self._put({"rules": list(rules)})

    def inject_randomly(self, rate: float, seed: int = 0, faults: Sequence[str] | None = None) -> None:
        """Injects random faults, of all or of some names, at a share of the requests."""
        self._put({"rate": rate, "seed": seed, "faults": faults})

    def end(self) -> None:
        """Injects no more faults."""
        self._put({})

    @property
    def injected(self) -> int:
        """How many faults have been injected since the rules were set."""
        answer = self._client.get("chaos", params=self._token)
        return int(answer.raise_for_status().json()["injected"])

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()

    def _put(self, configuration: dict[str, Any]) -> None:
        answer = self._client.put("chaos", params=self._token, json=configuration)
        assert answer.status_code == 200, answer.text


@contextmanager
def chaos_of(url: str) -> Iterator[Chaos]:
    """The faults of a server, which end with the block."""
    chaos = Chaos(url)
    try:
        yield chaos
    finally:
        chaos.end()
        chaos.close()
