"""How a text of a call is read and how that is told in a JSON schema, side by side; knows no parameter."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from server_stub.times import lower_bound, upper_bound

_T = TypeVar("_T")
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_GREATEST = 10**18 - 1
_TRUTH = {"true": True, "1": True, "false": False, "0": False}

# What strip() takes away, more than \s in a JSON schema.
_BLANKS = r"\s\u001c-\u001f\u0085"

JsonSchema = Mapping[str, object]


@dataclass(frozen=True)
class Kind(Generic[_T]):
    """`read` raises ValueError with a sentence about the text; `schema` describes the texts that it takes."""

    read: Callable[[str], _T]
    schema: JsonSchema


def one_of(*choices: str) -> Kind[str]:
    """One of the named values."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}")
        return text

    return Kind(read, {"type": "string", "enum": list(choices)})


def at_least(least: int, *, most: int | None = None) -> Kind[int]:
    """A whole number with a lower bound; one above `most` means `most` (wire §3)."""

    def read(text: str) -> int:
        number = _whole(text)
        if number < least:
            raise ValueError(f"{number} is less than {least}")
        return number if most is None else min(number, most)

    told = {} if most is None else {"x-internal-maximum": most}
    return Kind(read, {"type": "integer", "minimum": least, "maximum": _GREATEST} | told)


def listed(item: Kind[_T]) -> Kind[tuple[_T, ...]]:
    """Comma-separated values, none of them empty."""

    def read(text: str) -> tuple[_T, ...]:
        return tuple(item.read(part) for part in _parts(text))

    return Kind(read, {"type": "array", "items": item.schema, "minItems": 1})


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number of at most 18 digits")
    return int(text)


def _truth(text: str) -> bool:
    try:
        return _TRUTH[text.lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def _parts(text: str) -> tuple[str, ...]:
    found = tuple(part.strip() for part in text.split(","))
    if not all(found):
        raise ValueError("an entry is empty")
    return found


def _character(text: str) -> str:
    if len(text) != 1 or text in "\r\n":
        raise ValueError("it takes exactly one character, no line break")
    return text


def _times(read: Callable[[str], int], meaning: str) -> Kind[int]:
    forms = [{"format": "date"}, {"format": "date-time"}]
    return Kind(read, {"type": "string", "anyOf": forms, "description": meaning})


# Databases end a text at a zero, or take none; Parameter refuses it in whatever kind.
TEXT = Kind(str, {"type": "string", "pattern": r"^[^\u0000]*$"})
WORD = Kind(str, {"type": "string", "pattern": rf"^[^,\u0000]*[^,\u0000{_BLANKS}][^,\u0000]*$"})
WHOLE = Kind(_whole, {"type": "integer", "minimum": -_GREATEST, "maximum": _GREATEST})
TRUTH = Kind(_truth, {"type": "boolean", "description": "true or false, also 1 or 0."})
CHARACTER = Kind(
    _character, {"type": "string", "minLength": 1, "maxLength": 1, "pattern": r"^[^\r\n\u0000]$"}
)
_FORMS = "T or a blank between date and time; seconds, fraction and offset may be left out (UTC then)."
EARLIEST = _times(lower_bound, f"A day or a time. {_FORMS}")
LATEST = _times(upper_bound, f"A day, which means its end, or a time. {_FORMS}")
