"""Reads an error object that somebody pasted (§2.3, wire §4), as leniently as the client does."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdb_desktop.client import ServiceError
from cdb_desktop.client.redaction import redact
from cdb_desktop.vocabulary.catalogue import entry_of

_MARK = "error."


def pasted_error(text: str) -> ServiceError | None:
    """The error that ``text`` holds as JSON, by itself or under ``error``; None where it holds none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        found = msgspec.json.decode(text[start : end + 1].encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    return _error(found) if isinstance(found, dict) else None


def _error(found: Mapping[str, object]) -> ServiceError | None:
    nested = found.get("error")
    if isinstance(nested, dict):
        found = {**found, **nested}
    code = _text(found.get("code")) or _text(nested)
    known = entry_of(code)
    if known is None and not code.startswith(_MARK):
        return None
    realm = _text(found.get("realm")) or (known.realm if known else "")
    description, uuid = redact(_text(found.get("description"))), _text(found.get("uuid"))
    code = known.code if known else code
    return ServiceError(realm, code, _parameters(found), description, uuid, _status(found))


def _parameters(found: Mapping[str, object]) -> dict[str, str]:
    told = found.get("parameters")
    if not isinstance(told, dict):
        return {}
    return {str(name): redact(_spelled(value)) for name, value in told.items()}


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _status(found: Mapping[str, object]) -> int:
    told = found.get("statuscode")
    return told if isinstance(told, int) else 0


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
