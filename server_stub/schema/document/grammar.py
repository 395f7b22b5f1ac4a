"""Attributes and parts of each element of a schema document, and the check of a posted one (wire §5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeGuard
from xml.etree import ElementTree as ET

import msgspec

from server_stub.foundation.errors import ApiError


class ValueType(StrEnum):
    """The type of an attribute's value; the texts are used in error messages."""

    BOOLEAN = "true or false"
    INTEGER = "an integer"
    TEXT = "a text"
    TEXTS = "a list of texts without blanks"
    BOUND = "a number or a text"
    ANY = "any value"


class Attribute(msgspec.Struct, frozen=True):
    """A plain value of an element."""

    name: str
    type: ValueType
    required: bool = False


class Part(msgspec.Struct, frozen=True):
    """One or many elements inside another one, under one key."""

    name: str
    element: Element
    many: bool = True
    required: bool = False


class Element(msgspec.Struct, frozen=True):
    """An object of the document; `tag` is its name in XML and in error messages."""

    tag: str
    attributes: tuple[Attribute, ...]
    parts: tuple[Part, ...] = ()


def _many(kind: ValueType, names: str) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, kind) for name in names.split())


_REFERENCE = Element(
    "reference",
    (
        Attribute("column_id", ValueType.INTEGER),
        Attribute("column_name_hint", ValueType.TEXT),
        *_many(
            ValueType.BOOLEAN, "auto_column_primary_key auto_column_uplink auto_column_parent unique_true"
        ),
    ),
)
_REFERENCES = Part("columns", _REFERENCE, required=True)
_REFERENCED_TABLE = Element(
    "referenced-table",
    (
        Attribute("table_id", ValueType.INTEGER),
        *_many(ValueType.TEXT, "name_hint table_name_hint"),
    ),
    (_REFERENCES,),
)
_OWNED_BY = Element(
    "owned-by",
    (
        Attribute("other_table_id", ValueType.INTEGER),
        Attribute("other_table_name_hint", ValueType.TEXT),
    ),
)
_COLUMN = Element(
    "column",
    (
        Attribute("kind", ValueType.TEXT, required=True),
        *_many(ValueType.INTEGER, "column_id other_table_id other_column_id length_min length_max"),
        *_many(ValueType.TEXT, "name type other_table_name_hint other_column_name_hint"),
        *_many(ValueType.TEXT, "check check_regexp check_regexp_flags"),
        *_many(ValueType.BOUND, "check_range_lower check_range_upper"),
        *_many(ValueType.BOOLEAN, "not_null reverse_edit check_range_lower_open check_range_upper_open"),
        *_many(ValueType.BOOLEAN, "bidirectional_reverse check_range_not_empty"),
        Attribute("default", ValueType.ANY),
    ),
)
_FOREIGN_KEY = Element(
    "foreign-key",
    _many(ValueType.TEXT, "name on_delete on_update"),
    (_REFERENCES, Part("referenced_table", _REFERENCED_TABLE, many=False, required=True)),
)
_UNIQUE_KEY = Element(
    "unique-key",
    (Attribute("name", ValueType.TEXT), Attribute("group", ValueType.ANY)),
    (_REFERENCES,),
)
_TABLE = Element(
    "table",
    (
        Attribute("table_id", ValueType.INTEGER),
        Attribute("name", ValueType.TEXT, required=True),
        *_many(ValueType.BOOLEAN, "is_hierarchical pool_link acl_table has_tags in_main_search in_facets"),
        *_many(ValueType.BOOLEAN, "require_comment polyhierarchical"),
        Attribute("comment", ValueType.TEXT),
        *_many(ValueType.ANY, "primary_key omni_directional"),
    ),
    (
        Part("owned_by", _OWNED_BY, many=False),
        Part("columns", _COLUMN),
        Part("foreign_keys", _FOREIGN_KEY),
        Part("unique_keys", _UNIQUE_KEY),
        Part("bidirectional", Element("pair", (), (_REFERENCES,))),
    ),
)
SCHEMA = Element(
    "schema",
    (
        Attribute("type", ValueType.TEXT),
        Attribute("version", ValueType.INTEGER, required=True),
        *_many(ValueType.INTEGER, "based_on_version based_on_base_version max_table_id max_column_id"),
        Attribute("l10n_languages", ValueType.TEXTS),
    ),
    (Part("tables", _TABLE, required=True),),
)


# Several times as many as the largest known models have.
_MOST_TABLES = 10_000
_MOST_COLUMNS = 100_000


