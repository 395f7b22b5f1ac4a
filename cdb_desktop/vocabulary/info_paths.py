"""Values within a record's info, by paths such as ``info.search.0.string``. No I/O."""

from __future__ import annotations

from collections.abc import Mapping

INFO = "info."


def path_of(name: str) -> list[str]:
    """The steps that a name such as ``info.search.0.string`` tells, from info down."""
    return name.removeprefix(INFO).split(".")


def value_at(info: object, path: list[str]) -> object:
    """What stands under a path; None where there is nothing."""
    value = info
    for key in path:
        if isinstance(value, Mapping):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
