"""Rules of names (wire §5), names generated for keys, and names of elements in sentences."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha1
from typing import TypeVar

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.schema.document.element_ref import (
    ColumnRef,
    DocumentRef,
    ElementRef,
    NestedTableRef,
    ReverseLinkRef,
    TableRef,
    UniqueKeyRef,
)
from cdb_desktop.schema.document.json_values import shown_value
from cdb_desktop.schema.document.model import Document, ForeignKey, Table, UniqueKey

LONGEST = 63
SEPARATOR = "__"
RESERVED = frozenset({"pool", "collection", "user", "group", "message"})
RESERVED_PREFIX = "ez_"

_TABLE = re.compile(r"[a-z][a-z0-9_]{0,61}[a-z0-9]")
_COLUMN = re.compile(r"[a-z]([a-z0-9_]{0,61}[a-z0-9])?")

_SPELLINGS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "o", "å": "a"})

# What people call options of tables and columns, in the forms and in the titles of steps.
OPTIONS: Mapping[str, Message] = {
    "is_hierarchical": message("Hierarchical"),
    "polyhierarchical": message("Several places in the hierarchy"),
    "pool_link": message("In pools"),
    "acl_table": message("Rights for each object"),
    "has_tags": message("Tags"),
    "in_main_search": message("In the main search"),
    "in_facets": message("In facets"),
    "require_comment": message("Changes need a comment"),
    "comment": message("Comment"),
    "not_null": message("Must have a value"),
    "reverse_edit": message("Edit in the table that it links to"),
    "bidirectional": message("In both directions: seen from either end"),
    "check": message("Values"),
    "check_regexp": message("Regular expression"),
    "check_regexp_flags": message("Ignore case"),
    "check_range_lower": message("From"),
    "check_range_upper": message("To"),
    "check_range_not_empty": message("Not an empty range"),
    "length_min": message("Minimum length"),
    "length_max": message("Maximum length"),
    "default": message("Default"),
    "custom_settings": message("Custom settings"),
    "name_localized": message("Localized names"),
}
_VALUES: Mapping[tuple[str, object], Message] = {
    ("check", "not_empty"): message("not empty"),
    ("check", "email"): message("an e-mail address"),
    ("check", "regexp"): message("a regular expression"),
    ("check", "range"): message("a range"),
    ("check_regexp_flags", "i"): message("yes"),
}
_NOWHERE = "?"
_KeyType = TypeVar("_KeyType", ForeignKey, UniqueKey)


def option_name(option: str) -> Message | str:
    """What people call an option, itself if it has no other name."""
    return OPTIONS.get(option, option)


def option_value_text(option: str, value: object) -> Message | str:
    """A value of an option within a sentence: texts of several words in quotes."""
    if isinstance(value, bool):
        return message("yes") if value else message("no")
    if isinstance(value, str):
        return _VALUES.get((option, value), f'"{value}"' if " " in value else value)
    return shown_value(value)


def is_table_name(name: str) -> bool:
    """Whether a whole name has the form of a table's."""
    return _TABLE.fullmatch(name) is not None


def ascii_letters(text: str) -> str:
    """The text in small letters without accents, such as ``groesse`` for ``Größe``; without other letters."""
    plain = unicodedata.normalize("NFKD", text.lower().translate(_SPELLINGS))
    return plain.encode("ascii", "ignore").decode()


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The name, numbered if it is taken: ``name_2``, ``name_3``."""
    names = taken if isinstance(taken, set | frozenset | dict) else set(taken)
    number, found = 1, name
    while found in names:
        number += 1
        ending = f"_{number}"
        found = name[: LONGEST - len(ending)].rstrip("_") + ending
    return found


@lru_cache(maxsize=4096)
def natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """A sort key with ``table_9`` before ``table_10``; kept, since each edit sorts all tables."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple(_number_key(part) if part.isdecimal() else (-1, part) for part in parts)


def _number_key(digits: str) -> tuple[int, str]:
    """Numbers compare by their length first; Python refuses to convert very long ones."""
    significant = digits.lstrip("0")
    return len(significant), significant


def is_column_name(name: str) -> bool:
    """Whether a name has the form of a column's."""
    return _COLUMN.fullmatch(name) is not None


def is_reserved(name: str) -> bool:
    """Whether a table's name is reserved by the service."""
    return name in RESERVED or name.startswith(RESERVED_PREFIX)


