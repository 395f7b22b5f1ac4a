"""The OpenAPI document of generation 6."""

import re
from types import ModuleType

from server_stub.http.routes import GENERATION_6
from tests.contract.generation6.conftest import NewCaller


def test_it_describes_every_call(checks: ModuleType, new: NewCaller) -> None:
    """It is valid, needs no token, every reference exists, and calls elsewhere name where they are."""
    document = new.get("openapi.json")
    checks.schemathesis.openapi.from_dict(document).validate()
    named = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert named <= document["components"]["schemas"].keys()
    for endpoint in GENERATION_6.endpoints:
        described = document["paths"][endpoint.path]
        assert endpoint.method.lower() in described
        assert [each["url"] for each in described.get("servers", [])] == [
            prefix or "/" for prefix in endpoint.prefixes or ()
        ]
