"""Tests of decoding JSON that differs from what is expected."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdb_desktop.client import lenient_json
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
def test_documents_are_repaired(body: bytes, value: object) -> None:
    """Truncated strings and invalid numbers, which strict decoders refuse, do not cost the page."""
    assert lenient_json.value(lenient_json.document(body)) == value


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": ', b"{} {}", b"[" * 5000])
def test_invalid_documents(body: bytes) -> None:
    """HTML and truncated JSON are refused, at any depth of nesting."""
    assert lenient_json.document(body) is None


def test_values_without_a_python_type_stay_strings() -> None:
    """A number out of range keeps its spelling."""
    assert lenient_json.value(msgspec.Raw(b"1e999")) == "1e999"


def test_fields_are_converted() -> None:
    """Numbers become strings and strings numbers if the field needs them; null is missing."""
    found = lenient_json.members(
        b'{"name": 5, "user-schema": "12", "api": null, "solution": [1], "more": true}'
    )
    assert found is not None
    arguments, rest = lenient_json.fields(Instance, found)
    assert Instance(**arguments) == Instance(name="5", user_schema=12)
    assert rest == {"solution": [1], "more": True}


def test_times_without_offset_are_utc() -> None:
    """Every time has an offset."""
    found = lenient_json.members(b'{"server_time": "2024-05-01T12:00:00"}')
    assert found is not None
    arguments, _ = lenient_json.fields(Settings, found)
    assert arguments == {"server_time": datetime(2024, 5, 1, 12, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("raw", "text"), [(b'"a"', "a"), (b"1.50", "1.50"), (b"true", "true"), (b"null", ""), (b"[]", "")]
)
def test_text(raw: bytes, text: str) -> None:
    """Strings stay, numbers and booleans keep their spelling, all other values are None."""
    assert lenient_json.text(msgspec.Raw(raw)) == text


def test_invalid_moments() -> None:
    """A value that is not a time is None."""
    assert lenient_json.moment(msgspec.Raw(b'"yesterday"')) is None
    assert lenient_json.moment(None) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [(b"0", 0), (b"12", 12), (b'"12"', 12), (b"12.0", 12), (b"-1", None), (b"true", None), (b"1.5", None)],
)
def test_amounts(text: bytes, found: int | None) -> None:
    """A count is read in any spelling."""
    assert lenient_json.amount(msgspec.Raw(text)) == found


@pytest.mark.parametrize("text", [b"9223372036854775808", b"null", b'"many"', b"[1]", b"{}", b"1e400"])
def test_invalid_amounts(text: bytes) -> None:
    """Numbers out of range are refused too."""
    assert lenient_json.amount(msgspec.Raw(text)) is None
    assert lenient_json.amount(None) is None


DEEP = b"[" * 5000 + b"]" * 5000


def test_a_value_that_is_nested_too_deeply_is_separated() -> None:
    """Only that value is unreadable; the values beside it are decoded."""
    found = lenient_json.document(b'[1, {"a": %b}, "]", %b, {"b": "}"}]' % (DEEP, DEEP))
    items = lenient_json.items(found)
    assert items is not None
    assert [lenient_json.is_too_deep(one) for one in items] == [False, True, False, True, False]
    assert [lenient_json.value(items[place]) for place in (0, 2, 4)] == [1, "]", {"b": "}"}]
    members = lenient_json.members(items[1])
    assert members is not None
    assert bytes(members["a"]) == DEEP


@pytest.mark.parametrize(("levels", "is_too_deep"), [(1, False), (500, False), (501, True), (100_000, True)])
def test_the_limit_of_nesting_depends_on_nothing_else(levels: int, *, is_too_deep: bool) -> None:
    """Brackets in strings and beside one another do not count."""
    for inner in (b"", b'"]]]]"', rb'"\"[[[["', b"1" * 5000, b"[]," * 5000 + b"{}"):
        around = levels - inner.endswith(b"}")
        raw = msgspec.Raw(b"[" * around + inner + b"]" * around)
        assert lenient_json.is_too_deep(raw) is is_too_deep, inner[:9]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    )
)
def test_parts_are_those_of_a_json_decoder(value: object) -> None:
    """This holds for any value in any layout."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        found = lenient_json.parts(text.encode())
        if isinstance(value, list):
            assert [json.loads(one) for _key, one in found or ()] == value
        elif isinstance(value, dict):
            assert {key: json.loads(one) for key, one in found or ()} == value
        else:
            assert found is None
