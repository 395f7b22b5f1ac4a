"""Model files on the disk: read whole, written whole, and known again when somebody else has written them.

Every call blocks, so it belongs into a thread; knows no window.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.schema.document import Document
from cdb_desktop.schema.files import Form, ModelFile, open_model, save_model

_XML = ".xml"

Stamp = tuple[int, int]  # nanoseconds since 1970 and bytes


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A model, where it stands, and as which state of the file it was read or written."""

    path: Path
    model: ModelFile
    stamp: Stamp


def read_file(path: Path) -> OpenedFile:
    """Opens a model; raises OSError, and DocumentError for what is none."""
    stamp = _stamp(path)
    return OpenedFile(path, open_model(path.read_bytes()), stamp)


def is_changed(opened: OpenedFile) -> bool:
    """Whether somebody else has written the file since; one that is gone has not."""
    try:
        return _stamp(opened.path) != opened.stamp
    except OSError:
        return False


def write_file(opened: OpenedFile, document: Document) -> OpenedFile:
    """Writes another document in the place of the one in the file; raises OSError."""
    model = opened.model.with_document(document)
    return replace(opened, model=model, stamp=_write(opened.path, model))


def write_copy(path: Path, document: Document, model: ModelFile | None = None) -> OpenedFile:
    """Writes a document to another file, in XML where that ends in ``.xml``; raises OSError.

    ``model`` is the file it came from, whose masks and names go along where the form can hold them.
    """
    base = model.with_document(document) if model else ModelFile(Form.BARE, document)
    written = base.as_xml(wanted=path.suffix.lower() == _XML)
    return OpenedFile(path, written, _write(path, written))


def _write(path: Path, model: ModelFile) -> Stamp:
    write_whole(path, save_model(model), private=False)
    return _stamp(path)


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
