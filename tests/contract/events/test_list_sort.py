"""§4.3 `sort`: fields, directions, several fields, and refused definitions."""

from __future__ import annotations

import pytest

from tests.contract.builders import NOW, Store, by, event, listed
from tests.contract.caller import Caller, assert_error

USER = {"schema": "USER", "objecttype": "work"}
BASE = {"schema": "BASE"}

# Missing values together at one end, strings by code point: Z < a < ä (wire §3).
EVENTS = {
    "a": event("Zulu", by(7, name="ärger"), timestamp=NOW + 5, object_id=20, object_version=2, **USER),
    "b": event("alpha", by(8, name="Zander"), timestamp=NOW + 9, object_id=3, object_version=10, **USER),
    "c": event("ähre", None, timestamp=NOW + 1),
    "d": event("Alpha", by(9, name="adler"), timestamp=NOW + 7, object_id=100, base_type="pool", **BASE),
    "e": event("alpha", by(8, name="Zander"), timestamp=NOW + 9, object_id=3, object_version=9, **USER),
}


def _sorted(caller: Caller, store: Store, *sorts: str | None) -> list[str]:
    letters = dict(zip(store(*EVENTS.values()), EVENTS, strict=True))
    support = caller.signed_in("support")
    kinds = ",".join(sorted({draft.type for draft in EVENTS.values()}))
    answers = (
        support.get("event/list", type=kinds, **({} if sort is None else {"sort": sort})) for sort in sorts
    )
    return ["".join(letters[id_] for id_ in listed(answer)) for answer in answers]


# Definitions whose result does not depend on the order of equal events.
ORDERS = {
    None: "edcba",  # the default is _id.DESC
    "_id.DESC": "edcba",
    "_id": "abcde",
    "_id.ASC": "abcde",
    "timestamp,_id": "cadbe",
    "timestamp.DESC,_id.DESC": "ebdac",
    "type,_id": "dabec",
    "type.DESC,_id.ASC": "cbead",
    "type.ASC,object_version.ASC": "daebc",
    "type.ASC,object_version.DESC": "dabec",
    "schema.DESC,object_id.ASC,object_version.DESC": "beadc",
    "user_generated_displayname.DESC,_id.ASC": "adbec",
}


def test_order(caller: Caller, store: Store) -> None:
    """Several fields, with and without a direction (default ASC), sort in their order."""
    found = _sorted(caller, store, *ORDERS)
    assert dict(zip(ORDERS, found, strict=True)) == ORDERS


# Definitions that leave events equal: these go by `_id` in the direction of the last definition (wire §3).
# b and e share type, schema, timestamp, name and object_id.
TIES = {
    "timestamp": "cadbe",
    "timestamp.DESC": "ebdac",
    "type": "dabec",
    "type.DESC": "cebad",
    "object_id.ASC,timestamp.DESC": "cebad",
    "object_id.DESC,timestamp": "dabec",
    "schema.DESC,user_generated_displayname.ASC": "beadc",
    "schema,type.DESC": "cdeba",
    "type.DESC,timestamp.ASC,_id.DESC": "cebad",
}


def test_equal_events_are_ordered_by_id(caller: Caller, store: Store) -> None:
    """Equal events are ordered by `_id` in the direction of the last definition."""
    found = _sorted(caller, store, *TIES)
    without = {sort: order.replace("c", "") for sort, order in TIES.items()}
    # The end at which missing values are sorted is not tested.
    assert {sort: order.replace("c", "") for sort, order in zip(TIES, found, strict=True)} == without


# Every supported field: the events with a value ascending and descending, and those without one.
FIELDS = {
    "_id": ("abcde", "edcba", ""),
    "type": ("dabec", "cbead", ""),
    "object_version": ("aeb", "bea", "cd"),
    "schema": ("dabe", "abed", "c"),
    "object_id": ("bead", "dabe", "c"),
    "timestamp": ("cadbe", "bedac", ""),
    "user_generated_displayname": ("beda", "adbe", "c"),
    "base_type": ("d", "d", "abce"),  # accepted too: the vendor's own example (wire §3)
}


@pytest.mark.parametrize("field", FIELDS)
def test_field(caller: Caller, store: Store, field: str) -> None:
    """Every field sorts in both directions, with missing values at one end (wire §3)."""
    up, down, missing = FIELDS[field]
    ascending, descending = _sorted(caller, store, f"{field}.ASC,_id", f"{field}.DESC,_id")
    assert ascending in {up + missing, missing + up}
    assert descending in {down + missing, missing + down}


def test_refuses(caller: Caller) -> None:
    """An unsupported field or direction is error.api.invalid_value with 400."""
    support = caller.signed_in("support")
    for sort in ("", "user_id", "info", "type.UP", "type.", "_id,", ".DESC", "_id.ASC.DESC"):
        assert_error(support.get("event/list", sort=sort), "error.api.invalid_value")
