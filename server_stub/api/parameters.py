"""Parameters in query and path as a declaration: name, kind, default, meaning; knows no call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from server_stub.api.kinds import JsonSchema, Kind
from server_stub.errors import ApiError


class Parameter(msgspec.Struct, frozen=True):
    """One parameter; `told_default` is how an unreadable default is written in a call."""

    name: str
    kind: Kind[Any]
    default: object = None
    meaning: str = ""
    required: bool = False
    repeats: bool = False
    told_default: object = None

    def read(self, text: str) -> Any:
        """The value of a text; ApiError naming the parameter."""
        if "\0" in text:
            raise ApiError(
                "invalid_value", f"The parameter {self.name!r} holds a zero, which no database takes."
            )
        try:
            text.encode()
            return self.kind.read(text)
        except UnicodeEncodeError as error:
            raise ApiError("invalid_value", f"The parameter {self.name!r} is not UTF-8.") from error
        except ValueError as error:
            raise ApiError("invalid_value", f"The parameter {self.name!r}: {error}.") from error


def read_query(
    declared: tuple[Parameter, ...], given: Iterable[tuple[str, str]], *, ignores_unknown: bool = False
) -> Mapping[str, Any]:
    """Every declared parameter with its value or default; ApiError naming the one that is wrong."""
    values: dict[str, Any] = {}
    for name, text in given:
        known = next((parameter for parameter in declared if parameter.name == name), None)
        if known is not None:
            values[name] = _taken(known, text, values.get(name))
        elif not ignores_unknown:
            raise ApiError("attribute_not_accepted", f"This call knows no query parameter {name!r}.")
    for parameter in declared:
        if parameter.required and parameter.name not in values:
            raise ApiError("attribute_expected", f"The query parameter {parameter.name!r} is missing.")
    return {parameter.name: parameter.default for parameter in declared} | values


def read_path(declared: tuple[Parameter, ...], given: Mapping[str, str]) -> Mapping[str, Any]:
    """The declared parts of the path with their values; ApiError naming the one that is wrong."""
    return {part.name: part.read(given[part.name]) for part in declared if part.name in given}


def _taken(parameter: Parameter, text: str, before: Any) -> Any:
    value = parameter.read(text)
    if before is None:
        return value
    if not parameter.repeats:
        raise ApiError("invalid_value", f"The query parameter {parameter.name!r} stands twice.")
    return before + value


def as_object(declared: tuple[Parameter, ...]) -> JsonSchema:
    """The parameters as the members of a form."""
    return {"type": "object", "properties": {each.name: each.kind.schema for each in declared}}
