"""Writes a document back as plain JSON: what was read and not changed comes out as it came in."""

from __future__ import annotations

from collections.abc import Sequence

from cdb_desktop.schema.document import Document, Table
from cdb_desktop.schema.elements import ForeignKey, Raw, Reference, UniqueKey


def write(document: Document) -> dict[str, object]:
    """The document as the service takes it, with local elements named by hints (wire §5)."""
    return filled(document.raw, "tables", [write_table(table) for table in document.tables])


def write_table(table: Table) -> dict[str, object]:
    """One table as it stands in the document."""
    raw = filled(table.raw, "columns", [dict(entry.raw) for entry in table.entries])
    raw = filled(raw, "unique_keys", [_unique_key(key) for key in table.unique_keys])
    return filled(raw, "foreign_keys", [_foreign_key(key) for key in table.foreign_keys])


def filled(raw: Raw, name: str, parts: Sequence[object]) -> dict[str, object]:
    """A copy with the parts in their place; a list that was missing or null stays so while it is empty."""
    written = dict(raw)
    if parts or written.get(name) is not None:
        written[name] = list(parts)
    return written


def _foreign_key(key: ForeignKey) -> dict[str, object]:
    written = filled(key.raw, "columns", _references(key.columns))
    written["referenced_table"] = filled(key.target_raw, "columns", _references(key.target_columns))
    return written


def _unique_key(key: UniqueKey) -> dict[str, object]:
    return filled(key.raw, "columns", _references(key.columns))


def _references(references: tuple[Reference, ...]) -> list[object]:
    return [dict(reference.raw) for reference in references]
