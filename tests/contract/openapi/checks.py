"""Generated calls, with checks of the contract that replace checks of schemathesis."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS, CheckContext, CheckFunction, load_all_checks
from schemathesis.core import NotSet
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.generation.case import Case
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.generation.meta import CoveragePhaseData, CoverageScenario, FuzzingPhaseData

from server_stub.http.openapi import describe
from server_stub.http.routes.generation5 import ENDPOINTS, GENERATION_5
from tests.contract.caller import Caller

load_all_checks()
# Without our headers: with any text in them, most calls would be refused.
_PLAIN = [replace(endpoint, headers={}) for endpoint in ENDPOINTS]
_SCHEMA = schemathesis.openapi.from_dict(
    msgspec.json.decode(msgspec.json.encode(describe(_PLAIN, GENERATION_5.description)))
)
# A call meets the same server for all of its examples, as it would in a long life.
_OF_ONE_CALL = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

_STATUSES = {"api": {400}, "server": {500}, "user": {400, 403, 404}}
# What fits the description and is refused all the same, for no description can say it: parameters that go
# only with others, a cursor below the session's own, a document that breaks the rules of schemas.
_BEYOND = {
    "GET /event/list": {"attribute_not_accepted", "invalid_value"},
    "GET /event/poll/{last_max_id}": {"invalid_value"},
    "DELETE /event": {"attribute_not_accepted"},
    "POST /schema/user/{version}": {"attribute_expected", "invalid_value"},
    "POST /plugin/base/server/error/{uuid}": {"generic"},
}


# A missing sign-in and an unsupported method are answered with 400 (§7.1, §7.2), like refused valid data.
_REPLACED = ("ignored_auth", "unsupported_method", "positive_data_acceptance")


def left_out(case: Case[Any]) -> list[Any]:
    """Checks that do not apply to the contract; the call that raises errors may return a server error."""
    names = [*_REPLACED]
    if case.operation.label.startswith("POST /plugin"):
        names.append("not_a_server_error")
    if _is_nominally_negative(case):
        names.append("negative_data_rejection")
    return [CHECKS.get_one(name) for name in names]


def _is_nominally_negative(case: Case[Any]) -> bool:
    """Whether a "negative" call only left out an optional body."""
    phase = case.meta.phase.data if case.meta else None
    return isinstance(phase, FuzzingPhaseData) and not phase.mutations and isinstance(case.body, NotSet)


def an_error_object_of_the_right_realm(_: CheckContext, response: Response, case: Case[Any]) -> None:
    """Every failure is an error object whose realm matches its code and status (§7.1)."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    error = response.json()
    assert error["code"].startswith(f"error.{error['realm']}."), error
    assert response.status_code in _STATUSES[error["realm"]], error


def an_undeclared_method_is_refused(_: CheckContext, response: Response, case: Case[Any]) -> None:
    """An undeclared method is error.api.invalid_request_method (§7.2)."""
    phase = case.meta.phase.data if case.meta else None
    if isinstance(phase, CoveragePhaseData) and phase.scenario is CoverageScenario.UNSPECIFIED_HTTP_METHOD:
        assert response.json()["code"] == "error.api.invalid_request_method"


def valid_data_is_accepted(_: CheckContext, response: Response, case: Case[Any]) -> None:
    """A call that matches the description does not fail with an API error."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code < 400:
        return
    error = response.json()
    beyond = _BEYOND.get(case.operation.label, set())
    assert error["realm"] != "api" or error["code"].removeprefix("error.api.") in beyond, error


OURS: list[CheckFunction] = [
    an_error_object_of_the_right_realm,
    an_undeclared_method_is_refused,
    valid_data_is_accepted,
]


def with_whole_numbers(body: Any) -> Any:
    """Converts floats such as 5.0, which JSON Schema accepts as integers, to integers (§4.4, §4.5)."""
    match body:
        case dict():
            return {name: with_whole_numbers(value) for name, value in body.items()}
        case list():
            return [with_whole_numbers(value) for value in body]
        case float() if body.is_integer():
            return int(body)
        case _:
            return body


def _check(case: Case[Any], root: Caller, session: requests.Session) -> None:
    case.query = {name: value for name, value in (case.query or {}).items() if name != "token"}
    case.headers["x-easydb-token"] = root.token or ""
    case.body = with_whole_numbers(case.body)
    answer = case.call(base_url=f"{root.client.base_url}/api/v1", session=session)
    case.validate_response(answer, excluded_checks=left_out(case), additional_checks=OURS)


def tried(label: str, examples: int) -> Callable[..., None]:
    """The check of one call, to be called without the case.

    Made where it runs: `_SCHEMA.parametrize` makes up all cases of all calls in every worker that collects.
    """
    (found,) = _SCHEMA.include(name=label).get_all_operations()
    assert isinstance(found, Ok)
    explicit = settings(_OF_ONE_CALL, max_examples=examples)
    config = HypothesisTestConfig(_SCHEMA.config, list(HypothesisTestMode), explicit_settings=explicit)
    test: Callable[..., None] = create_test(operation=found.ok(), test_func=_check, config=config)
    return test
