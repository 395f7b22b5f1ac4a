"""A request taken apart: what stands in its query, and which token counts."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from server_stub.http.exchange import taken_apart


def _scope(query: str, *headers: tuple[bytes, bytes]) -> dict[str, object]:
    return {"method": "GET", "path": "/", "query_string": query.encode("latin-1"), "headers": headers}


@pytest.mark.parametrize(
    "query", ["", "a=1&b=2&a=3", "a", "a=", "=a", "a==b", "&&a=1&", "a=b;c=d", "a=ü", "a=%41+b%ff"]
)
def test_the_query_is_read_as_the_library_reads_it(query: str) -> None:
    """Also where nothing is escaped, which is read in a way of its own."""
    read = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    assert taken_apart(_scope(query), b"").query == tuple(read)


_FORM = (b"content-type", b"application/x-www-form-urlencoded")
_HEADER = (b"x-easydb-token", b"headers")


def test_which_token_counts() -> None:
    """The query's, then the form's, then the header's; all are secrets, as passwords are."""
    form = b"token=forms&password=word"
    everywhere = taken_apart(_scope("token=&token=querys&pretty=0&limit=1", _FORM, _HEADER), form)
    assert (everywhere.token, everywhere.query, everywhere.pretty) == ("querys", (("limit", "1"),), False)
    assert {"querys", "forms", "word"} <= set(everywhere.secrets)
    assert taken_apart(_scope("", _FORM, _HEADER), form).token == "forms"
    assert taken_apart(_scope("", _HEADER), form).token == "headers"
    assert taken_apart(_scope(""), form).token is None
    assert "querys" not in repr(everywhere)
