"""Reads request bodies as JSON or as a form (wire §1); knows no call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from server_stub.foundation.errors import ApiError
from server_stub.http.calls import Incoming

FORM = "application/x-www-form-urlencoded"
# A form holds a log-in, a password and a token.
MAX_FORM_BYTES = 64 << 10
_MAX_FORM_FIELDS = 100


def json_body(incoming: Incoming) -> Any:
    """The decoded body; a content type may be missing, but a wrong one is refused (§7.2 invalid_content)."""
    media = incoming.content_type.partition(";")[0].strip().lower()
    if media not in {"", "application/json", "text/json"}:
        raise ApiError("invalid_content", f"The body must be application/json, not {media}.")
    if not incoming.body.strip():
        raise ApiError("invalid_content", "The body is empty; JSON is expected.")
    try:
        return msgspec.json.decode(incoming.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError("invalid_content", f"The body is no JSON: {error}.") from error


def json_object(incoming: Incoming) -> dict[str, Any]:
    """The body as a JSON object."""
    value = json_body(incoming)
    if not isinstance(value, dict):
        raise ApiError("type_mismatch", "The body must be a JSON object.")
    return value


def is_form(content_type: str) -> bool:
    """Whether a content type is that of a form."""
    return content_type.partition(";")[0].strip().lower() == FORM


def form_pairs(content_type: str, body: bytes) -> tuple[tuple[str, str], ...]:
    """The names and values of a form body, none where the body is no form."""
    if not is_form(content_type):
        return ()
    try:
        # What is escaped and no UTF-8 is carried along, for the parameter that holds it to be named.
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="surrogateescape", max_num_fields=_MAX_FORM_FIELDS
        )
    except (UnicodeDecodeError, ValueError) as error:
        raise ApiError("invalid_content", "The form in the body cannot be read.") from error
    return tuple(pairs)


def first_token(pairs: Iterable[tuple[str, str]]) -> str | None:
    """The session token among the parameters of a call; an empty one is none."""
    given = next((value for name, value in pairs if name == "token" and value), None)
    return given and given.encode("utf-8", "replace").decode()


def readable_form(content_type: str, body: bytes) -> tuple[tuple[str, str], ...]:
    """The same, none where it cannot be read: the call that needs it refuses it later."""
    try:
        return form_pairs(content_type, body)
    except ApiError:
        return ()
