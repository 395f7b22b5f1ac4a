"""Addresses, texts of requests and answers without secrets, and certificates."""

import pytest

from server_stub.conformance.client import (
    CannotRunError,
    DeviationError,
    Reply,
    Request,
    base_address,
    cleaned,
    get,
    is_loopback,
    post,
)


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("https://cdb.example.org", "https://cdb.example.org"),
        ("https://cdb.example.org/", "https://cdb.example.org"),
        ("http://localhost:8040/api/v1", "http://localhost:8040"),
        ("http://localhost:8040/api/v1/", "http://localhost:8040"),
        ("http://localhost:8040/api", "http://localhost:8040"),
        ("https://example.org/museum/api/v1", "https://example.org/museum"),
        ("http://[::1]:8040", "http://[::1]:8040"),
    ],
)
def test_addresses(text: str, base: str) -> None:
    """An address may have the prefix of the interface and a path before it."""
    assert base_address(text) == base


@pytest.mark.parametrize(
    "text",
    ["", "cdb.example.org", "ftp://a", "http://", "http://a:b", "http://u:p@a", "http://a?b", "http://[a"],
)
def test_what_is_no_address(text: str) -> None:
    """Other texts are refused by a sentence, without a password in it."""
    with pytest.raises(CannotRunError) as caught:
        base_address(text)
    assert str(caught.value).endswith(".")
    assert "u:p" not in str(caught.value)


def test_loopback() -> None:
    """Whether an address leads to this machine."""
    assert all(map(is_loopback, ("http://localhost:1", "http://127.0.0.1", "http://[::1]:1")))
    assert not any(
        map(is_loopback, ("http://example.org", "http://10.0.0.1", "http://localhost.example.org"))
    )


def test_texts_of_requests() -> None:
    """A request is shown as method, path, parameters and body; a body with a secret is left out."""
    assert str(get("event/list", limit="1", type="a,b")) == "GET event/list?limit=1&type=a,b"
    assert str(post("event", {"type": "SEARCH"})) == 'POST event {"type":"SEARCH"}'
    hidden = Request("POST", "session/authenticate", content=b"password=secret", has_secret=True)
    assert str(hidden) == "POST session/authenticate"


def _reply(content: bytes, *secrets: str) -> Reply:
    return Reply(get("session"), 200, "OK", {"content-type": "text/plain"}, content, frozenset(secrets))


def test_texts_of_answers() -> None:
    """An answer is shown on one line, cut, and without the token of any session."""
    assert str(_reply(b"a\x1b[31m\r\nb\x00")) == "200 text/plain a [31m b"
    assert "secret-token" not in str(_reply(b'{"a": "secret-token"}', "secret-token"))
    assert "other" not in str(_reply(b'{"token": "other"}'))
    cut = str(_reply(b"x" * 190 + b"secret-token", "secret-token"))
    assert "sec" not in cut
    assert len(cleaned("x" * 1000)) == 201


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a":1}x', b"NaN"])
def test_what_is_no_json(content: bytes) -> None:
    """What is not JSON is a deviation."""
    with pytest.raises(DeviationError):
        _reply(content).json()
