"""Masks and localized names in a model file: which masks show an element, and renamed and removed elements.

All of it is worked out from the file as it was opened, so undoing a step brings everything back. The name of
a mask is its own, by which other programs address it: it stays when the mask's table gets another name. No
call of a service returns masks; exports do.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.json_values import Json, text_attribute
from cdb_desktop.schema.document.model import Column, Document, NamedRef, Table

_Element = TypeVar("_Element", Table, Column)
_Json = Mapping[str, object]
_FieldKey = tuple[str, str, str, str]  # names of mask and kind, ids of the table and of what is shown

_REVERSE = "reverse:"
_MASK_KEY = re.compile(r"mask\.[^.]*\.(?P<mask>[^.]+)(?:\.|$)")
_FIELD_KEY = re.compile(
    r"mask\.[^.]*\.(?P<mask>[^.]+)\.(?P<table>\d+)\.?(?:mask_\d+\.+)*(?P<kind>[a-z-]+)\.(?P<id>\d+)\."
)


class RenamedElements:
    """Maps the tables and columns of a file as it was opened to those of another state of its document."""

    def __init__(self, opened: Document, now: Document) -> None:
        self._opened = opened
        self._now = now
        self._tables = {table.name: table for table in reversed(opened.tables)}
        self._table_ids = {table.id: table for table in reversed(opened.tables) if table.id is not None}
        self._became = {table.key: _current_of(table, opened.by_key, now.by_key) for table in opened.tables}
        self._gone_fields: set[_FieldKey] = set()
        self._kept_fields: set[_FieldKey] = set()
        self._gone_masks: set[str] = set()
        self._kept_masks: set[str] = set()

    def masks(self, raw: _Json) -> _Json:
        """The masks with current names, without those of removed tables and without removed columns."""
        found = raw.get("masks")
        if not isinstance(found, list):
            return raw
        kept: list[object] = []
        for mask in found:
            followed = self._mask(mask, str(mask.get("name"))) if isinstance(mask, Mapping) else mask
            if isinstance(mask, Mapping):
                names = self._gone_masks if followed is None else self._kept_masks
                names.add(str(mask.get("name")))
            if followed is not None:
                kept.append(followed)
        return {**raw, "masks": kept}

    def names(self, raw: _Json) -> _Json:
        """The localized names under their current keys. Call `masks` first, since some belong to masks."""
        found: dict[str, object] = {}
        for key, texts in raw.items():
            followed = self._key(key)
            if followed is not None:
                found[followed] = self._with_comment(texts)
        return found

    def _key(self, key: str) -> str | None:
        if key.startswith("mask."):
            return None if self._is_gone(key) else key
        part, *rest = key.split(".", 3)
        table = self._tables.get(rest[0]) if part == "schema" and rest else None
        if table is None:
            return key
        now = self._became[table.key]
        if now is None:
            return None
        if len(rest) == 3 and rest[1] == "column":
            column = self._column_part(table, rest[2])
            return None if column is None else f"schema.{now.name}.column.{column}"
        return ".".join((part, now.name, *rest[1:]))

    def _column_part(self, table: Table, name: str) -> str | None:
        """A column, a nested table by its whole name, or ``reverse:<table>.<id of the linking column>``."""
        column = _by_name(table, name)
        if column is not None:
            now = self._column_now(table, column)
            return None if now is None else now.name
        if name.startswith(_REVERSE):
            other_name, dot, number = name.removeprefix(_REVERSE).rpartition(".")
            other = self._tables.get(other_name)
            if other is None or not number.isdecimal():
                return name
            found = self._became[other.key]
            linking = next((one for one in other.columns if one.id == int(number)), None)
            is_gone = linking is not None and self._column_now(other, linking) is None
            return None if found is None or is_gone else f"{_REVERSE}{found.name}{dot}{number}"
        nested = self._tables.get(name)
        if nested is None:
            return name
        now_nested = self._became[nested.key]
        return None if now_nested is None else now_nested.name

    def _is_gone(self, key: str) -> bool:
        mask, field = _MASK_KEY.match(key), _FIELD_KEY.match(key)
        if mask is not None and mask["mask"] in self._gone_masks - self._kept_masks:
            return True
        if field is None:
            return False
        found = (field["mask"], field["kind"], field["table"], field["id"])
        return found in self._gone_fields and found not in self._kept_fields

    def _with_comment(self, texts: object) -> object:
        """``_comment`` names the element of a text: ``table.column``, or a path through several tables."""
        comment = texts.get("_comment") if isinstance(texts, Mapping) else None
        if not isinstance(texts, Mapping) or not isinstance(comment, str) or not comment:
            return texts
        followed = self._path(comment.split("."))
        return texts if followed is None else {**texts, "_comment": ".".join(followed)}

    def _path(self, names: list[str]) -> list[str] | None:
        """The current names on the path to a column, None if one of them names nothing."""
        found: list[str] = []
        table: Table | None = None
        for name in names:
            column = None if table is None else _by_name(table, name)
            other = self._tables.get(name)
            now: Table | Column | None = None
            if table is not None and column is not None:
                now = self._column_now(table, column)
            elif other is not None:
                table, now = other, self._became[other.key]
            if now is None:
                return None
            found.append(now.name)
        return found

    def _mask(self, raw: _Json, mask: str) -> _Json | None:
        """A mask, or the part of one that shows another table; None if its table was removed."""
        table = self._table(raw, "table")
        name = self._name_now(table)
        if name is None and table is not None:
            self._note_gone(raw, table, mask)
            return None
        followed = _with_hint(raw, "table_name_hint", name)
        fields = raw.get("fields")
        if isinstance(fields, list):
            kept = [self._field(field, table, mask) for field in fields]
            followed["fields"] = [field for field in kept if field is not None]
        return followed

    def _field(self, raw: object, table: Table | None, mask: str) -> object | None:
        if not isinstance(raw, Mapping):
            return raw
        other = self._table(raw, "other_table")
        column, other_column = _column_in(raw, table, "column"), _column_in(raw, other, "other_column")
        hints: dict[str, Table | Column | None] = {}
        if other is not None:
            hints["other_table_name_hint"] = self._became[other.key]
        if table is not None and column is not None:
            hints["column_name_hint"] = self._column_now(table, column)
        if other is not None and other_column is not None:
            hints["other_column_name_hint"] = self._column_now(other, other_column)
        followed: _Json | None = None if None in hints.values() else dict(raw)
        for hint, element in hints.items():
            if followed is not None and element is not None:
                followed = _with_hint(followed, hint, element.name)
        inner = raw.get("mask")
        if followed is not None and isinstance(inner, Mapping):
            part = self._mask(inner, mask)
            followed = None if part is None else {**followed, "mask": part}
        if followed is None:
            self._note_gone({"fields": [raw]}, table, mask)
        else:
            self._kept_fields.add(_field_key(raw, table, mask))
        return followed

    def _note_gone(self, raw: _Json, table: Table | None, mask: str) -> None:
        """Remembers removed fields, so that their texts are removed, too."""
        fields = raw.get("fields")
        for field in fields if isinstance(fields, list) else ():
            if isinstance(field, Mapping):
                self._gone_fields.add(_field_key(field, table, mask))
                inner = field.get("mask")
                if isinstance(inner, Mapping):
                    self._note_gone(inner, self._table(inner, "table"), mask)

    def _table(self, raw: _Json, prefix: str) -> Table | None:
        """The table that an id or else a hint names, as the file was opened."""
        id_, hint = raw.get(f"{prefix}_id"), raw.get(f"{prefix}_name_hint")
        if isinstance(id_, int):
            return self._table_ids.get(id_)
        return self._tables.get(hint) if isinstance(hint, str) else None

    def _name_now(self, table: Table | None) -> str | None:
        now = None if table is None else self._became[table.key]
        return None if now is None else now.name

    def _column_now(self, table: Table, column: Column) -> Column | None:
        now = self._became[table.key]
        return None if now is None else _current_of(column, table.by_key, now.by_key)


def _current_of(
    element: _Element, opened: Mapping[int, _Element], now: Mapping[int, _Element]
) -> _Element | None:
    """The element with the same key, else a new element with the same name."""
    found = now.get(element.key)
    if found is not None:
        return found
    return next((one for key, one in now.items() if key not in opened and one.name == element.name), None)


def _by_name(table: Table, name: str) -> Column | None:
    return next((column for column in table.columns if column.name == name), None)


def _column_in(raw: _Json, table: Table | None, prefix: str) -> Column | None:
    id_, hint = raw.get(f"{prefix}_id"), raw.get(f"{prefix}_name_hint")
    if table is None:
        return None
    if isinstance(id_, int):
        return next((column for column in table.columns if column.id == id_), None)
    return _by_name(table, hint) if isinstance(hint, str) else None


def _with_hint(raw: _Json, hint: str, name: str | None) -> dict[str, object]:
    return {**raw, hint: name} if name is not None and hint in raw else dict(raw)


def _field_key(raw: _Json, table: Table | None, mask: str) -> _FieldKey:
    kind = str(raw.get("kind"))
    shown = raw.get("other_table_id") if "linked-table" in kind else raw.get("column_id")
    return mask, kind, str(None if table is None else table.id), str(shown)


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
