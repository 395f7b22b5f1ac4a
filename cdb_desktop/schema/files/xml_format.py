"""Schema documents as XML and back (wire §5): attributes in kebab-case, booleans as 1 and 0.

What is in none of the sets below is written as an element ``other`` that holds JSON, as the service does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import msgspec

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_values import DocumentError, Json, join_path

NAMESPACE = "urn:content-database:schema:1"

# fmt: off
_FLAGS = frozenset(
    (
        "is_hierarchical", "pool_link", "acl_table", "has_tags", "in_main_search", "in_facets",
        "require_comment", "not_null", "reverse_edit", "check_range_lower_open", "check_range_upper_open",
        "auto_column_primary_key", "auto_column_uplink", "auto_column_parent", "unique_true",
    )
)
_TEXTS = frozenset(
    (
        "type", "name", "kind", "comment", "check", "check_regexp", "check_regexp_flags", "on_delete",
        "on_update", "name_hint", "table_name_hint", "column_name_hint", "other_table_name_hint",
        "other_column_name_hint",
    )
)
_NUMBERS = frozenset(
    (
        "version", "based_on_version", "based_on_base_version", "max_table_id", "max_column_id", "table_id",
        "column_id", "other_table_id", "other_column_id", "length_min", "length_max",
    )
)
_VALUES = frozenset(
    (
        "check_range_lower", "check_range_upper", "default", "primary_key", "omni_directional", "group",
    )
)
# fmt: on
_LISTS = frozenset({"l10n_languages"})
# What XML 1.0 cannot hold in any form; JSON can.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PLAIN = _FLAGS | _TEXTS | _NUMBERS | _VALUES | _LISTS


@dataclass(frozen=True, slots=True)
class _Shape:
    """The elements inside one: lists under their name, or single ones."""

    tag: str
    lists: Mapping[str, _Shape] = field(default_factory=dict)
    single: Mapping[str, _Shape] = field(default_factory=dict)


_REFERENCES = {"columns": _Shape("reference")}
_FOREIGN_KEY = _Shape(
    "foreign-key", _REFERENCES, {"referenced_table": _Shape("referenced-table", _REFERENCES)}
)
_TABLE = _Shape(
    "table",
    {
        "columns": _Shape("column"),
        "foreign_keys": _FOREIGN_KEY,
        "unique_keys": _Shape("unique-key", _REFERENCES),
    },
    {"owned_by": _Shape("owned-by")},
)
_SCHEMA = _Shape("schema", {"tables": _TABLE})


def from_xml(content: bytes) -> Json:
    """The document in XML. Raises DocumentError."""
    if b"<!DOCTYPE" in content:
        raise DocumentError("", message("A model holds no document type declaration."))
    try:
        root = ET.fromstring(content)  # noqa: S314  # without declarations there is nothing to expand
    except (ET.ParseError, ValueError, LookupError) as error:
        raise DocumentError("", message("This is not XML: {reason}.", reason=str(error))) from error
    if root.tag != _tag("schema"):
        raise DocumentError("", message("This is not a data model: the root is {found}.", found=root.tag))
    return _read(root, _SCHEMA, "")


def to_xml(document: Json) -> bytes:
    """The document as the service would deliver it as XML."""
    root = _write(document, _SCHEMA)
    root.set("xmlns", NAMESPACE)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _read(node: ET.Element, shape: _Shape, path: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for attribute, text in node.attrib.items():
        name = attribute.replace("-", "_")
        found[name] = _value(name, text, join_path(path, name))
    for child in node:
        name = child.tag.removeprefix(f"{{{NAMESPACE}}}").replace("-", "_")
        where = join_path(path, name)
        if name in shape.lists:
            inner = shape.lists[name]
            found[name] = [_read(each, inner, f"{where}[{at}]") for at, each in enumerate(child)]
        elif name in shape.single:
            found[name] = _read(child, shape.single[name], where)
        elif name == "other" and "name" in child.attrib:
            own = child.attrib["name"]
            found[own] = _json(child.text or "null", join_path(path, own))
        else:
            raise DocumentError(where, message("No element of this name is expected here."))
    return found


def _value(name: str, text: str, path: str) -> object:
    if name in _FLAGS:
        if text not in {"0", "1"}:
            raise DocumentError(path, message("0 or 1 is expected, not {found}.", found=text))
        return text == "1"
    if name in _LISTS:
        return text.split()
    return text if name not in _NUMBERS | _VALUES else _json(text, path)


def _json(text: str, path: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError(path, message("A value in JSON is expected, not {found}.", found=text)) from error
    except RecursionError as error:
        raise DocumentError(path, message("The file is nested too deeply to be a data model.")) from error


def _write(value: Json, shape: _Shape) -> ET.Element:
    node = ET.Element(shape.tag)
    others: list[ET.Element] = []
    for name, each in value.items():
        if each is None:
            others.append(_other(name, each))
        elif name in shape.lists and isinstance(each, list | tuple):
            group = ET.SubElement(node, _kebab(name))
            group.extend(_write(item, shape.lists[name]) for item in each)
        elif name in shape.single and isinstance(each, Mapping):
            node.append(_write(each, shape.single[name]))
        elif _is_plain(name, each):
            node.set(_kebab(name), _text(name, each))
        else:
            others.append(_other(name, each))
    node.extend(others)
    return node


def _is_plain(name: str, value: object) -> bool:
    """Whether an attribute has a valid value that is written unchanged."""
    if name in _FLAGS:
        return isinstance(value, bool)
    if name in _TEXTS:
        return isinstance(value, str) and not _FORBIDDEN.search(value)
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(one, str) and one.split() == [one] for one in value)
    return name in _PLAIN


def _text(name: str, value: object) -> str:
    if name in _FLAGS:
        return "1" if value else "0"
    if name in _TEXTS:
        return str(value)
    if isinstance(value, list) and name in _LISTS:
        return " ".join(value)
    return msgspec.json.encode(value).decode()


def _other(name: str, value: object) -> ET.Element:
    node = ET.Element("other", name=name)
    node.text = msgspec.json.encode(value).decode()
    return node


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _kebab(name: str) -> str:
    return name.replace("_", "-")
