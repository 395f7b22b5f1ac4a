"""§4.4, §6.2 and wire §3: inserting events."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from server_stub.events import EventDraft, RequestKey
from server_stub.http.services import Services
from tests.contract.caller import Caller, Clock, assert_error


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


def test_a_repeated_request(caller: Caller, clock: Clock) -> None:
    """Our addition: `Idempotency-Key` makes a repeated request answer with the first event for 24 hours."""
    viewer, steward = caller.signed_in("viewer"), caller.signed_in("steward")

    def inserted(who: Caller, kind: str = "SEARCH", key: str = "k 1") -> int:
        answer = who("POST", "event", json={"type": kind}, headers={"Idempotency-Key": key})
        assert answer.status_code == 200, answer.text
        found: int = answer.json()["event"]["_id"]
        return found

    first = inserted(viewer)
    assert inserted(viewer) == inserted(caller.signed_in("viewer")) == first
    assert len({first, inserted(steward), inserted(viewer, key="k 2"), inserted(viewer, key="")}) == 4
    other = viewer("POST", "event", json={"type": "DETAIL_VIEW"}, headers={"Idempotency-Key": "k 1"})
    assert_error(other, "error.api.invalid_value")
    steward.delete("event", [first])
    gone = viewer("POST", "event", json={"type": "SEARCH"}, headers={"Idempotency-Key": "k 1"})
    assert_error(gone, "error.user.event_not_found", id=str(first))
    clock.second += 86_401
    assert inserted(caller.signed_in("viewer"), "DETAIL_VIEW") > first


def test_requests_with_one_key_at_the_same_time(services: Services) -> None:
    """Only one of them inserts events."""
    key = RequestKey("key", "content", 1)

    def insert(_: int) -> range:
        with services.database.write() as connection:
            return services.log.append_once(connection, [EventDraft("SEARCH", 1)] * 2, key)

    with ThreadPoolExecutor(4) as threads:
        (ids,) = set(threads.map(insert, range(12)))
    with services.database.read() as connection:
        assert services.log.last_id(connection) == ids[-1]
    assert len(ids) == 2
