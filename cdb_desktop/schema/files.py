"""The forms in which models stand in files (wire §5), opened and written back without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import msgspec

from cdb_desktop.schema.document import Document
from cdb_desktop.schema.markup import from_xml, to_xml
from cdb_desktop.schema.reading import read
from cdb_desktop.schema.shape import DocumentError, Json, an_object
from cdb_desktop.schema.words import words
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
    """An opened file; ``names`` are localized, by ``schema.<table>.name``. Masks and names are only kept."""

    form: Form
    document: Document
    masks: Mapping[str, object] = field(default_factory=dict)
    names: Mapping[str, object] = field(default_factory=dict)
    raw: Mapping[str, object] = field(default_factory=dict, repr=False)

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
        return ModelFile(Form.XML, read(from_xml(content)))
    try:
        decoded = msgspec.json.decode(content.removeprefix(_BOM))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DocumentError("", words("This is not JSON: {reason}.", reason=str(error))) from error
    except RecursionError as error:
        raise DocumentError("", words("The file is nested too deeply to be a data model.")) from error
    raw = an_object(decoded, "")
    if "tables" in raw:
        return ModelFile(Form.BARE, read(raw), raw=raw)
    if "schema" not in raw:
        raise DocumentError("", words("This is no data model: neither a schema nor tables stand in it."))
    an_object(raw["schema"], "schema")
    return _exported(_json_form(raw), raw)


def save_model(file: ModelFile) -> bytes:
    """The bytes of a file in its form, indented as exports are."""
    plain = write(file.document)
    if file.form is Form.XML:
        return to_xml(plain)
    written: object = plain
    if file.form is Form.OLD_EXPORT:
        written = {**file.raw, "schema": {**an_object(file.raw["schema"], "schema"), "HEAD": written}}
    elif file.form is Form.EXPORT:
        written = {**file.raw, "schema": written}
    return msgspec.json.format(msgspec.json.encode(written), indent=2)


def _json_form(raw: Json) -> Form:
    schema = raw.get("schema")
    if not isinstance(schema, Mapping):
        return Form.BARE
    return Form.OLD_EXPORT if "HEAD" in schema and "tables" not in schema else Form.EXPORT


def _exported(form: Form, raw: Json) -> ModelFile:
    return ModelFile(
        form,
        _document(form, raw),
        masks=_part(form, raw, "mask"),
        names=_part(form, raw, "keys"),
        raw=raw,
    )


def _document(form: Form, raw: Json) -> Document:
    part = _part(form, raw, "schema")
    try:
        return read(part)
    except DocumentError as error:
        prefix = "schema.HEAD" if form is Form.OLD_EXPORT else "schema"
        raise DocumentError(f"{prefix}.{error.place}", error.words) from error


def _part(form: Form, raw: Json, name: str) -> Json:
    part = an_object(raw.get(name) or {}, name)
    if form is Form.OLD_EXPORT:
        return an_object(part.get("HEAD") or {}, f"{name}.HEAD")
    return part
