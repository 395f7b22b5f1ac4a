"""Takes an event apart into its single values, each with its path, secrets masked. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import Event
from cdb_desktop.vocabulary.records import wire_record

Leaf = tuple[str, str]

_PREFIXES = {"event": "", "user": "user.", "_session": "session."}
_encode = msgspec.json.Encoder().encode


def leaves(event: Event) -> Iterator[Leaf]:
    """Path and text of every value: ``("type", "SEARCH")``, ``("info.items.0.id", "7")``.

    What takes long, masking the secrets of info, is done last: whoever has found something stops before.
    """
    yield from _of_record(wire_record(replace(event, info=None)))
    if event.info is not None:
        # Only info is left to be looked at, so that nothing is told twice.
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
