"""Which masks of a model file show a table or column. No call of a service returns masks; exports do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_values import Json, text_attribute
from cdb_desktop.schema.document.model import Document, NamedRef, Table


@dataclass(frozen=True, slots=True)
class MaskUse:
    """The names of the masks that show each element, in their order."""

    names: Mapping[NamedRef, tuple[str, ...]]

    def of(self, *refs: NamedRef) -> tuple[str, ...]:
        """The masks that show one of these elements."""
        return tuple(dict.fromkeys(name for ref in refs for name in self.names.get(ref, ())))


NO_MASKS = MaskUse({})


def find_mask_use(document: Document, part: Json) -> MaskUse:
    """The use of the elements of a document in the masks of its file; what they do not name is left out."""
    found: dict[NamedRef, dict[str, None]] = {}
    masks = part.get("masks")
    for mask in masks if isinstance(masks, list) else ():
        if isinstance(mask, Mapping):
            name = text_attribute(mask, "name")
            for ref in _shown(document, mask):
                found.setdefault(ref, {})[name] = None
    return MaskUse({ref: tuple(names) for ref, names in found.items()})


def _shown(document: Document, mask: Json) -> Iterator[NamedRef]:
    """The table of a mask, the columns of its fields, and those of the masks within it."""
    waiting = [mask]
    while waiting:
        each = waiting.pop()
        table = _table(document, each, "table")
        if table is not None:
            yield TableRef(table.key)
        fields = each.get("fields")
        for field in fields if isinstance(fields, list) else ():
            if not isinstance(field, Mapping):
                continue
            yield from _column(table, field, "column")
            yield from _column(_table(document, field, "other_table"), field, "other_column")
            inner = field.get("mask")
            if isinstance(inner, Mapping):
                waiting.append(inner)


def _table(document: Document, raw: Json, prefix: str) -> Table | None:
    id_, hint = raw.get(f"{prefix}_id"), raw.get(f"{prefix}_name_hint")
    if isinstance(id_, int):
        return next((table for table in document.tables if table.id == id_), None)
    return next((table for table in document.tables if table.name == hint), None)


def _column(table: Table | None, raw: Json, prefix: str) -> Iterator[ColumnRef]:
    id_, hint = raw.get(f"{prefix}_id"), raw.get(f"{prefix}_name_hint")
    for column in () if table is None else table.columns:
        if column.id == id_ if isinstance(id_, int) else column.name == hint:
            yield ColumnRef(table.key if table else 0, column.key)
