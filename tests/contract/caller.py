"""Calls the server with the token and the path prefix of the contract."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx

from server_stub.conformance.client import catalogue


@dataclass
class Clock:
    """A clock in whole epoch seconds that advances only when a test sets it."""

    second: int = 1_750_000_000  # 2025-06-15T15:06:40+00:00

    def __call__(self) -> int:
        return self.second


@dataclass
class Caller:
    """Calls under /api/v1, with a token if there is one."""

    client: httpx.Client
    token: str | None = field(default=None, repr=False)

    def __call__(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Returns the response; `params` is a dict or a list of pairs, other keywords are passed to httpx."""
        params = httpx.QueryParams(more.pop("params", None))
        if self.token is not None:
            params = params.set("token", self.token)
        return self.client.request(method, f"/api/v1/{path}", params=params.set("pretty", "0"), **more)

    def get(self, path: str, **params: Any) -> httpx.Response:
        """GET with query parameters."""
        return self("GET", path, params=params)

    def post(self, path: str, json: Any = None, **params: Any) -> httpx.Response:
        """POST with a JSON body and query parameters."""
        return self("POST", path, params=params, **({} if json is None else {"json": json}))

    def delete(self, path: str, json: Any = None, **params: Any) -> httpx.Response:
        """DELETE with a JSON body and query parameters."""
        return self("DELETE", path, params=params, **({} if json is None else {"json": json}))

    def with_session(self) -> Caller:
        """Returns a caller with a new session that is not signed in."""
        return Caller(self.client, self.get("session").json()["token"])

    def signed_in(self, login: str) -> Caller:
        """Returns a caller with a new session of one of the six users."""
        started = self.with_session()
        answer = started.post("session/authenticate", login=login, password=login)
        assert answer.status_code == 200, answer.text
        return started


def assert_error(answer: httpx.Response, code: str, status: int = 400, **parameters: str) -> None:
    """The response is the error object (§2.3) with this code, status and at least these parameters.

    It has the members of its realm (§7.1), and the parameters that the catalogue names for the code.
    """
    found = answer.json()
    assert (answer.status_code, found.get("code")) == (status, code), answer.text
    realm = code.split(".")[1]
    members = {"api": {"description"}, "server": {"description", "uuid"}, "user": set[str]()}[realm]
    assert found["realm"] == realm
    assert found.keys() - {"parameters"} == {"realm", "code"} | members
    assert found.get("parameters", {}).keys() == set(catalogue()[code]["parameters"])
    assert parameters.items() <= found.get("parameters", {}).items()