def check_shape(document: object) -> dict[str, Any]:
    """A copy of the document, after checking the presence and type of every known attribute.

    Raises ApiError attribute_expected or type_mismatch with a message that names table and column.
    """
    if not _is_object(document):
        raise ApiError("type_mismatch", "The schema document must be a JSON object.")
    _check_size(document)
    _check_element(document, SCHEMA, "The schema document")
    return _copied(document)


def _check_size(document: Mapping[str, Any]) -> None:
    tables = document.get("tables")
    found = tables if isinstance(tables, list) else []
    columns = [table.get("columns") for table in found[: _MOST_TABLES + 1] if _is_object(table)]
    count = sum(len(each) for each in columns if isinstance(each, list))
    if len(found) > _MOST_TABLES or count > _MOST_COLUMNS:
        raise ApiError(
            "invalid_value",
            f"A schema has at most {_MOST_TABLES} tables with {_MOST_COLUMNS} columns in all.",
        )


def _check_element(value: Mapping[str, Any], element: Element, where: str) -> None:
    for attribute in element.attributes:
        _check_attribute(value.get(attribute.name), attribute, where)
    for part in element.parts:
        _check_part(value.get(part.name), part, where)


def _check_attribute(value: object, attribute: Attribute, where: str) -> None:
    if value is None:
        if attribute.required:
            raise ApiError("attribute_expected", f'{where}: the attribute "{attribute.name}" is missing.')
    elif not _fits(value, attribute.type):
        raise ApiError("type_mismatch", f'{where}: "{attribute.name}" must be {attribute.type}.')


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
        _check_element(item, part.element, _inside(where, part, item, number))


def _inside(where: str, part: Part, item: Mapping[str, Any], number: int) -> str:
    what = part.element.tag.replace("-", " ")
    name = item.get("name")
    label = f' "{name}"' if isinstance(name, str) else f" {number}" if part.many else ""
    outer = "" if part.element.tag == "table" else f"{where}, "
    return f"{outer}{what}{label}" if outer else f"{what.capitalize()}{label}"


def _fits(value: object, kind: ValueType) -> bool:
    match kind:
        case ValueType.BOOLEAN:
            return isinstance(value, bool)
        case ValueType.INTEGER:
            return isinstance(value, int) and not isinstance(value, bool)
        case ValueType.TEXT:
            return isinstance(value, str)
        case ValueType.TEXTS:
            return isinstance(value, list) and all(isinstance(text, str) and _is_word(text) for text in value)
        case ValueType.BOUND:
            return isinstance(value, int | float | str) and not isinstance(value, bool)
        case ValueType.ANY:
            return True


def _is_word(text: str) -> bool:
    return text.split() == [text]


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _copied(document: dict[str, Any]) -> dict[str, Any]:
    """Copies a document; a lone surrogate, legal in JSON's escapes, cannot be stored and is an ApiError."""
    try:
        copied: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document))
    except UnicodeEncodeError as error:
        raise ApiError("invalid_value", "The schema document holds text that is no Unicode.") from error
    return copied


NAMESPACE = "urn:content-database:schema:1"

# What XML 1.0 cannot hold in any form.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_OTHER = "other"


def to_xml(document: Mapping[str, Any]) -> bytes:
    """The document with a root `schema`, names in kebab-case, booleans as 1 and 0; UTF-8.

    Attributes that the contract does not name become `other` elements that hold JSON.
    """
    root = _write(document, SCHEMA)
    root.set("xmlns", NAMESPACE)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _write(value: Mapping[str, Any], element: Element) -> ET.Element:
    node = ET.Element(element.tag)
    rest = dict(value)
    for attribute in element.attributes:
        if (plain := rest.pop(attribute.name, None)) is not None:
            node.set(_kebab(attribute.name), _clean(_attribute_text(plain, attribute.type)))
    for part in element.parts:
        inner = rest.pop(part.name, None)
        if inner is None:
            continue
        if part.many:
            group = ET.SubElement(node, _kebab(part.name))
            group.extend(_write(item, part.element) for item in inner)
        else:
            node.append(_write(inner, part.element))
    for name, unknown in rest.items():
        other = ET.SubElement(node, _OTHER, name=_clean(name))
        other.text = _clean(_json(unknown))
    return node


def _attribute_text(value: Any, kind: ValueType) -> str:
    match kind:
        case ValueType.BOOLEAN:
            return "1" if value else "0"
        case ValueType.TEXT:
            return str(value)
        case ValueType.TEXTS:
            return " ".join(value)
        case _:
            return _json(value)


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
