"""Event records as JSON, in the shape of wire §3, and the values in them. Secrets are masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event, Record, Unreadable
from cdb_desktop.client.redaction import MASK, redact

_SECRET = re.compile(r"(?i)token|passw(or)?d|secret")
_TEXT = rb'"(?:[^"\\]|\\.)*"'
_TEXTS = re.compile(rb"(?P<key>%b\s*:\s*)?(?P<text>%b)" % (_TEXT, _TEXT))
# The fields of short records (wire §3) in the order of a table.
SHORT_FIELDS = (
    "_id",
    "timestamp",
    "type",
    "schema",
    "basetype",
    "objecttype",
    "object_id",
    "object_version",
    "global_object_id",
)
_OF_EVENT = (
    "id",
    "type",
    "timestamp",
    "schema",
    "basetype",
    "objecttype",
    "object_id",
    "object_version",
    "global_object_id",
    "system_object_id",
    "session_self",
    "pollable",
    "ipv4_address",
    "remote_addr",
)

Leaf = tuple[str, str]
_PREFIXES = {"event": "", "user": "user.", "_session": "session."}
_encode = msgspec.json.Encoder().encode
INFO = "info."


def wire_record(event: Event) -> dict[str, Any]:
    """The record in the shape of wire §3, without keys that have no value."""
    inner = {_key(name): value for name in _OF_EVENT if (value := getattr(event, name)) not in (None, "")}
    if not event.session_self:
        inner.pop("session_self")
    # Only here can be secrets; masking takes long.
    if event.info is not None:
        try:
            inner["info"] = masked(event.info_value)
        except RecursionError:  # nested too deeply to be masked as values
            inner["info"] = msgspec.Raw(_TEXTS.sub(_without_secret, bytes(event.info)))
    inner.update(masked(event.unknown))
    session = {
        "token": event.session_token and MASK,
        "created": event.session_created,
        "expired": event.session_expired,
    }
    session = {key: value for key, value in session.items() if value}
    user = masked(event.user) or _user(event)
    return {key: value for key, value in (("event", inner), ("user", user), ("_session", session)) if value}


def unreadable_json(record: Unreadable) -> msgspec.Raw:
    """The JSON of an unreadable record as it was received, secrets masked."""
    return msgspec.Raw(_TEXTS.sub(_without_secret, record.raw))


def records_json(records: Iterable[Record]) -> str:
    """Indented JSON: one record as an object, several as an array."""
    values = [unreadable_json(one) if isinstance(one, Unreadable) else wire_record(one) for one in records]
    return indented_json(values[0] if len(values) == 1 else values)


def json_line(record: Record) -> bytes:
    """A record as a line of JSON, with the line break."""
    if isinstance(record, Unreadable):
        came = bytes(unreadable_json(record))
        try:
            return msgspec.json.format(came, indent=-1) + b"\n"
        except RecursionError:  # nested too deeply; strings contain no line breaks
            return came.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
    return msgspec.json.encode(wire_record(record)) + b"\n"


def indented_json(value: Any) -> str:
    """A value as JSON, indented unless it is nested too deeply."""
    text = msgspec.json.encode(value)
    try:
        return msgspec.json.format(text, indent=2).decode()
    except RecursionError:
        return text.decode("utf-8", "replace")


def masked(value: Any) -> Any:
    """``value`` with tokens and passwords masked, under their keys and in texts such as addresses."""
    if isinstance(value, Mapping):
        return {
            key: MASK if isinstance(one, str) and one and is_secret_key(key) else masked(one)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked(one) for one in value]
    return redact(value) if isinstance(value, str) else value


def is_secret_key(key: str) -> bool:
    """Whether the text under this key is a token or a password."""
    return _SECRET.search(key) is not None


def _without_secret(found: re.Match[bytes]) -> bytes:
    key, text = found["key"] or b"", found["text"]
    value = msgspec.json.decode(text, type=str)
    name = msgspec.json.decode(key.rstrip().rstrip(b":"), type=str) if key else ""
    safe = MASK if value and is_secret_key(name) else redact(value)
    return found[0] if safe == value else key + msgspec.json.encode(safe)


def _key(name: str) -> str:
    return "_id" if name == "id" else name


def _user(event: Event) -> dict[str, object]:
    user = {"_id": event.user_id, "_generated_displayname": event.user_displayname}
    return {key: value for key, value in user.items() if value is not None}


def leaves(event: Event) -> Iterator[Leaf]:
    """Yields path and text of every value: ``("type", "SEARCH")``, ``("info.items.0.id", "7")``.

    Values of info, which takes long to mask, are last, so that callers can stop before.
    """
    yield from _of_record(wire_record(replace(event, info=None)))
    if event.info is not None:
        # A record with nothing but info.
        whole = wire_record(Event(id=event.id, info=event.info))
        yield from _inside("info", whole["event"].get("info"))


def _of_record(record: Mapping[str, Any]) -> Iterator[Leaf]:
    for part, prefix in _PREFIXES.items():
        for key, value in record.get(part, {}).items():
            yield from _inside(f"{prefix}{key}", value)


def _inside(path: str, value: Any) -> Iterator[Leaf]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _inside(f"{path}.{key}", one)
    elif isinstance(value, list | tuple):
        for place, one in enumerate(value):
            yield from _inside(f"{path}.{place}", one)
    elif isinstance(value, str):
        yield path, value
    else:
        yield path, _encode(value).decode().strip('"')


def info_path(name: str) -> list[str]:
    """The keys and indices in a name such as ``info.search.0.string``, without ``info``."""
    return name.removeprefix(INFO).split(".")


def value_at(info: object, path: list[str]) -> object:
    """The value at a path, or None."""
    value = info
    for key in path:
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
