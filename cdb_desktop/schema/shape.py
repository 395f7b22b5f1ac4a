"""Asks plain JSON for what must stand there, naming the place where something else does. Knows no schema."""

from __future__ import annotations

from collections.abc import Mapping

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.elements import shown_value

Json = Mapping[str, object]

_LONGEST = 40  # characters of what stands in a wrong place


class DocumentError(Exception):
    """A document that cannot be opened; ``place`` is a path such as ``tables[3].columns[0].name``."""

    def __init__(self, place: str, what: Message) -> None:
        super().__init__(f"{place}: {what}" if place else str(what))
        self.place = place
        self.message = what


def an_object(value: object, place: str) -> Json:
    """The value as a JSON object; raises DocumentError."""
    if isinstance(value, Mapping):
        return value
    raise DocumentError(place, message("An object is expected, not {found}.", found=_shown(value)))


def objects(holder: Json, name: str, place: str) -> list[Json]:
    """The objects of a list, none where the list is missing or null; raises DocumentError."""
    found = holder.get(name)
    if found is None:
        return []
    where = below(place, name)
    if not isinstance(found, list):
        raise DocumentError(where, message("A list is expected, not {found}.", found=_shown(found)))
    return [an_object(item, f"{where}[{number}]") for number, item in enumerate(found)]


def an_id(holder: Json, name: str, place: str) -> int | None:
    """An id, None where it is missing or null; raises DocumentError."""
    found = holder.get(name)
    if found is None:
        return None
    if isinstance(found, int) and not isinstance(found, bool) and found > 0:
        return found
    expected = message("A positive integer is expected, not {found}.", found=_shown(found))
    raise DocumentError(below(place, name), expected)


def a_text(holder: Json, name: str, place: str) -> str | None:
    """A text, None where it is missing or null; raises DocumentError."""
    found = holder.get(name)
    if found is None or isinstance(found, str):
        return found
    raise DocumentError(below(place, name), message("A text is expected, not {found}.", found=_shown(found)))


def below(place: str, name: str) -> str:
    """The path of an attribute of what lies at ``place``."""
    return f"{place}.{name}" if place else name


def _shown(value: object) -> str:
    told = shown_value(value)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"
