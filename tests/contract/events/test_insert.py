"""§4.4, §6.2 and wire §3: inserting events."""

from __future__ import annotations

import pytest

from server_stub.http.services import Services
from tests.contract.caller import Caller, assert_error


@pytest.mark.parametrize(
    ("kind", "variable", "other"),
    [
        ("SEARCH", "system.log.search", "DETAIL_VIEW"),
        ("DETAIL_VIEW", "system.log.detail_view", "SEARCH"),
    ],
)
def test_base_configuration(caller: Caller, services: Services, kind: str, variable: str, other: str) -> None:
    """Each type is accepted only while its own base configuration is enabled."""
    viewer = caller.signed_in("viewer")
    for enabled in (False, True):
        with services.database.write() as connection:
            services.configuration.change(connection, {variable: enabled})
        answer = viewer.post("event", {"type": kind})
        if enabled:
            assert answer.status_code == 200
        else:
            assert_error(answer, "error.user.event_type_disabled", event_type=kind)
        assert viewer.post("event", {"type": other}).status_code == 200
