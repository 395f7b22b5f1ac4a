"""Requests and responses as values, independent of the HTTP library."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar
from urllib.parse import quote

import msgspec

from cdb_desktop.client.errors import WEB_PAGES
from cdb_desktop.client.redaction import redact

API = "api/v1/"
MEGABYTE = 2**20
LARGE = 2 * MEGABYTE  # larger responses are decoded in a thread, record by record
_EXCERPT = 200

Result = TypeVar("Result")
Method = Literal["GET", "POST", "PUT", "DELETE"]
Query = tuple[tuple[str, str], ...]
Parts = Generator[None, None, Result]  # a decoder that yields so that other tasks can run


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP call; ``path`` is relative to the service's address, the token is added in transit."""

    method: Method
    path: str
    query: Query = ()
    body: bytes | None = field(default=None, repr=False)
    content_type: str = ""
    if_match: str = ""
    signed: bool = True  # sent with the token
    bearer: bool = False  # in a header, else in the query
    timeout_factor: float = 1.0  # of the client's timeout; infinite for none
    secrets: tuple[str, ...] = field(default=(), repr=False)
    largest: int = 64 * MEGABYTE  # bytes of the unpacked response
    largest_file: int = 0  # bytes of a file that is passed to ``sink``
    shrinks: bool = False  # is repeated with a smaller limit if the response is too large
    # Gets the body of a file in pieces; the response has an empty body then.
    sink: Callable[[bytes], object] | None = field(default=None, repr=False, compare=False)

    @property
    def headers(self) -> dict[str, str]:
        """Its headers, without that of the token."""
        found = {"content-type": self.content_type, "if-match": self.if_match}
        return {name: value for name, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response; ``secrets`` are those of the request, to be masked in excerpts."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # names in lower case
    body: bytes = field(default=b"", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def is_html(self) -> bool:
        """Whether it is a web page, as of a proxy, a portal or a wrong address."""
        if self.content_type:
            return self.content_type in WEB_PAGES
        return self.body.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html"))

    def clean(self, text: str) -> str:
        """``text`` without the secrets of this exchange."""
        return redact(text, self.secrets)

    def excerpt(self) -> str:
        """The first 200 characters of the body without secrets."""
        return self.clean(self.body[: 20 * _EXCERPT].decode("utf-8", "replace"))[:_EXCERPT]


class Call(msgspec.Struct, Generic[Result], frozen=True):
    """A request with the function that decodes its response, at once or in parts."""

    request: Request
    decode: Callable[[Response], Result | Parts[Result]]


def segment(value: object) -> str:
    """``value`` as one part of a path."""
    return quote(str(value), safe="")
