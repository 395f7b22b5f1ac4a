"""Requests and answers as plain values, so that building and reading them needs no network."""

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
LARGE = 2 * MEGABYTE  # from there on an answer is read in a thread, record by record
_EXCERPT = 200

Result = TypeVar("Result")
Method = Literal["GET", "POST", "DELETE"]
Query = tuple[tuple[str, str], ...]
Parts = Generator[None, None, Result]  # between two of them others may have their turn


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP call; ``path`` is relative to the service's address, the token is added in transit."""

    method: Method
    path: str
    query: Query = ()
    body: bytes | None = field(default=None, repr=False)
    content_type: str = ""
    signed: bool = True  # carries the session's token
    patience: float = 1.0  # times the client's time limit for an answer; infinite for none
    secrets: tuple[str, ...] = field(default=(), repr=False)
    largest: int = 64 * MEGABYTE  # bytes of an answer, unpacked
    largest_file: int = 0  # the same of what goes to ``sink``
    shrinks: bool = False  # is repeated with a smaller limit where the answer is too large
    # Takes the body of a file piece by piece, so that the answer holds none of it.
    sink: Callable[[bytes], object] | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Response:
    """What came back; ``secrets`` are the ones that the request carried, for redaction."""

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
        """Whether somebody else answered: a proxy, a portal, a web page at a wrong address."""
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
    """A request together with the function that reads its answer, at once or a part at a time."""

    request: Request
    decode: Callable[[Response], Result | Parts[Result]]


def segment(value: object) -> str:
    """``value`` as one part of a path."""
    return quote(str(value), safe="")


def post_json(path: str, document: object) -> Request:
    """A POST with ``document`` as JSON body."""
    return Request("POST", path, body=msgspec.json.encode(document), content_type="application/json")
