"""Schema documents as XML and back, from the one table of elements (wire §5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import msgspec

from server_stub.schema.document.grammar import SCHEMA, Attribute, Element, ValueType

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


def from_xml(text: bytes) -> dict[str, Any]:
    """The document that `to_xml` wrote; ElementTree.ParseError or KeyError for anything else."""
    return _read(ET.fromstring(text), SCHEMA)  # noqa: S314 — the server's own output


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


def _read(node: ET.Element, element: Element) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for attribute in element.attributes:
        text = node.get(_kebab(attribute.name))
        if text is not None:
            value[attribute.name] = _attribute_value(text, attribute)
    for part in element.parts:
        found = node.find(_tag(part.name if part.many else part.element.tag))
        if found is not None and part.many:
            value[part.name] = [_read(item, part.element) for item in found]
        elif found is not None:
            value[part.name] = _read(found, part.element)
    for other in node.findall(_tag(_OTHER)):
        value[other.attrib["name"]] = msgspec.json.decode(other.text or "null")
    return value


def _attribute_value(text: str, attribute: Attribute) -> Any:
    match attribute.type:
        case ValueType.BOOLEAN:
            return text == "1"
        case ValueType.TEXT:
            return text
        case ValueType.TEXTS:
            return text.split()
        case _:
            return msgspec.json.decode(text)


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{_kebab(name)}"


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
