"""Tests of versions of objects: the forms that services answer, odd ones, and services without the call."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import (
    AnswerError,
    Client,
    ClientError,
    MissingRightError,
    NotFoundError,
    ServiceError,
)
from cdb_desktop.client.decoding import object_version
from cdb_desktop.client.records import ObjectVersion
from cdb_desktop.client.request import Response
from tests.desktop.client.canned_service import Canned, CannedService

CALL = "GET /api/v1/db/artist/_all_fields/7"
WHOLE = {
    "_objecttype": "artist",
    "_mask": "_all_fields",
    "_last_modified": "2026-11-20T10:00:00+01:00",
    "_tags": [{"_id": 2}],
    "artist": {"_id": 7, "_version": 3, "title": {"de-DE": "Kuß"}, "_nested:artist__alias": []},
}


def decoded(body: object, *, version: int | None = 3, status: int = 200) -> ObjectVersion | None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return object_version(Response(status, {"content-type": "application/json"}, raw), "artist", 7, version)


@pytest.mark.parametrize("body", [WHOLE, [WHOLE]])
def test_the_documented_form(body: object) -> None:
    """A list of one object and the object itself are the same; metadata is not among the values."""
    found = decoded(body)
    assert found == ObjectVersion(
        objecttype="artist",
        object_id=7,
        version=3,
        modified=datetime(2026, 11, 20, 9, tzinfo=UTC),
        values={
            "_id": 7,
            "title": {"de-DE": "Kuß"},
            "_nested:artist__alias": [],
            "_tags": [{"_id": 2}],
        },
    )


def test_a_flat_record() -> None:
    """A record without a member for the fields has them itself."""
    found = decoded({"_id": "7", "_version": "3", "_mask": "x", "title": "Kiss"})
    assert found is not None
    assert (found.version, found.values) == (3, {"_id": "7", "title": "Kiss"})


def test_a_record_without_a_version() -> None:
    """A missing version is the requested one."""
    found = decoded({"artist": {"title": None}})
    assert found is not None
    assert (found.version, found.values, found.modified) == (3, {"title": None}, None)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b"not here"),
        (404, {"realm": "api", "code": "error.api.invalid_api", "description": "no"}),
        (400, {"realm": "api", "code": "error.api.invalid_api", "description": "no"}),
        (400, {"realm": "api", "code": "error.api.invalid_request_method", "description": "no"}),
        (405, b""),
        (501, b""),
        (501, {"realm": "api", "code": "error.api.generic", "description": "no"}),
        (200, {"artist": {"_id": 7, "_version": 9}}),
    ],
)
def test_a_service_without_old_versions(status: int, body: object) -> None:
    """An unknown call, and the newest version in place of the requested one, mean that there are none."""
    assert decoded(body, status=status) is None


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "error.user.object_not_found", NotFoundError),
        (400, "error.user.objecttype_not_found", NotFoundError),
        (400, "error.user.insufficient_rights", MissingRightError),
        (403, "error.user.no_system_right", MissingRightError),
        (400, "error.user.old_schema_missing", ServiceError),
        (400, "error.api.invalid_value", ServiceError),
    ],
)
def test_refusals(status: int, code: str, kind: type[ServiceError]) -> None:
    """Errors about the object, the right or the version are raised."""
    with pytest.raises(kind):
        decoded({"realm": code.split(".")[1], "code": code}, status=status)


@pytest.mark.parametrize("body", [b"[]", b"{", b"7", b'"x"', b"[[]]", b"<html>", {"artist": {"_id": 8}}])
def test_odd_answers(body: object) -> None:
    """What is no object, or another one, is an invalid answer."""
    with pytest.raises(AnswerError):
        decoded(body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["_id", "_version", "artist", "a"]), inner)
    ),
)


@given(JSON, st.sampled_from([200, 400, 404, 500]))
def test_any_answer(body: object, status: int) -> None:
    """Any JSON is an object, no answer to this call, or a ClientError."""
    try:
        found = decoded(body, status=status)
    except ClientError:
        return
    assert found is None or (found.objecttype and found.object_id == 7)


async def test_the_call(service: CannedService, client: Client) -> None:
    """The version is a parameter, left out for the newest one; names are parts of the path."""
    service.prepare(CALL, Canned([WHOLE]))
    newest = await client.object_version("artist", 7)
    third = await client.object_version("artist", 7, 3)
    assert newest == third
    assert [request.parameters for request in service.requests] == [{}, {"version": "3"}]
    assert await client.object_version("a/b c", 1) is None
    assert service.requests[-1].path == "/api/v1/db/a/b c/_all_fields/1"


async def test_a_missing_right_has_its_name(service: CannedService, client: Client) -> None:
    """The error names the right, whichever kind of right it is."""
    error = {
        "realm": "user",
        "code": "error.user.insufficient_rights",
        "parameters": {"operation": "read", "type": "object", "ids": "7", "right": "read"},
    }
    service.prepare(CALL, Canned(error, status=400))
    with pytest.raises(MissingRightError) as caught:
        await client.object_version("artist", 7, 1)
    assert caught.value.right == "read"
