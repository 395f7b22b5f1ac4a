"""Checks that a posted document has the shape of a schema (wire §5); knows attributes and types, no rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

import msgspec

from server_stub.foundation.errors import ApiError
from server_stub.schema.grammar import SCHEMA, Attribute, Element, Kind, Part


def checked_shape(document: object) -> dict[str, Any]:
    """A copy of the document, once every known attribute stands where and as it must.

    Raises ApiError attribute_expected or type_mismatch, naming table and column in words.
    """
    if not _is_object(document):
        raise ApiError("type_mismatch", "The schema document must be a JSON object.")
    _check(document, SCHEMA, "The schema document")
    return _copied(document)


def _check(value: Mapping[str, Any], element: Element, where: str) -> None:
    for attribute in element.attributes:
        _check_attribute(value.get(attribute.name), attribute, where)
    for part in element.parts:
        _check_part(value.get(part.name), part, where)


def _check_attribute(value: object, attribute: Attribute, where: str) -> None:
    if value is None:
        if attribute.required:
            raise ApiError("attribute_expected", f'{where}: the attribute "{attribute.name}" is missing.')
    elif not _fits(value, attribute.kind):
        raise ApiError("type_mismatch", f'{where}: "{attribute.name}" must be {attribute.kind}.')


def _check_part(value: object, part: Part, where: str) -> None:
    if value is None:
        if part.required:
            raise ApiError("attribute_expected", f'{where}: the attribute "{part.name}" is missing.')
        return
    if part.many and not isinstance(value, list):
        raise ApiError("type_mismatch", f'{where}: "{part.name}" must be a list.')
    for number, item in enumerate(value if isinstance(value, list) and part.many else [value], 1):
        if not _is_object(item):
            what = f'each entry of "{part.name}"' if part.many else f'"{part.name}"'
            raise ApiError("type_mismatch", f"{where}: {what} must be an object.")
        _check(item, part.element, _inside(where, part, item, number))


def _inside(where: str, part: Part, item: Mapping[str, Any], number: int) -> str:
    what = part.element.tag.replace("-", " ")
    name = item.get("name")
    label = f' "{name}"' if isinstance(name, str) else f" {number}" if part.many else ""
    outer = "" if part.element.tag == "table" else f"{where}, "
    return f"{outer}{what}{label}" if outer else f"{what.capitalize()}{label}"


def _fits(value: object, kind: Kind) -> bool:
    match kind:
        case Kind.BOOLEAN:
            return isinstance(value, bool)
        case Kind.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.TEXTS:
            return isinstance(value, list) and all(isinstance(text, str) and _is_word(text) for text in value)
        case Kind.BOUND:
            return isinstance(value, int | float | str) and not isinstance(value, bool)
        case Kind.ANY:
            return True


def _is_word(text: str) -> bool:
    return text.split() == [text]


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _copied(document: dict[str, Any]) -> dict[str, Any]:
    """Half a surrogate pair is legal in JSON's escapes, but no database and no answer can hold it."""
    try:
        copied: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    except UnicodeEncodeError as error:
        raise ApiError("invalid_value", "The schema document holds text that is no Unicode.") from error
    return copied
