"""Reads values out of decoded JSON, with errors that name the path of what is wrong."""

import re
from collections.abc import Collection, Mapping

import msgspec

from cdb_desktop.foundation.i18n import Message, message

Json = Mapping[str, object]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]+")
_LONGEST = 40  # characters of a value in an error message


class _Absent:
    """No value; unlike None, which is one."""


ABSENT = _Absent()


class ReasonError(Exception):
    """An error with the reason for people in ``message``."""

    def __init__(self, reason: Message) -> None:
        super().__init__(str(reason))
        self.message = reason


class DocumentError(Exception):
    """A document that cannot be read; ``path`` is a path in it such as ``tables[3].columns[0].name``."""

    def __init__(self, path: str, what: Message) -> None:
        super().__init__(f"{path}: {what}" if path else str(what))
        self.path = path
        self.message = what


def expect_object(value: object, path: str) -> Json:
    """The value as a JSON object. Raises DocumentError."""
    if isinstance(value, Mapping):
        return value
    raise DocumentError(path, message("An object is expected, not {found}.", found=_excerpt(value)))


def expect_objects(holder: Json, name: str, path: str) -> list[Json]:
    """The objects of a list, none where the list is missing or null. Raises DocumentError."""
    found = holder.get(name)
    if found is None:
        return []
    where = join_path(path, name)
    if not isinstance(found, list):
        raise DocumentError(where, message("A list is expected, not {found}.", found=_excerpt(found)))
    return [expect_object(item, f"{where}[{number}]") for number, item in enumerate(found)]


def optional_id(holder: Json, name: str, path: str) -> int | None:
    """An id, None if it is missing or null. Raises DocumentError."""
    found = holder.get(name)
    if found is None:
        return None
    if isinstance(found, int) and not isinstance(found, bool) and found > 0:
        return found
    expected = message("A positive integer is expected, not {found}.", found=_excerpt(found))
    raise DocumentError(join_path(path, name), expected)


def optional_text(holder: Json, name: str, path: str) -> str | None:
    """A text, None if it is missing or null. Raises DocumentError."""
    found = holder.get(name)
    if found is None or isinstance(found, str):
        return found
    raise DocumentError(
        join_path(path, name), message("A text is expected, not {found}.", found=_excerpt(found))
    )


def join_path(path: str, name: str) -> str:
    """The path of the attribute ``name`` of the value at ``path``."""
    return f"{path}.{name}" if path else name


def _excerpt(value: object) -> str:
    text = shown_value(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def int_attribute(raw: Json, name: str) -> int | None:
    """An attribute as an integer, or None."""
    value = raw.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text_attribute(raw: Json, name: str) -> str:
    """An attribute as text, or empty."""
    value = raw.get(name)
    return value if isinstance(value, str) else ""


def option_value(name: str, raw: Json) -> object:
    """The value of an option, None for all that means nothing; but false is a default of columns.

    Name hints beside ids mean nothing either, except among a user's own settings.
    """
    value = raw.get(name)
    if value is False:
        return value if name == "default" else None
    if isinstance(value, str | list | dict) and not value:
        return None
    return value if name == "custom_settings" else _without_hints(value)


def _without_hints(value: object) -> object:
    if isinstance(value, list):
        return [_without_hints(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    hints = {f"{name.removesuffix('_id')}_name_hint" for name in value if name.endswith("_id")}
    return {name: _without_hints(each) for name, each in value.items() if name not in hints}


def without(raw: Json, names: Collection[str]) -> dict[str, object]:
    """The attributes but some of them."""
    return {name: value for name, value in raw.items() if name not in names}


def shown_value(value: object) -> str:
    """A value of an attribute as a person reads it: texts as they are, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def plain_text(text: str) -> str:
    """The text on one line, without control characters and halves of characters."""
    return _CONTROL.sub(" ", text)
