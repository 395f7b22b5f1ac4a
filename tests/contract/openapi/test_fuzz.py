"""The server conforms to its OpenAPI description; schemathesis generates the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.core.result import Ok
from schemathesis.generation.case import Case
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test

from server_stub.http.application import create_app
from server_stub.http.openapi import describe
from server_stub.http.routes.generation5 import ENDPOINTS, GENERATION_5
from server_stub.http.services import Services
from tests.contract.builders import Store, event
from tests.contract.caller import Caller
from tests.contract.documents import museum
from tests.contract.openapi.checks import OURS, left_out, with_whole_numbers
from tests.contract.transports import Stage

# Without our headers: with any text in them, most calls would be refused.
_PLAIN = [replace(endpoint, headers={}) for endpoint in ENDPOINTS]
SCHEMA = schemathesis.openapi.from_dict(
    msgspec.json.decode(msgspec.json.encode(describe(_PLAIN, GENERATION_5.description)))
)
CALLS = [f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS]
# A call meets the same server for all of its examples, as it would in a long life.
_OF_ONE_CALL = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


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
def session() -> Iterator[requests.Session]:
    """The client, shared by all calls, since creating one takes longer than a call."""
    with requests.Session() as one:
        one.trust_env = False
        yield one


def _check(case: Case[Any], root: Caller, session: requests.Session) -> None:
    case.query = {name: value for name, value in (case.query or {}).items() if name != "token"}
    case.headers["x-easydb-token"] = root.token or ""
    case.body = with_whole_numbers(case.body)
    answer = case.call(base_url=f"{root.client.base_url}/api/v1", session=session)
    case.validate_response(answer, excluded_checks=left_out(case), additional_checks=OURS)


def _tried(label: str, examples: int) -> Callable[..., None]:
    """The check of one call, to be called without the case.

    Made where it runs: `SCHEMA.parametrize` makes up all cases of all calls in every worker that collects.
    """
    (found,) = SCHEMA.include(name=label).get_all_operations()
    assert isinstance(found, Ok)
    explicit = settings(_OF_ONE_CALL, max_examples=examples)
    config = HypothesisTestConfig(SCHEMA.config, list(HypothesisTestMode), explicit_settings=explicit)
    test: Callable[..., None] = create_test(operation=found.ok(), test_func=_check, config=config)
    return test


@pytest.mark.parametrize("label", CALLS)
def test_every_call(label: str, root: Caller, session: requests.Session) -> None:
    """No call returns 5xx; every error is an error object, and every response matches the description."""
    _tried(label, 4)(root=root, session=session)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("label", CALLS)
def test_every_call_at_length(label: str, root: Caller, session: requests.Session) -> None:
    """The same with many more examples."""
    _tried(label, 300)(root=root, session=session)
