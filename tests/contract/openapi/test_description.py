"""The OpenAPI description contains every call, parameter and error."""

import re
from types import ModuleType
from typing import Any

import pytest

from server_stub.foundation.errors import catalogue
from server_stub.http.endpoint import Endpoint
from server_stub.http.routes.generation5 import ENDPOINTS
from tests.contract.caller import Caller

# §4.3: the documented defaults.
DEFAULTS = {
    "limit": 1000,
    "offset": 0,
    "sort": ["_id.DESC"],
    "format": "json",
    "csv_delimiter": ",",
    "csv_quote": '"',
    "csv_escape": '"',
    "csv_use_bom": False,
    "csv_explode": False,
    "csv_max_length": 100,
    "guard": False,  # our addition
    "skip_count": False,
}
WITHOUT_DEFAULT = {
    "pollable",
    "type",
    "base_type",
    "user_id",
    "group_id",
    "user_type",
    "date_from",
    "date_to",
    "csv_explode_array_concat",
}
OURS = {
    "get /db/{objecttype}/_all_fields/{id}",
    "get /openapi.json",
    "get /ready",
    "get /schema/user/{version}/plan",
    "post /plugin/base/server/error/{uuid}",
}


@pytest.fixture
def document(caller: Caller) -> dict[str, Any]:
    """The description, which requires no session."""
    answer = caller.get("openapi.json")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def _operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method} {path}": operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }


def _label(endpoint: Endpoint) -> str:
    return f"{endpoint.method.lower()} {endpoint.path}"


def _query(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in operation["parameters"] if each["in"] == "query"}


def test_it_is_an_openapi_document(checks: ModuleType, document: dict[str, Any]) -> None:
    """The description is valid OpenAPI 3.1, and every reference in it exists."""
    assert document["openapi"] == "3.1.0"
    checks.schemathesis.openapi.from_dict(document).validate()
    shapes = document["components"]["schemas"]
    named = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert named <= shapes.keys()


def test_every_call_is_described(document: dict[str, Any]) -> None:
    """Every call has its section, right, parameters, summary and responses."""
    operations = _operations(document)
    assert operations.keys() == {_label(endpoint) for endpoint in ENDPOINTS}
    for endpoint in ENDPOINTS:
        operation = operations[_label(endpoint)]
        assert _query(operation).keys() == {each.name for each in endpoint.parameters} | {"pretty"}
        assert re.findall(r"{(\w+)}", endpoint.path) == [
            each["name"] for each in operation["parameters"] if each["in"] == "path"
        ]
        assert (operation["x-section"], operation.get("x-right")) == (endpoint.section, endpoint.right)
        assert operation["summary"]
        assert {"200", "400", "500"} <= operation["responses"].keys()
        assert ("403" in operation["responses"]) == (endpoint.refusal_status == 403)
        headers = {each["name"] for each in operation["parameters"] if each["in"] == "header"}
        assert headers == endpoint.headers.keys()
        assert ("412" in operation["responses"]) == ("If-Match" in headers)


def test_parameters_of_a_list(document: dict[str, Any]) -> None:
    """The parameters of a list have the types, defaults and limits of §4.3 and §8."""
    query = _query(_operations(document)["get /event/list"])
    assert {
        name: each["schema"]["default"] for name, each in query.items() if "default" in each["schema"]
    } == {
        **DEFAULTS,
        "pretty": "1",
    }
    assert {name for name, each in query.items() if "default" not in each["schema"]} == WITHOUT_DEFAULT
    assert query["format"]["schema"]["enum"] == ["json", "json_full", "csv"]
    assert query["limit"]["schema"]["x-internal-maximum"] == 1000
    assert (query["type"]["style"], query["type"]["explode"]) == ("form", False)
    assert not any(each["required"] for each in query.values())


def test_errors_by_realm(document: dict[str, Any]) -> None:
    """Every code of the catalogue is listed in its realm with the names of its parameters (§7)."""
    shapes = document["components"]["schemas"]
    for realm, name in (("api", "ApiError"), ("user", "UserError"), ("server", "ServerError")):
        codes = {code: entry["parameters"] for code, entry in catalogue().items() if entry["realm"] == realm}
        assert shapes[name]["properties"]["realm"] == {"const": realm}
        assert set(shapes[name]["properties"]["code"]["enum"]) == set(codes)
    assert shapes["UserError"]["x-parameters"]["error.user.no_system_right"] == ["right"]


def test_additions_are_marked(document: dict[str, Any]) -> None:
    """Exactly the calls that deployed services do not have are marked as additions."""
    ours = {
        label
        for label, operation in _operations(document).items()
        if operation["x-origin"] == "addition of this server"
    }
    assert ours == OURS
