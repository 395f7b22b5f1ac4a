"""Finds the error of the service (§7) in an event and explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from cdb_desktop.client import Event, ServiceError
from cdb_desktop.vocabulary.error_catalogue import find_entry, parse_pasted_error
from cdb_desktop.vocabulary.error_messages import ErrorMessage, error_message

_CODE = re.compile(r"\berror(?:\.[a-z0-9_]+){1,6}")
_DEEPEST = 6  # nested lists and objects
_MOST_VALUES = 500
_LONGEST = 20_000  # characters of a text in which an error is looked for


def explained_error(event: Event) -> ErrorMessage | None:
    """The message of the first error in the info of an event, None if there is none.

    An error is an object with a known code, as a value or as JSON in a text, or such a code in a text. Short
    records have no info.
    """
    found = next(_errors(event.info_value), None) if event.info is not None else None
    return None if found is None else error_message(found)


def _errors(info: object) -> Iterator[ServiceError]:
    waiting: list[tuple[object, int]] = [(info, 0)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        value, depth = waiting.pop(0)
        found = _error_in(value)
        if found is not None:
            yield found
        if depth < _DEEPEST:
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            waiting += [(one, depth + 1) for one in list(inner)[:_MOST_VALUES]]


def _error_in(value: object) -> ServiceError | None:
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return parse_pasted_error(msgspec.json.encode(value).decode())
    if not isinstance(value, str) or "error" not in value[:_LONGEST]:
        return None
    text = value[:_LONGEST]
    found = parse_pasted_error(text)
    if found is not None:
        return found
    entries = (find_entry(code) for code in _CODE.findall(text))
    entry = next((one for one in entries if one is not None), None)
    return None if entry is None else ServiceError(entry.realm, entry.code, status=entry.status)
