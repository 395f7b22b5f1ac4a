"""The server does what its OpenAPI description says: schemathesis calls it with all sorts of data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.generation.case import Case

from server_stub.api import ROUTES, Rooms
from server_stub.api.description import describe
from server_stub.app import create_app
from tests.contract.builders import Store, event
from tests.contract.caller import Caller
from tests.contract.documents import museum
from tests.contract.openapi_checks import OURS, left_out, with_whole_numbers
from tests.contract.transports import Stage

SCHEMA = schemathesis.openapi.from_dict(msgspec.json.decode(msgspec.json.encode(describe(ROUTES))))
# A call meets the same server for all of its examples, as it would in a long life.
_OF_ONE_CALL = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture
def root(rooms: Rooms, stage: Stage, store: Store) -> Iterator[Caller]:
    """Root's session on a server with a schema and some events."""
    with stage.showing(create_app(rooms)) as client:
        signed_in = Caller(client).signed_in("root")
        store(*(event() for _ in range(5)))
        assert signed_in.post("schema/user/HEAD", museum()).status_code == 200
        assert signed_in.post("schema/commit").status_code == 200
        yield signed_in


def _check(case: Case[Any], root: Caller) -> None:
    case.query = {name: value for name, value in (case.query or {}).items() if name != "token"}
    case.headers["x-easydb-token"] = root.token or ""
    case.body = with_whole_numbers(case.body)
    answer = case.call(base_url=f"{root.client.base_url}/api/v1")
    case.validate_response(answer, excluded_checks=left_out(case), additional_checks=OURS)


@SCHEMA.parametrize()
@settings(_OF_ONE_CALL, max_examples=10)
def test_every_call(case: Case[Any], root: Caller) -> None:
    """No 5xx, every error an error object of the right realm, every answer as it is described."""
    _check(case, root)


@pytest.mark.long
@pytest.mark.timeout(600)
@SCHEMA.parametrize()
@settings(_OF_ONE_CALL, max_examples=300)
def test_every_call_at_length(case: Case[Any], root: Caller) -> None:
    """The same with many more examples."""
    _check(case, root)
