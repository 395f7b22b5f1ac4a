"""The server conforms to its OpenAPI description; schemathesis generates the calls."""

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from server_stub.http.application import create_app
from server_stub.http.routes.generation5 import ENDPOINTS
from server_stub.http.services import Services
from tests.contract.builders import Store, event
from tests.contract.caller import Caller
from tests.contract.documents import museum
from tests.contract.transports import Stage

CALLS = [f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS]


@pytest.fixture
def root(services: Services, stage: Stage, store: Store) -> Iterator[Caller]:
    """Root's session on a server with a schema and some events."""
    with stage.showing(create_app(services)) as client:
        signed_in = Caller(client).signed_in("root")
        store(*(event() for _ in range(5)))
        assert signed_in.post("schema/user/HEAD", museum()).status_code == 200
        assert signed_in.post("schema/commit").status_code == 200
        yield signed_in


@pytest.fixture(scope="module")
def session(checks: ModuleType) -> Iterator[Any]:
    """The client, shared by all calls, since creating one takes longer than a call."""
    with checks.requests.Session() as one:
        one.trust_env = False
        yield one


@pytest.mark.parametrize("label", CALLS)
def test_every_call(checks: ModuleType, label: str, root: Caller, session: Any) -> None:
    """No call returns 5xx; every error is an error object, and every response matches the description."""
    checks.tried(label, 4)(root=root, session=session)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("label", CALLS)
def test_every_call_at_length(checks: ModuleType, label: str, root: Caller, session: Any) -> None:
    """The same with many more examples."""
    checks.tried(label, 300)(root=root, session=session)
