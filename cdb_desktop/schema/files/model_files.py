"""Model files: their formats (wire §5), and reading and writing them without loss.

A JSON file keeps its own style: saving changes only the lines that hold a change of the model. In XML,
attributes are in kebab-case and booleans 1 and 0; what is in none of the sets below is an element ``other``
that holds JSON, as the service writes it. Functions that take a path block and belong on a thread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.json_values import DocumentError, Json, expect_object, join_path
from cdb_desktop.schema.document.local_names import with_edited_names, with_own_names
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.files.json_text import update_json_text
from cdb_desktop.schema.files.renamed_elements import RenamedElements

_BOM = b"\xef\xbb\xbf"

_XML_SUFFIX = ".xml"
Stamp = tuple[int, int]  # nanoseconds since 1970 and bytes


class ModelFormat(Enum):
    """The format of a model in a file."""

    EXPORT = "export"  # {version, format_version, schema, mask, keys}
    OLD_EXPORT = "old export"  # the same with each part under HEAD
    BARE = "bare"  # the document itself
    XML = "xml"  # the document itself, as the service delivers it by default (§4.6)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """An opened file; ``names`` are localized, by ``schema.<table>.name``.

    ``masks``, ``names``, ``raw``, ``content`` and ``base`` are those of the file as it was opened. What is
    written is worked out from them, so that masks and names follow each state of ``document``.
    """

    form: ModelFormat
    document: Document
    masks: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[str, object] = field(default_factory=dict)
    raw: Mapping[str, object] = field(default_factory=dict, repr=False)
    content: bytes = field(default=b"", repr=False)
    base: Document | None = field(default=None, repr=False)

    def with_document(self, document: Document) -> ModelFile:
        """The same file with another document."""
        return replace(self, document=document)

    def as_xml(self, *, wanted: bool) -> ModelFile:
        """The same model in XML, or in JSON: in its former format there, else as the bare document."""
        if wanted == (self.form is ModelFormat.XML):
            return self
        return replace(self, form=ModelFormat.XML if wanted else _json_format(self.raw))


def decode_model(content: bytes) -> ModelFile:
    """The model in a file's bytes. Raises DocumentError if it contains none."""
    if content.removeprefix(_BOM).lstrip()[:1] == b"<":
        document = read_document(from_xml(content))
        return ModelFile(ModelFormat.XML, document, content=content, base=document)
    try:
        decoded = msgspec.json.decode(content.removeprefix(_BOM))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError("", message("This is not JSON: {reason}.", reason=str(error))) from error
    except RecursionError as error:
        raise DocumentError("", message("The file is nested too deeply to be a data model.")) from error
    raw = expect_object(decoded, "")
    if "tables" in raw:
        document = read_document(raw)
        return ModelFile(ModelFormat.BARE, document, raw=raw, content=content, base=document)
    if "schema" not in raw:
        raise DocumentError("", message("This is not a data model: it contains neither a schema nor tables."))
    expect_object(raw["schema"], "schema")
    return _exported(_json_format(raw), raw, content)


def encode_model(file: ModelFile) -> bytes:
    """The bytes of a file in its format; unchanged parts are written as they were read."""
    is_xml = file.content.removeprefix(_BOM).lstrip()[:1] == b"<"
    if file.document is file.base and is_xml == (file.form is ModelFormat.XML):
        return file.content
    plain = write_document(with_own_names(file.document))
    if file.form is ModelFormat.XML:
        return to_xml(plain)
    if not file.raw:
        return msgspec.json.format(msgspec.json.encode(plain), indent=2)
    text = update_json_text(file.content.removeprefix(_BOM).decode(), file.raw, _updated_parts(file, plain))
    return (_BOM if file.content.startswith(_BOM) else b"") + text.encode()


def current_names(file: ModelFile, document: Document) -> Json:
    """The localized names of the file by the current names of tables and columns in ``document``."""
    if file.base is None:
        return file.names
    found = RenamedElements(file.base, document)
    found.masks(file.masks)  # some names belong to masks
    return with_edited_names(found.names(file.names), document)


