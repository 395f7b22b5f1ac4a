"""Requests: the parameters in the query, and the precedence of tokens."""

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
