"""Changes values in a JSON text and leaves the rest unchanged: indentation, order, escapes, final newline.

Used for model files, which people keep under version control: one renamed table must not change every line.
Text that a person has edited becomes an edit, in which elements keep their identities: those with ids by
their ids, new ones by their names. References to elements that were renamed follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TypeGuard

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.json_values import DocumentError, Json
from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.document.names import table_name
from cdb_desktop.schema.edits.edit import EditError, require_table

_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
_SLASH = re.compile(r"(?<!\\)/")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_IDS = ("table_id", "column_id", "mask_id", "other_table_id", "other_column_id")


def update_json_text(text: str, old: object, new: object) -> str:
    """The text of ``old`` changed into ``new``; only lines that contain a difference are changed."""
    return _JsonText(text).whole(old, new)


def line_of_path(text: str, path: str) -> int:
    """The line, from 1, of a value such as ``tables[3].columns[0].name``; of its holder if it is missing."""
    return _JsonText(text).line_of(_STEP.findall(path))


@dataclass(frozen=True, slots=True)
class _Child:
    """Offsets of a member of an object or an item of a list."""

    begin: int  # after the comma or the opening bracket
    start: int  # of the key, or of the item
    key_end: int
    value: int
    end: int
    comma: int  # of the comma or the closing bracket behind it


class _JsonText:
    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = json.JSONDecoder(strict=False).raw_decode

    def line_of(self, steps: Sequence[tuple[str, str]]) -> int:
        """The line of the value after the steps, each the name of a member or the number of an item."""
        at = self._after_space(0)
        for name, number in steps:
            if self._text[at : at + 1] not in ("{", "["):
                break
            children = self._children(at)
            if number:
                found = children[int(number)] if int(number) < len(children) else None
            else:
                found = next((child for child in children if self._key(child) == name), None)
            if found is None:
                break
            at = found.value
        return self._text.count("\n", 0, at) + 1

    def _key(self, child: _Child) -> str:
        return str(self._decode(self._text, child.start)[0])

    def whole(self, old: object, new: object) -> str:
        start = self._after_space(0)
        _, end = self._decode(self._text, start)
        return f"{self._text[:start]}{self._value(start, end, old, new)}{self._text[end:]}"

    def _value(self, start: int, end: int, old: object, new: object) -> str:
        if _same(old, new):
            return self._text[start:end]
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            children = self._children(start)
            if len(children) == len(old) and old and new:
                old_items, new_items = list(old.items()), list(new.items())
                pairs = _paired(list(old), list(new), list(old.values()), list(new.values()))
                found = [
                    (at, self._member(None if at is None else (children[at], *old_items[at]), *item))
                    for at, item in zip(pairs, new_items, strict=True)
                ]
                return self._joined(start, end, children, found)
        elif _is_list(old) and _is_list(new) and old and new:
            children = self._children(start)
            pairs = _paired(list(map(_token, old)), list(map(_token, new)), old, new)
            found = [
                (at, _Part(new=item) if at is None else self._item(children[at], old[at], item))
                for at, item in zip(pairs, new, strict=True)
            ]
            return self._joined(start, end, children, found)
        return self._written(new, self._indent_at(start))

    def _member(self, found: tuple[_Child, str, object] | None, key: str, value: object) -> _Part:
        if found is None:
            return _Part(new=value, key=key)
        child, old_key, old = found
        name = self._text[child.start : child.key_end] if key == old_key else self._scalar(key)
        colon = self._text[child.key_end : child.value]
        return _Part(f"{name}{colon}{self._value(child.value, child.end, old, value)}")

    def _item(self, child: _Child, old: object, new: object) -> _Part:
        return _Part(self._value(child.value, child.end, old, new))

    def _joined(
        self, start: int, end: int, children: Sequence[_Child], parts: list[tuple[int | None, _Part]]
    ) -> str:
        """The container with other children; the white space between them is that of its old children."""
        text = self._text
        leads = [text[child.begin : child.start] for child in children]
        trails = [text[child.end : child.comma] for child in children]
        later = leads[1] if len(leads) > 1 else self._later(leads[0])
        written = []
        for number, (at, part) in enumerate(parts):
            lead = leads[0] if number == 0 else leads[at] if at else later
            trail = trails[at] if at is not None and at < len(children) - 1 else trails[0]
            if number == len(parts) - 1:
                trail = trails[-1]
            elif len(children) == 1:
                trail = ""
            written.append(f"{lead}{part.text or self._new(part, lead)}{trail}")
        return f"{text[start]}{','.join(written)}{text[end - 1]}"

    def _later(self, first: str) -> str:
        """The space before a second child where there has only been a first one."""
        return first if "\n" in first else self._style.space

    def _new(self, part: _Part, lead: str) -> str:
        indent = lead.rpartition("\n")[2] if "\n" in lead else None
        value = self._written(part.new, indent)
        return value if part.key is None else f"{self._scalar(part.key)}{self._style.colon}{value}"

    def _written(self, value: object, indent: str | None) -> str:
        """A new value in the style of the text; None for ``indent`` keeps it in one line."""
        style = self._style
        if isinstance(value, Mapping):
            lines = [
                f"{self._scalar(key)}{style.colon}{self._written(item, _deeper(indent, style.unit))}"
                for key, item in value.items()
            ]
            return self._enclosed("{", lines, "}", indent)
        if _is_list(value):
            lines = [self._written(item, _deeper(indent, style.unit)) for item in value]
            return self._enclosed("[", lines, "]", indent)
        return self._scalar(value)

    def _enclosed(self, opening: str, lines: list[str], closing: str, indent: str | None) -> str:
        style = self._style
        if not lines:
            return opening + closing
        if indent is None or not style.unit:
            return f"{opening}{f',{style.space}'.join(lines)}{closing}"
        line = f"{style.newline}{indent}"
        return f"{opening}{line}{style.unit}{f',{line}{style.unit}'.join(lines)}{line}{closing}"

    def _scalar(self, value: object) -> str:
        style = self._style
        written = json.dumps(value, ensure_ascii=style.is_ascii)
        if style.has_upper_escapes:
            written = _ESCAPED.sub(lambda found: "\\u" + found[0][2:].upper(), written)
        return written.replace("/", "\\/") if style.escapes_slashes else written

    def _children(self, start: int) -> list[_Child]:
        """The children of the object or list at ``start``."""
        text, is_object = self._text, self._text[start] == "{"
        found: list[_Child] = []
        begin = start + 1
        while True:
            first = value = key_end = self._after_space(begin)
            if not found and text[first] in "]}":
                return found
            if is_object:
                _, key_end = self._decode(text, first)
                value = self._after_space(self._after_space(key_end) + 1)
            _, end = self._decode(text, value)
            comma = self._after_space(end)
            found.append(_Child(begin, first, key_end, value, end, comma))
            if text[comma] != ",":
                return found
            begin = comma + 1

    def _after_space(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return at if found is None else found.end()

    def _indent_at(self, at: int) -> str | None:
        """The indentation of the line at an offset; None in a text of one line."""
        if not self._style.unit:
            return None
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    @cached_property
    def _style(self) -> _Style:
        text = self._text
        start = self._after_space(0)
        children = self._children(start) if text[start] in "{[" else []
        lead = text[children[0].begin : children[0].start] if children else ""
        later = text[children[1].begin : children[1].start] if len(children) > 1 else " "
        colon = text[children[0].key_end : children[0].value] if children and text[start] == "{" else ": "
        return _Style(
            newline="\r\n" if "\r\n" in lead else "\n",
            unit=lead.rpartition("\n")[2] if "\n" in lead else "",
            space=" " if "\n" in later else later,
            colon=colon,
            is_ascii=text.isascii() and _ESCAPED.search(text) is not None,
            has_upper_escapes=re.search(r"\\u[0-9a-fA-F]*[A-F]", text) is not None,
            escapes_slashes="\\/" in text and _SLASH.search(text) is None,
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """A child as text, or the value of a new one."""

    text: str = ""
    new: object = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text is written; ``unit`` is one step of indentation, empty in a text of one line."""

    newline: str
    unit: str
    space: str
    colon: str
    is_ascii: bool
    has_upper_escapes: bool
    escapes_slashes: bool


