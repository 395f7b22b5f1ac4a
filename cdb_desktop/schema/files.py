"""The forms in which models stand in files (wire §5), opened and written back without loss.

A JSON file keeps its own style: saving changes only the lines that hold a change of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import msgspec

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.file_names import FileNames
from cdb_desktop.schema.json_text import changed_text
from cdb_desktop.schema.markup import from_xml, to_xml
from cdb_desktop.schema.reading import read
from cdb_desktop.schema.shape import DocumentError, Json, an_object
from cdb_desktop.schema.writing import write

_BOM = b"\xef\xbb\xbf"


class Form(Enum):
    """How a file holds a model."""

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

    form: Form
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
        """The same model in XML, or in JSON: in the form that it had there, else the bare document."""
        if wanted == (self.form is Form.XML):
            return self
        return replace(self, form=Form.XML if wanted else _json_form(self.raw))


def open_model(content: bytes) -> ModelFile:
    """The model in a file's bytes; raises DocumentError naming the place where something else stands."""
    if content.removeprefix(_BOM).lstrip()[:1] == b"<":
        document = read(from_xml(content))
        return ModelFile(Form.XML, document, content=content, base=document)
    try:
        decoded = msgspec.json.decode(content.removeprefix(_BOM))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError("", message("This is not JSON: {reason}.", reason=str(error))) from error
    except RecursionError as error:
        raise DocumentError("", message("The file is nested too deeply to be a data model.")) from error
    raw = an_object(decoded, "")
    if "tables" in raw:
        document = read(raw)
        return ModelFile(Form.BARE, document, raw=raw, content=content, base=document)
    if "schema" not in raw:
        raise DocumentError("", message("This is not a data model: it contains neither a schema nor tables."))
    an_object(raw["schema"], "schema")
    return _exported(_json_form(raw), raw, content)


def save_model(file: ModelFile) -> bytes:
    """The bytes of a file in its form; what has not changed is written as it was read."""
    is_xml = file.content.removeprefix(_BOM).lstrip()[:1] == b"<"
    if file.document is file.base and is_xml == (file.form is Form.XML):
        return file.content
    plain = write(file.document)
    if file.form is Form.XML:
        return to_xml(plain)
    if not file.raw:
        return msgspec.json.format(msgspec.json.encode(plain), indent=2)
    text = changed_text(file.content.removeprefix(_BOM).decode(), file.raw, _followed(file, plain))
    return (_BOM if file.content.startswith(_BOM) else b"") + text.encode()


def _followed(file: ModelFile, plain: Json) -> Json:
    """What the file holds now, all of its parts."""
    if file.form is Form.BARE or file.base is None:
        return plain
    found = FileNames(file.base, file.document)
    parts = {"schema": plain, "mask": found.masks(file.masks), "keys": found.names(file.names)}
    written = dict(file.raw)
    for name, part in parts.items():
        raw = file.raw.get(name)
        if not isinstance(raw, Mapping):
            continue
        if file.form is not Form.OLD_EXPORT:
            written[name] = part
        elif isinstance(raw.get("HEAD"), Mapping):
            written[name] = {**raw, "HEAD": part}
    return written


def _json_form(raw: Json) -> Form:
    schema = raw.get("schema")
    if not isinstance(schema, Mapping):
        return Form.BARE
    return Form.OLD_EXPORT if "HEAD" in schema and "tables" not in schema else Form.EXPORT


def _exported(form: Form, raw: Json, content: bytes) -> ModelFile:
    document = _document(form, raw)
    return ModelFile(
        form,
        document,
        masks=_part(form, raw, "mask"),
        names=_part(form, raw, "keys"),
        raw=raw,
        content=content,
        base=document,
    )


def _document(form: Form, raw: Json) -> Document:
    part = _part(form, raw, "schema")
    try:
        return read(part)
    except DocumentError as error:
        prefix = "schema.HEAD" if form is Form.OLD_EXPORT else "schema"
        raise DocumentError(f"{prefix}.{error.place}", error.message) from error


def _part(form: Form, raw: Json, name: str) -> Json:
    part = an_object(raw.get(name) or {}, name)
    if form is Form.OLD_EXPORT:
        return an_object(part.get("HEAD") or {}, f"{name}.HEAD")
    return part
