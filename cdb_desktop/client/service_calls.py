"""The small calls around events and schema (§7.1, wire §4, §6) as values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from cdb_desktop.client import decode, session_decoding
from cdb_desktop.client.errors import AnswerError, ApiError, ClientError, NotFoundError
from cdb_desktop.client.records import ServerErrorDetails, Settings
from cdb_desktop.client.wire import API, MEGABYTE, Call, Request, post_json, segment


def settings() -> Call[Settings]:
    """What the service tells about itself, asked without a session."""
    return Call(Request("GET", f"{API}settings", signed=False), session_decoding.settings)


def config() -> Call[dict[str, object]]:
    """The base configuration."""
    return Call(Request("GET", f"{API}config/list"), decode.json_mapping)


def l10n(version: int | str) -> Call[dict[str, object]]:
    """The localised names of a schema version."""
    request = Request("GET", f"{API}l10n/user/{segment(version)}", largest=128 * MEGABYTE)
    return Call(request, decode.json_mapping)


def update_l10n(keys: Mapping[str, object]) -> Call[None]:
    """Replaces the localised names of HEAD."""
    return Call(post_json(f"{API}l10n/user/HEAD", keys), decode.nothing)


def server_error(uuid: str) -> Call[ServerErrorDetails]:
    """Details of a server error at the contract's address (§7.1), which is not versioned."""
    request = Request("GET", "api/server/error", (("uuid", uuid),))
    return Call(request, partial(session_decoding.server_error, uuid=uuid))


def vendor_server_error(uuid: str) -> Call[ServerErrorDetails]:
    """The same at the vendor's address (wire §8)."""
    request = Request("GET", f"{API}plugin/base/server/error/{segment(uuid)}")
    return Call(request, partial(session_decoding.server_error, uuid=uuid))


def is_unknown_address(error: ClientError) -> bool:
    """Whether ``error`` says that the service has no such call, rather than no such thing."""
    if isinstance(error, NotFoundError):
        return error.name != "error_not_found"
    if isinstance(error, ApiError):
        return error.name in {"invalid_api", "invalid_request_method"}
    return isinstance(error, AnswerError)