def _deeper(indent: str | None, unit: str) -> str | None:
    return None if indent is None else indent + unit


def _paired(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    old_values: Sequence[object],
    new_values: Sequence[object],
) -> list[int | None]:
    found: list[int | None] = [None] * len(new)
    blocks: list[tuple[range, range]] = []
    for kind, low, high, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found[first:last] = range(low, high)
        else:
            blocks.append((range(low, high), range(first, last)))
    # A moved member keeps its name, a renamed member keeps its position.
    left = {old[at]: at for olds, _ in blocks for at in olds}
    for _, news in blocks:
        for number in news:
            found[number] = left.pop(new[number], None)
    taken = {at for at in found if at is not None}
    for olds, news in blocks:
        free = [at for at in olds if at not in taken]
        open_ = [number for number in news if found[number] is None]
        if len(free) == len(open_):
            for number, at in zip(open_, free, strict=True):
                found[number] = at
            continue
        for number in open_:
            same = next((at for at in free if _same(old_values[at], new_values[number])), None)
            if same is not None:
                found[number] = same
                free.remove(same)
    return found


def _token(value: object) -> Hashable:
    """The identity of an item in a list, which stays when other parts of it change."""
    if not isinstance(value, Mapping):
        return json.dumps(value)
    ids = tuple((name, repr(value[name])) for name in _IDS if value.get(name) is not None)
    return ids or repr(value.get("name", value.get("column_name_hint")))


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _same(one: object, other: object) -> bool:
    """Whether both are written the same: 1, 1.0 and true differ, and so does another order of members."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


_LARGEST = 20_000_000  # characters


class JsonTextError(Exception):
    """Text that is no table or document; ``line`` counts from 1, and ``message`` is the reason."""

    def __init__(self, line: int, reason: Message) -> None:
        super().__init__(f"{line}: {reason}")
        self.line = line
        self.message = reason


@dataclass(frozen=True, slots=True)
class ReplaceTable:
    """Replaces a table by its edited JSON."""

    table: Table

    def title(self, document: Document) -> Message:
        return message("Edit the JSON of {table}", table=table_name(document, self.table.key))

    def apply_to(self, document: Document) -> Document:
        """The document with the table. Raises EditError if it does not exist."""
        before = require_table(document, self.table.key)
        after = document.with_tables(self.table)
        return with_identities((after,), _renamed((before,), (self.table,)))[0]


@dataclass(frozen=True, slots=True)
class ReplaceDocument:
    """Replaces the document by its edited JSON."""

    document: Document

    def title(self, _document: Document) -> Message:
        return message("Edit the JSON")

    def apply_to(self, document: Document) -> Document:
        """The other document. Raises EditError if it is the same."""
        if self.document == document:
            raise EditError(message("Nothing was changed."))
        return with_identities((self.document,), _renamed(document.tables, self.document.tables))[0]


def edited_table(document: Document, key: int, text: str) -> ReplaceTable:
    """The edit that applies the JSON of a table. Raises JsonTextError, and EditError without the table."""
    require_table(document, key)
    raw = _object(text)
    at = next(number for number, table in enumerate(document.tables) if table.key == key)
    whole = write_document(document)
    tables = whole["tables"]
    if isinstance(tables, list):
        tables[at] = raw
    try:
        read = read_document(whole)
    except DocumentError as error:
        path = error.path.removeprefix(f"tables[{at}]").removeprefix(".")
        raise JsonTextError(line_of_path(text, path), _reason(path, error.message)) from error
    found = _with_keys_of(document, read).tables[at]
    if found.key != key:
        moved = Identities({found.key: Identity(key, found.id)})
        # Its id was removed or changed: the same place in the document makes it the same table.
        (found,) = with_identities((Document({}, (found,)),), moved)[0].tables
    return ReplaceTable(found)


def edited_document(document: Document, text: str) -> ReplaceDocument:
    """The edit that applies the JSON of a document. Raises JsonTextError."""
    try:
        read = read_document(_object(text))
    except DocumentError as error:
        raise JsonTextError(line_of_path(text, error.path), _reason(error.path, error.message)) from error
    return ReplaceDocument(_with_keys_of(document, read))


def _object(text: str) -> Json:
    if len(text) > _LARGEST:
        raise JsonTextError(1, message("The text is too long."))
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise JsonTextError(error.lineno, message("This is not JSON: {reason}.", reason=error.msg)) from error
    except RecursionError as error:
        raise JsonTextError(1, message("The text is nested too deeply.")) from error
    if not isinstance(raw, Mapping):
        raise JsonTextError(1, message("An object is expected."))
    return raw


def _reason(path: str, reason: Message) -> Message:
    return message("{path}: {reason}", path=path, reason=reason) if path else reason


def _with_keys_of(before: Document, after: Document) -> Document:
    """The document with the keys of ``before`` for new elements with the same names."""
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    new = {table.name: table for table in before.tables if table.id is None}
    for table in after.tables:
        was = before.by_key.get(table.key)
        if table.id is None and table.name in new:
            was = new[table.name]
            tables[table.key] = Identity(was.key, None)
        if was is not None:
            columns.update(_column_identities(was.columns, table.columns))
    return with_identities((after,), Identities(tables, columns))[0]


def _column_identities(before: Sequence[Column], after: Sequence[Column]) -> Iterator[tuple[int, Identity]]:
    new = {column.name: column for column in before if column.id is None}
    for column in after:
        if column.id is None and column.name in new:
            yield column.key, Identity(new[column.name].key, None)


def _renamed(before: Sequence[Table], after: Sequence[Table]) -> Identities:
    """The names of elements that have other names than before."""
    were = {table.key: table for table in before}
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    for table in after:
        was = were.get(table.key)
        if was is None:
            continue
        if was.name != table.name:
            tables[table.key] = Identity(table.key, table.id, table.name)
        for column in table.columns:
            old = was.by_key.get(column.key)
            if old is not None and old.name != column.name:
                columns[column.key] = Identity(column.key, column.id, column.name)
    return Identities(tables, columns)
