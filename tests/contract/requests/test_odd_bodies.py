"""§7.2, wire §1: malformed bodies are refused by an API error; unusual valid ones are accepted unchanged."""

import gzip
import json
from collections.abc import Iterator

from server_stub.http.application import create_app
from server_stub.http.services import Services
from tests.contract.builders import listed
from tests.contract.caller import Caller, assert_error
from tests.contract.transports import Stage

JSON = {"content-type": "application/json"}
SEARCH = b'{"type":"SEARCH"}'
DEEP = 100_000


def _info(value: bytes) -> bytes:
    return b'{"type":"SEARCH","info":{"a":' + value + b"}}"


# The body of an insert, and the code with which it is refused.
REFUSED: dict[str, tuple[bytes, str]] = {
    "gzip": (gzip.compress(SEARCH), "invalid_content"),
    "UTF-16": (SEARCH.decode().encode("utf-16"), "invalid_content"),
    "byte order mark": (b"\xef\xbb\xbf" + SEARCH, "invalid_content"),
    "no UTF-8": (_info(b'"\xe4"'), "invalid_content"),
    "half a pair in bytes": (_info(b'"\xed\xa0\x80"'), "invalid_content"),
    "half a pair, escaped": (_info(b'"\\ud800"'), "invalid_content"),
    "NaN": (_info(b"NaN"), "invalid_content"),
    "Infinity": (_info(b"-Infinity"), "invalid_content"),
    "no number of any machine": (_info(b"1e400"), "invalid_content"),
    "deep": (_info(b"[" * DEEP + b"]" * DEEP), "invalid_content"),
    "two documents": (SEARCH + SEARCH, "invalid_content"),
    "wrapped in nothing": (b'{"event":null}', "type_mismatch"),
    "info null": (b'{"type":"SEARCH","info":null}', "type_mismatch"),
    "id a fraction": (b'{"type":"SEARCH","object_id":5.0}', "type_mismatch"),
    "id with an exponent": (b'{"type":"SEARCH","object_id":1e3}', "type_mismatch"),
    "id of 64 bits": (b'{"type":"SEARCH","object_id":9223372036854775808}', "invalid_value"),
    "an info too long": (_info(b'"' + b"x" * 32_761 + b'"'), "invalid_value"),
    "an info too long in bytes": (_info(b'"' + "ä".encode() * 16_381 + b'"'), "invalid_value"),
    "one level too deep": (_info(b"[" * 64 + b"]" * 64), "invalid_value"),
    "deeper than clients read": (_info(b'{"a":' * 985 + b"1" + b"}" * 985), "invalid_value"),
    "an objecttype too long": (b'{"type":"SEARCH","objecttype":"' + b"x" * 256 + b'"}', "invalid_value"),
    "half wrapped": (b'{"event":{"type":"SEARCH"},"type":"SEARCH"}', "attribute_not_accepted"),
}


def test_malformed_bodies_are_refused(caller: Caller) -> None:
    """A malformed body is an API error, and nothing is stored."""
    root = caller.signed_in("root")
    before = listed(root.get("event/list"))
    for what, (body, name) in REFUSED.items():
        answer = root("POST", "event", content=body, headers=JSON)
        assert (what, answer.json()["code"]) == (what, f"error.api.{name}")
        assert_error(answer, f"error.api.{name}")
    assert listed(root.get("event/list")) == before


# Unusual JSON is accepted unchanged: the value of `info.a` in the body and in the record.
TAKEN: dict[str, tuple[bytes, object]] = {
    "more than 64 bits": (b"123456789012345678901234567890", 123456789012345678901234567890),
    "a zero": (b'"\\u0000"', "\0"),
    "a pair, escaped": (b'"\\ud83d\\ude00"', "😀"),
    "the last of two": (b'1,"a":2', 2),
    "all that fits": (b'"' + b"x" * 32_760 + b'"', "x" * 32_760),  # With {"a":""} around it 32 KB.
    "as deep as it may be": (b"[" * 63 + b"]" * 63, json.loads("[" * 63 + "]" * 63)),
}


def test_unusual_json_is_stored(caller: Caller) -> None:
    """Unusual JSON is stored unchanged and returned in every form."""
    root = caller.signed_in("root")
    for what, (written, read) in TAKEN.items():
        stored = root("POST", "event", content=_info(written), headers=JSON)
        assert stored.status_code == 200, stored.text[:200]
        page = root.get("event/list", type="SEARCH", format="json_full", limit=1).json()
        assert page["objects"][0]["event"]["info"] == {"a": read}, what
    for explode in ("true", "false"):
        sheet = root.get("event/list", type="SEARCH", format="csv", csv_explode=explode, csv_max_length="9")
        assert sheet.status_code == 200, sheet.text[:200]


def test_in_chunks(services: Services, stage: Stage) -> None:
    """A body of unknown length is accepted."""

    def parts() -> Iterator[bytes]:
        yield SEARCH[:5]
        yield SEARCH[5:]

    with stage.showing(create_app(services)) as client:
        answer = Caller(client).signed_in("root")("POST", "event", content=parts(), headers=JSON)
    assert answer.json()["event"]["type"] == "SEARCH"


def test_where_none_is_expected(caller: Caller) -> None:
    """A body is ignored by a call that takes none."""
    root = caller.signed_in("root")
    answer = root("GET", "event/list", content=b'{"broken', headers=JSON)
    assert answer.status_code == 200, answer.text


def test_content_types(caller: Caller) -> None:
    """JSON is accepted with any spelling of its type and charset, or without a type (wire §1)."""
    root = caller.signed_in("root")
    for media in ("application/json", "Application/JSON; charset=latin-1", "text/json", ""):
        answer = root("POST", "event", content=SEARCH, headers={"content-type": media})
        assert answer.status_code == 200, answer.text
    for media in ("text/xml", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "\xff"):
        headers = {"content-type": media.encode("latin-1")}
        assert_error(root("POST", "event", content=SEARCH, headers=headers), "error.api.invalid_content")
