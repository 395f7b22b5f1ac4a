"""A server of generation 6 on the database of each case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import pytest

from server_stub.accounts.oauth import CLIENT
from server_stub.http.application import create_app
from server_stub.http.routes import GENERATION_6
from server_stub.http.services import Services
from tests.contract.transports import in_process


@dataclass(frozen=True)
class NewCaller:
    """Calls with an access token in the header, if there is one."""

    client: httpx.Client
    access: str = field(default="", repr=False)

    def __call__(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Returns the response of a call below /api/v1."""
        headers = more.pop("headers", {})
        headers |= {"authorization": f"Bearer {self.access}"} if self.access else {}
        return self.client.request(method, f"/api/v1/{path}", headers=headers, **more)

    def get(self, path: str, **params: Any) -> Any:
        """The value that a GET answers."""
        answer = self("GET", path, params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def tokens(self, grant: str, **form: str) -> httpx.Response:
        """The answer of the call for tokens."""
        data = {"grant_type": grant, "client_id": CLIENT, **form}
        return self.client.post("/api/oauth2/token", data=data)

    def signed_in(self, login: str) -> NewCaller:
        """A caller with a new access token of one of the six users."""
        answer = self.tokens("password", username=login, password=login)
        return replace(self, access=answer.json()["access_token"])


@pytest.fixture
def new(services: Services) -> Iterator[NewCaller]:
    """Calls the server of generation 6 without an access token."""
    with in_process(create_app(services, dialect=GENERATION_6)) as client:
        yield NewCaller(client)


def assert_refused(answer: httpx.Response, code: str, status: int, **parameters: object) -> None:
    """The response is an error object of generation 6 with at least these parameters."""
    error = answer.json()
    assert (answer.status_code, error["code"], error["statuscode"]) == (status, code, status), error
    assert error.keys() == {"code", "error", "package", "parameters", "realm", "statuscode"}
    assert parameters.items() <= error["parameters"].items()
