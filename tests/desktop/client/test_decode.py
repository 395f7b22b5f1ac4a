"""Tests of taking answers apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cdb_desktop.client import AnswerError, ServiceError
from cdb_desktop.client.decode import count, file, json_mapping, nothing
from cdb_desktop.client.wire import Answer

PAGE = b"<!DOCTYPE html><html><body>Sign in to the wifi</body></html>"


def answer_of(body: bytes, content_type: str = "application/json") -> Answer:
    return Answer(200, {"content-type": content_type}, body)


@pytest.mark.parametrize("decode", [json_mapping, count, file, nothing])
@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", ""])
def test_web_page(decode: Callable[[Answer], object], content_type: str) -> None:
    """A portal's page is never taken for an answer, with or without its content type."""
    with pytest.raises(AnswerError) as caught:
        decode(answer_of(PAGE, content_type))
    assert "Sign in to the wifi" in caught.value.excerpt


def test_json_with_a_wrong_content_type() -> None:
    """JSON is JSON, whatever it says it is."""
    assert json_mapping(answer_of(b"{}", "text/html")) == {}


@pytest.mark.parametrize("decode", [json_mapping, count, file, nothing])
def test_failure(decode: Callable[[Answer], object]) -> None:
    """Whatever is expected, an error object is raised."""
    with pytest.raises(ServiceError):
        decode(Answer(400, {}, b'{"realm": "odd", "code": "error.odd.x"}'))


@pytest.mark.parametrize("body", [b'{"a": 1', b"[]", b"", b'"x"'])
def test_no_object(body: bytes) -> None:
    """Cut-off JSON and other values are no object."""
    with pytest.raises(AnswerError):
        json_mapping(answer_of(body))


def test_mapping() -> None:
    """An object arrives in Python's types, whatever content type it was sent with."""
    assert json_mapping(answer_of(b'{"a": [1, null]}', "text/plain")) == {"a": [1, None]}


def test_count() -> None:
    """The number of deleted events is read; anything else is refused (§4.5)."""
    assert count(answer_of(b'{"count": 3}')) == 3
    with pytest.raises(AnswerError) as caught:
        count(answer_of(b'{"count": "three"}'))
    assert caught.value.place == "count"


def test_file() -> None:
    """A file arrives as it is; JSON in its place is refused."""
    assert file(answer_of(b"\x89PNG", "image/png")) == b"\x89PNG"
    with pytest.raises(AnswerError):
        file(answer_of(b"{}"))


@pytest.mark.parametrize("body", [b"", b"{}", b"true", b"done"])
def test_nothing(body: bytes) -> None:
    """The body of a commit is not looked at, for the interface does not show it (§4.8)."""
    nothing(answer_of(body))