def nested_name(owner: str, name: str) -> str:
    """The whole name of a nested table."""
    return f"{owner}{SEPARATOR}{name}"


def own_name(whole: str, owner: str) -> str:
    """The part of a nested table's name after its owner's, if it begins with that."""
    return whole.removeprefix(f"{owner}{SEPARATOR}")


def own_table_name(document: Document, table: Table) -> str:
    """A table's name, for a nested one without its owner's."""
    owner = None if table.owner is None else document.by_key.get(table.owner)
    return table.name if owner is None else own_name(table.name, owner.name)


def foreign_key_name(table: str, columns: Sequence[str], referenced: str) -> str:
    """``table__column__referenced_fkey``, cut to the length that databases allow."""
    return _cut(SEPARATOR.join((table, *columns, referenced)), "_fkey")


def unique_key_name(table: str, columns: Sequence[str]) -> str:
    """``table__column_unique``, cut to the length that databases allow."""
    return _cut(SEPARATOR.join((table, *columns)), "_unique")


def _cut(stem: str, ending: str) -> str:
    """Names above 63 characters are cut; ``:`` and 16 digits of the whole name's SHA-1 precede the ending.

    This rule was found by comparison with the names in exported models.
    """
    whole = stem + ending
    if len(whole) <= LONGEST:
        return whole
    digest = f":{sha1(whole.encode(), usedforsecurity=False).hexdigest()[:16]}"
    return stem[: LONGEST - len(digest) - len(ending)] + digest + ending


def element_name(document: Document, ref: ElementRef) -> str:
    """The name of an element in sentences, ``?`` if it does not exist; empty for the document itself."""
    match ref:
        case DocumentRef():
            return ""
        case TableRef(table):
            return table_name(document, table)
        case ColumnRef(table, column):
            return column_name(document, table, column)
        case NestedTableRef(_, nested):
            return table_name(document, nested)
        case ReverseLinkRef(_, other_table, other_column):
            return column_name(document, other_table, other_column)
        case UniqueKeyRef(table, columns):
            return columns_name(document.by_key.get(table), columns)


def table_name(document: Document, table: int | None) -> str:
    """The whole name of a table."""
    found = None if table is None else document.by_key.get(table)
    return _NOWHERE if found is None else found.name


def column_name(document: Document, table: int, column: int) -> str:
    """``table.column``."""
    return columns_name(document.by_key.get(table), (column,))


def columns_name(table: Table | None, columns: Iterable[int]) -> str:
    """``table.one + two``."""
    if table is None:
        return _NOWHERE
    found = (table.by_key.get(column) for column in columns)
    return f"{table.name}.{' + '.join(_NOWHERE if column is None else column.name for column in found)}"


def generated_key_name(document: Document, table: Table, key: ForeignKey | UniqueKey) -> str:
    """The name that the service gives to a key, empty for a foreign key whose target does not exist."""
    columns = [table.by_key[column].name for column in key.column_keys]
    if isinstance(key, UniqueKey):
        return unique_key_name(table.name, columns)
    target = None if key.target is None else document.by_key.get(key.target)
    return "" if target is None else foreign_key_name(table.name, columns, target.name)


def with_generated_key_names(after: Document, tables: Iterable[int], *before: Document) -> Document:
    """``after`` with the names of these tables' keys made again that one of the other documents generated."""
    changed = []
    for key in tables:
        sides = ((side, side.by_key[key]) for side in before if key in side.by_key)
        named = {name for side, own in sides for name in _generated_names(side, own)}
        table = after.by_key[key]
        foreign_keys = tuple(_named_again(after, table, one, named) for one in table.foreign_keys)
        unique_keys = tuple(_named_again(after, table, one, named) for one in table.unique_keys)
        changed.append(replace(table, foreign_keys=foreign_keys, unique_keys=unique_keys))
    return after.with_tables(*changed)


def _generated_names(document: Document, table: Table) -> Iterator[str]:
    keys: tuple[ForeignKey | UniqueKey, ...] = (*table.foreign_keys, *table.unique_keys)
    return (key.name for key in keys if key.name and key.name == generated_key_name(document, table, key))


def _named_again(document: Document, table: Table, key: _KeyType, generated: set[str]) -> _KeyType:
    if key.name not in generated:
        return key
    return replace(key, raw={**key.raw, "name": generated_key_name(document, table, key)})
