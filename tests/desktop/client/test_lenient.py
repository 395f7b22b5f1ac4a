"""Tests of reading JSON that is not quite as expected."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from cdb_desktop.client import lenient
from cdb_desktop.client.records import Instance, Settings


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b'{"a": "x\xff"}', {"a": "x\ufffd"}),
        (rb'{"a": "x\ud83d"}', {"a": "x\ufffd"}),
        (rb'{"a": "\ude00\\ud800"}', {"a": "\ufffd\\ud800"}),
        (rb'{"a": "\ud83d\ude00\"\ud83d"}', {"a": '😀"\ufffd'}),
        (rb'{"a": [NaN, -Infinity, "NaN \" NaN"]}', {"a": ["NaN", "-Infinity", 'NaN " NaN']}),
    ],
)
def test_documents_are_mended(body: bytes, value: object) -> None:
    """Cut-off texts and what is no number, which strict readers refuse, cost no page."""
    assert lenient.value(lenient.document(body)) == value


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": ', b"{} {}", b"[" * 5000 + b"]" * 5000])
def test_what_is_no_document(body: bytes) -> None:
    """HTML, cut-off JSON and nesting without end are no documents."""
    assert lenient.document(body) is None


def test_values_that_python_lacks_stay_texts() -> None:
    """A number out of range is kept as it was spelt."""
    assert lenient.value(msgspec.Raw(b"1e999")) == "1e999"


def test_fields_take_what_fits() -> None:
    """Numbers become texts and texts numbers where the record wants them; null is missing, the rest kept."""
    found = lenient.members(b'{"name": 5, "user-schema": "12", "api": null, "solution": [1], "more": true}')
    assert found is not None
    arguments, rest = lenient.fields(Instance, found)
    assert Instance(**arguments) == Instance(name="5", user_schema=12)
    assert rest == {"solution": [1], "more": True}


def test_times_without_offset_are_utc() -> None:
    """Every time that is handed out has an offset."""
    found = lenient.members(b'{"server_time": "2024-05-01T12:00:00"}')
    assert found is not None
    arguments, _ = lenient.fields(Settings, found)
    assert arguments == {"server_time": datetime(2024, 5, 1, 12, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("raw", "text"), [(b'"a"', "a"), (b"1.50", "1.50"), (b"true", "true"), (b"null", ""), (b"[]", "")]
)
def test_text(raw: bytes, text: str) -> None:
    """Texts stay, numbers and booleans keep their spelling, all else is no text."""
    assert lenient.text(msgspec.Raw(raw)) == text


def test_moment_of_something_else() -> None:
    """What is no time is None."""
    assert lenient.moment(msgspec.Raw(b'"yesterday"')) is None
    assert lenient.moment(None) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [(b"0", 0), (b"12", 12), (b'"12"', 12), (b"12.0", 12), (b"-1", None), (b"true", None), (b"1.5", None)],
)
def test_amounts(text: bytes, found: int | None) -> None:
    """So many of something, however it is spelt."""
    assert lenient.amount(msgspec.Raw(text)) == found


@pytest.mark.parametrize("text", [b"9223372036854775808", b"null", b'"many"', b"[1]", b"{}", b"1e400"])
def test_what_is_no_amount(text: bytes) -> None:
    """Also what nobody could count to."""
    assert lenient.amount(msgspec.Raw(text)) is None
    assert lenient.amount(None) is None