def _updated_parts(file: ModelFile, plain: Json) -> Json:
    """The new content of the file, with all of its parts."""
    if file.form is ModelFormat.BARE or file.base is None:
        return plain
    found = RenamedElements(file.base, file.document)
    parts = {"schema": plain, "mask": found.masks(file.masks), "keys": found.names(file.names)}
    parts["keys"] = with_edited_names(parts["keys"], file.document)
    written = dict(file.raw)
    for name, part in parts.items():
        raw = file.raw.get(name)
        if raw is None and name == "keys" and part:
            raw = {"HEAD": {}} if file.form is ModelFormat.OLD_EXPORT else {}
        if not isinstance(raw, Mapping):
            continue
        if file.form is not ModelFormat.OLD_EXPORT:
            written[name] = part
        elif isinstance(raw.get("HEAD"), Mapping):
            written[name] = {**raw, "HEAD": part}
    return written


def _json_format(raw: Json) -> ModelFormat:
    schema = raw.get("schema")
    if not isinstance(schema, Mapping):
        return ModelFormat.BARE
    return ModelFormat.OLD_EXPORT if "HEAD" in schema and "tables" not in schema else ModelFormat.EXPORT


def _exported(form: ModelFormat, raw: Json, content: bytes) -> ModelFile:
    part = _part(form, raw, "schema")
    try:
        document = read_document(part)
    except DocumentError as error:
        prefix = "schema.HEAD" if form is ModelFormat.OLD_EXPORT else "schema"
        raise DocumentError(f"{prefix}.{error.path}", error.message) from error
    masks, names = _part(form, raw, "mask"), _part(form, raw, "keys")
    return ModelFile(form, document, masks, names, raw, content, base=document)


def _part(form: ModelFormat, raw: Json, name: str) -> Json:
    part = expect_object(raw.get(name) or {}, name)
    if form is ModelFormat.OLD_EXPORT:
        return expect_object(part.get("HEAD") or {}, f"{name}.HEAD")
    return part


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A model, its file, and the state of the file when it was read or written."""

    path: Path
    model: ModelFile
    stamp: Stamp


def read_file(path: Path) -> OpenedFile:
    """Reads a model. Raises OSError, and DocumentError if the file is none."""
    stamp = _stamp(path)
    return OpenedFile(path, decode_model(path.read_bytes()), stamp)


def is_changed(opened: OpenedFile) -> bool:
    """Whether another program has written the file since; False if it was removed."""
    try:
        return _stamp(opened.path) != opened.stamp
    except OSError:
        return False


def write_file(opened: OpenedFile, document: Document) -> OpenedFile:
    """Writes another document to the file. Raises OSError."""
    model = opened.model.with_document(document)
    return replace(opened, model=model, stamp=_write(opened.path, model))


def write_copy(path: Path, document: Document, model: ModelFile | None = None) -> OpenedFile:
    """Writes a document to another file, in XML if its name ends in ``.xml``. Raises OSError.

    ``model`` is the file it came from, whose masks and names go along where the form can hold them.
    """
    base = model.with_document(document) if model else ModelFile(ModelFormat.BARE, document)
    written = base.as_xml(wanted=path.suffix.lower() == _XML_SUFFIX)
    return OpenedFile(path, written, _write(path, written))


def _write(path: Path, model: ModelFile) -> Stamp:
    write_whole(path, encode_model(model), private=False)
    return _stamp(path)


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size


NAMESPACE = "urn:content-database:schema:1"

# fmt: off
_FLAGS = frozenset(
    (
        "is_hierarchical", "pool_link", "acl_table", "has_tags", "in_main_search", "in_facets",
        "require_comment", "not_null", "reverse_edit", "polyhierarchical",
        "bidirectional_reverse", "check_range_not_empty", "check_range_lower_open", "check_range_upper_open",
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
        "bidirectional": _Shape("pair", _REFERENCES),
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
    if root.tag != f"{{{NAMESPACE}}}schema":
        raise DocumentError("", message("This is not a data model: the root is {found}.", found=root.tag))
    return _read(root, _SCHEMA, "")


def to_xml(document: Json) -> bytes:
    """The document as the service would deliver it as XML."""
    root = _write_element(document, _SCHEMA)
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


def _write_element(value: Json, shape: _Shape) -> ET.Element:
    node = ET.Element(shape.tag)
    others: list[ET.Element] = []
    for name, each in value.items():
        if each is None:
            others.append(_other(name, each))
        elif name in shape.lists and isinstance(each, list | tuple):
            group = ET.SubElement(node, _kebab(name))
            group.extend(_write_element(item, shape.lists[name]) for item in each)
        elif name in shape.single and isinstance(each, Mapping):
            node.append(_write_element(each, shape.single[name]))
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


def _kebab(name: str) -> str:
    return name.replace("_", "-")
