"""Parameters in query and path: how each is read, checked and described as JSON schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from server_stub.foundation.errors import ApiError
from server_stub.foundation.times import lower_bound, upper_bound

_T = TypeVar("_T")
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_GREATEST = 10**18 - 1
_TRUTH = {"true": True, "1": True, "false": False, "0": False}

# What strip() takes away, more than \s in a JSON schema.
_BLANKS = r"\s\u001c-\u001f\u0085"


@dataclass(frozen=True)
class ParameterType(Generic[_T]):
    """How a text is read; `read` raises ValueError with a sentence, `schema` describes the accepted texts."""

    read: Callable[[str], _T]
    schema: JsonSchema


def one_of(*choices: str) -> ParameterType[str]:
    """One of the named values."""

    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}")
        return text

    return ParameterType(read, {"type": "string", "enum": list(choices)})


def at_least(minimum: int, *, maximum: int | None = None) -> ParameterType[int]:
    """A whole number with a lower bound; one above `maximum` means `maximum` (wire §3)."""

    def read(text: str) -> int:
        number = _whole(text)
        if number < minimum:
            raise ValueError(f"{number} is less than {minimum}")
        return number if maximum is None else min(number, maximum)

    limit = {} if maximum is None else {"x-internal-maximum": maximum}
    return ParameterType(read, {"type": "integer", "minimum": minimum, "maximum": _GREATEST} | limit)


def listed(item: ParameterType[_T]) -> ParameterType[tuple[_T, ...]]:
    """Comma-separated values, none of them empty."""

    def read(text: str) -> tuple[_T, ...]:
        return tuple(item.read(part) for part in _parts(text))

    return ParameterType(read, {"type": "array", "items": item.schema, "minItems": 1})


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


def _times(read: Callable[[str], int], meaning: str) -> ParameterType[int]:
    forms = [{"format": "date"}, {"format": "date-time"}]
    return ParameterType(read, {"type": "string", "anyOf": forms, "description": meaning})


# Databases end a text at a zero, or take none; Parameter refuses it in any type.
TEXT = ParameterType(str, {"type": "string", "pattern": r"^[^\u0000]*$"})
WORD = ParameterType(str, {"type": "string", "pattern": rf"^[^,\u0000]*[^,\u0000{_BLANKS}][^,\u0000]*$"})
WHOLE_NUMBER = ParameterType(_whole, {"type": "integer", "minimum": -_GREATEST, "maximum": _GREATEST})
FLAG = ParameterType(_truth, {"type": "boolean", "description": "true or false, also 1 or 0."})
CHARACTER = ParameterType(
    _character, {"type": "string", "minLength": 1, "maxLength": 1, "pattern": r"^[^\r\n\u0000]$"}
)
_FORMS = "T or a blank between date and time; seconds, fraction and offset may be left out (UTC then)."
EARLIEST = _times(lower_bound, f"A day or a time. {_FORMS}")
LATEST = _times(upper_bound, f"A day, which means its end, or a time. {_FORMS}")


class Parameter(msgspec.Struct, frozen=True):
    """One parameter; `documented_default` is the default as a call writes it, if that differs.

    `tolerant`: a value that cannot be read counts as not given, and of several the first that can; a
    part of the path may be any text.
    """

    name: str
    type: ParameterType[Any]
    default: object = None
    meaning: str = ""
    required: bool = False
    repeats: bool = False
    tolerant: bool = False
    documented_default: object = None

    def read(self, text: str) -> Any:
        """Returns the value of a text. Raises ApiError naming the parameter."""
        try:
            text.encode()
            value = self.type.read(text)
        except UnicodeEncodeError as error:
            raise ApiError("invalid_value", f"The parameter {self.name!r} is not UTF-8.") from error
        except ValueError as error:
            raise ApiError("invalid_value", f"The parameter {self.name!r}: {error}.") from error
        if "\0" in text and not self.tolerant:
            raise ApiError(
                "invalid_value", f"The parameter {self.name!r} holds a zero, which no database takes."
            )
        return value


def read_query(
    declared: tuple[Parameter, ...], given: Iterable[tuple[str, str]], *, allows_unknown: bool = False
) -> Mapping[str, Any]:
    """Returns every declared parameter with its value or default. Raises ApiError naming the wrong one."""
    values: dict[str, Any] = {}
    for name, text in given:
        known = next((parameter for parameter in declared if parameter.name == name), None)
        if known is None:
            if not allows_unknown:
                raise ApiError("attribute_not_accepted", f"This call has no query parameter {name!r}.")
        elif known.tolerant:
            with suppress(ValueError):
                values.setdefault(name, known.type.read(text))
        else:
            values[name] = _read_value(known, text, values.get(name))
    for parameter in declared:
        if parameter.required and parameter.name not in values:
            raise ApiError("attribute_expected", f"The query parameter {parameter.name!r} is missing.")
    return {parameter.name: parameter.default for parameter in declared} | values


def read_path(declared: tuple[Parameter, ...], given: Mapping[str, str]) -> Mapping[str, Any]:
    """Returns the declared parts of the path with their values. Raises ApiError naming the wrong one."""
    return {part.name: part.read(given[part.name]) for part in declared if part.name in given}


def _read_value(parameter: Parameter, text: str, before: Any) -> Any:
    value = parameter.read(text)
    if before is None:
        return value
    if not parameter.repeats:
        raise ApiError("invalid_value", f"The query parameter {parameter.name!r} is given twice.")
    return before + value


def as_object(declared: tuple[Parameter, ...]) -> JsonSchema:
    """Returns the JSON schema of a form with these parameters."""
    return {"type": "object", "properties": {each.name: each.type.schema for each in declared}}


JsonSchema = Mapping[str, object]

STRING: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer"}
BOOLEAN: JsonSchema = {"type": "boolean"}
# A word with capitals, as Python's own names of JSON's types are not.
OBJECT: JsonSchema = {"type": "object"}


def record(required: dict[str, JsonSchema], /, **optional: JsonSchema) -> JsonSchema:
    """An object of exactly these members."""
    return {
        "type": "object",
        "required": list(required),
        "properties": required | optional,
        "additionalProperties": False,
    }


def array(items: JsonSchema) -> JsonSchema:
    """A list of equal things."""
    return {"type": "array", "items": items}


def either(*choices: JsonSchema) -> JsonSchema:
    """Any of some shapes."""
    return {"anyOf": list(choices)}


def shape_of(kind: type) -> JsonSchema:
    """The shape of a type of the program that is encoded as JSON."""
    (found,), parts = msgspec.json.schema_components([kind], ref_template="{name}")

    def whole(part: Any) -> Any:
        match part:
            case {"$ref": name}:
                return whole(parts[name])
            case dict():
                return {key: whole(value) for key, value in part.items()}
            case list():
                return list(map(whole, part))
        return part

    shape: JsonSchema = whole(found)
    return shape


def ref(name: str) -> JsonSchema:
    """A reference to one of the components of the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{name}"}


# Our addition: the header by which an insertion can be repeated.
IDEMPOTENCY_KEY = {
    "Idempotency-Key": "A repeated request answers with the events of the first (an addition of this server)."
}
# Our addition: the headers by which HEAD is not replaced unseen.
IF_MATCH = {"If-Match": "Saves only if HEAD still has this ETag (an addition of this server)."}
ENTITY_TAG = {"ETag": "Another one for each content (an addition of this server)."}
