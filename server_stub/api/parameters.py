"""Query parameters as a declaration: name, reading, default, meaning; knows no call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from server_stub.errors import ApiError

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Parameter:
    """One query parameter; `read` raises ValueError with a sentence about the value."""

    name: str
    read: Callable[[str], object]
    default: object = None
    meaning: str = ""


def read_query(
    declared: tuple[Parameter, ...], given: Iterable[tuple[str, str]], *, ignores_unknown: bool = False
) -> Mapping[str, Any]:
    """Every declared parameter with its value or default; ApiError naming the one that is wrong."""
    known = {parameter.name: parameter for parameter in declared}
    values: dict[str, object] = {}
    for name, text in given:
        if name not in known:
            if ignores_unknown:
                continue
            raise ApiError("attribute_not_accepted", f"This call knows no query parameter {name!r}.")
        if name in values:
            raise ApiError("invalid_value", f"The query parameter {name!r} stands twice.")
        try:
            values[name] = known[name].read(text)
        except ValueError as error:
            raise ApiError("invalid_value", f"The query parameter {name!r}: {error}.") from error
    return {parameter.name: parameter.default for parameter in declared} | values


def whole(text: str) -> int:
    """A whole number."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number")
    return int(text)


def at_least(least: int) -> Callable[[str], int]:
    """A whole number with a lower bound."""

    def read(text: str) -> int:
        number = whole(text)
        if number < least:
            raise ValueError(f"{number} is less than {least}")
        return number

    return read


def truth(text: str) -> bool:
    """true or false, also 1 or 0."""
    try:
        return _TRUTH[text.lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither true nor false") from None


def texts(text: str) -> tuple[str, ...]:
    """Comma-separated strings, none of them empty."""
    found = tuple(part.strip() for part in text.split(","))
    if not all(found):
        raise ValueError("an entry is empty")
    return found


def wholes(text: str) -> tuple[int, ...]:
    """Comma-separated whole numbers."""
    return tuple(whole(part) for part in texts(text))


def one_of(*choices: str) -> Callable[[str], str]:
    """One of the named values."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}")
        return text

    return read


def character(text: str) -> str:
    """Exactly one character."""
    if len(text) != 1 or text in "\r\n\0":
        raise ValueError("it takes exactly one character, no line break")
    return text
