"""Requests: the parameters in the query, and the precedence of tokens."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from starlette.types import Message

from server_stub.http.requests import ApiRequest


async def _no_more() -> Message:
    return {"type": "http.disconnect"}


def _request(query: str, *headers: tuple[bytes, bytes], body: bytes = b"") -> ApiRequest:
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": query.encode("latin-1")}
    request = ApiRequest(scope | {"headers": headers}, _no_more)
    request.content += body
    return request


@pytest.mark.parametrize(
    "query", ["", "a=1&b=2&a=3", "a", "a=", "=a", "a==b", "&&a=1&", "a=b;c=d", "a=ü", "a=%41+b%ff"]
)
def test_the_query_is_read_as_the_library_reads_it(query: str) -> None:
    """The query is parsed as by Starlette, including names without values and bytes that are not UTF-8."""
    read = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    assert _request(query).arguments == tuple(read)


_FORM = (b"content-type", b"application/x-www-form-urlencoded")
_HEADER = (b"x-easydb-token", b"headers")


def test_which_token_counts() -> None:
    """A token in the query has precedence over a form and the header; all are secrets."""
    form = b"token=forms&password=word"
    everywhere = _request("token=&token=querys&pretty=0&limit=1", _FORM, _HEADER, body=form)
    found = (everywhere.token, everywhere.arguments, everywhere.is_pretty)
    assert found == ("querys", (("limit", "1"),), False)
    assert {"querys", "forms", "word"} <= set(everywhere.secrets)
    assert _request("", _FORM, _HEADER, body=form).token == "forms"
    assert _request("", _HEADER, body=form).token == "headers"
    assert _request("", body=form).token is None
    assert "querys" not in repr(everywhere)
