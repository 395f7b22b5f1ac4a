"""Finds the elements of a source in a target, whose ids may differ (wire §5).

The source gets the keys and ids of the target, in all references as well, so that both can be compared. What
the target lacks gets a new key and no id: the service assigns one when HEAD is saved.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef, new_key
from cdb_desktop.schema.document.identity import Identities, Identity
from cdb_desktop.schema.document.model import VERSION_ATTRIBUTES, Column, Document, Table
from cdb_desktop.schema.document.names import own_table_name

_Element = TypeVar("_Element", Table, Column)
_OF_VERSIONS = ("type", *VERSION_ATTRIBUTES)


class MatchBy(Enum):
    """How elements are found: by their ids and then by their names, or by their names only."""

    IDS = "ids"
    NAMES = "names"


@dataclass(frozen=True, slots=True)
class IdPair:
    """The id of an element in the source and in the target; None for an element that is not there.

    ``name`` is ``table`` or ``table.column`` in the source, or in the target for what the source lacks.
    """

    ref: TableRef | ColumnRef
    name: str
    source: int | None
    target: int | None
    in_source: bool = True
    in_target: bool = True


@dataclass(frozen=True, slots=True)
class Alignment:
    """The source with the keys and ids of the target, and the ids of all elements of both."""

    document: Document
    ids: tuple[IdPair, ...]


def best_match(source: Document, target: Document) -> MatchBy:
    """By ids if most tables of the same name have the same id, as versions of one service have."""
    ids = {table.name: table.id for table in target.tables}
    common = [table for table in source.tables if table.name in ids]
    same = sum(table.id is not None and ids[table.name] == table.id for table in common)
    return MatchBy.IDS if common and 2 * same > len(common) else MatchBy.NAMES


def align(source: Document, target: Document, by: MatchBy) -> Alignment:
    """The source with the keys and ids of the target; names that were edited there are no differences."""
    pairs: list[IdPair] = []
    tables: dict[int, Identity] = {}
    columns: dict[int, Identity] = {}
    matched = _matched(source.tables, target.tables, by)
    if by is MatchBy.NAMES:
        matched |= _renamed_tables(source, target, matched)
    # A column that is in another table of the target is not the same one.
    for table in source.tables:
        same = matched.get(table.key)
        identity = tables[table.key] = _identity(table, same)
        pairs.append(_pair(TableRef(identity.key), table.name, table, same))
        same_columns = {} if same is None else _matched_columns(table, same, by)
        for column in table.columns:
            same_column = same_columns.get(column.key)
            found = columns[column.key] = _identity(column, same_column)
            name = f"{table.name}.{column.name}"
            pairs.append(_pair(ColumnRef(identity.key, found.key), name, column, same_column))
    table_keys, column_keys = ({one.key for one in each.values()} for each in (tables, columns))
    pairs += _only_in_target(target, table_keys, column_keys)
    identities = Identities(tables, columns)
    versions = {name: value for name, value in target.raw.items() if name in _OF_VERSIONS}
    own = {name: value for name, value in source.raw.items() if name not in _OF_VERSIONS}
    raw = {**own, **versions} if source.raw else target.raw
    found_tables = tuple(identities.of(table) for table in source.tables)
    aligned = replace(source, raw=raw, tables=found_tables, local_names=target.local_names)
    return Alignment(aligned, tuple(pairs))


def aligned_ids(document: Document, target: Document) -> Alignment:
    """The alignment of a document that has the keys of the target already, and no ids of its own."""
    pairs: list[IdPair] = []
    for table in document.tables:
        same = target.by_key.get(table.key)
        pairs.append(IdPair(TableRef(table.key), table.name, None, table.id, in_target=same is not None))
        for column in table.columns:
            name, is_known = f"{table.name}.{column.name}", column.key in target.column_keys
            ref = ColumnRef(table.key, column.key)
            pairs.append(IdPair(ref, name, None, column.id, in_target=is_known))
    pairs += _only_in_target(target, document.by_key.keys(), document.column_keys)
    return Alignment(document, tuple(pairs))


def _matched(source: Sequence[_Element], target: Sequence[_Element], by: MatchBy) -> dict[int, _Element]:
    """The elements of the target by the keys of those of the source; each at most once."""
    found: dict[int, _Element] = {}
    free = {element.key: element for element in target}
    if by is MatchBy.IDS:
        by_id = {element.id: element for element in target if element.id is not None}
        for element in source:
            same = None if element.id is None else by_id.get(element.id)
            if same is not None and free.pop(same.key, None) is not None:
                found[element.key] = same
    by_name: dict[str, _Element] = {}
    for element in free.values():
        by_name.setdefault(element.name, element)
    for element in source:
        if element.key not in found:
            same = by_name.pop(element.name, None)
            if same is not None:
                found[element.key] = same
    return found


def _matched_columns(table: Table, same: Table, by: MatchBy) -> dict[int, Column]:
    found = _matched(table.columns, same.columns, by)
    if by is MatchBy.NAMES:
        taken = {column.key for column in found.values()}
        lacking = [column for column in table.columns if column.key not in found]
        found |= renamed_columns(lacking, [column for column in same.columns if column.key not in taken])
    return found


def _renamed_tables(source: Document, target: Document, matched: Mapping[int, Table]) -> dict[int, Table]:
    """The renamed tables, and the tables nested in them, whose names begin with those of their owners."""
    free = target.by_key.keys() - {table.key for table in matched.values()}
    found = renamed_tables(source, target, source.by_key.keys() - matched.keys(), free)
    nested = {(table.owner, own_table_name(target, table)): table for table in target.tables if table.owner}
    owners = list(found)
    for owner in owners:
        for table in source.tables:
            same = nested.get((found[owner].key, own_table_name(source, table)))
            if table.owner == owner and table.key not in matched.keys() | found.keys() and same is not None:
                found[table.key] = same
                owners.append(table.key)
    return found


def _identity(element: Table | Column, same: Table | Column | None) -> Identity:
    if same is None:
        return Identity(new_key(), None, element.name)
    return Identity(same.key, same.id, element.name)


def _pair(
    ref: TableRef | ColumnRef, name: str, element: Table | Column, same: Table | Column | None
) -> IdPair:
    return IdPair(ref, name, element.id, None if same is None else same.id, in_target=same is not None)


def _only_in_target(target: Document, tables: Collection[int], columns: Collection[int]) -> Iterator[IdPair]:
    for table in target.tables:
        if table.key not in tables:
            yield IdPair(TableRef(table.key), table.name, None, table.id, in_source=False)
        for column in table.columns:
            if column.key not in columns:
                ref, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
                yield IdPair(ref, name, None, column.id, in_source=False)


_FEWEST_COLUMNS = 3  # a table with fewer needs a similar name as well
_SHORTEST, _MOST_MISSING = 4, 2  # letters of a similar word, and of those that it may lack


def renamed_tables(
    source: Document, target: Document, lacking: Collection[int], free: Collection[int]
) -> dict[int, Table]:
    """The tables of the target by the keys of those of the source that are named differently there.

    ``lacking`` are the keys of the tables of the source without a counterpart, ``free`` those of the target.
    """
    sources, targets = _by_content(source), _by_content(target)
    found: dict[int, Table] = {}
    for content, (first, *others) in sources.items():
        alike = targets.get(content, [])
        if others or len(alike) != 1 or first.key not in lacking or alike[0].key not in free:
            continue
        names = own_table_name(source, first), own_table_name(target, alike[0])
        if len(content) >= _FEWEST_COLUMNS or are_similar(*names):
            found[first.key] = alike[0]
    return found


def renamed_columns(lacking: Sequence[Column], free: Sequence[Column]) -> dict[int, Column]:
    """The columns of a target table by the keys of those of its source that are named differently there."""

    def could_be(column: Column, other: Column) -> bool:
        return column.type == other.type and are_similar(column.name, other.name)

    return _only_pairs(lacking, free, could_be)


def are_similar(name: str, other: str) -> bool:
    """Whether one name is the other with more words or, in one of its words, with one or two more letters."""
    words, others = sorted((name.split("_"), other.split("_")), key=len)
    if len(words) < len(others):
        return others[: len(words)] == words or others[-len(words) :] == words
    differing = [(one, two) for one, two in zip(words, others, strict=True) if one != two]
    if len(differing) != 1:
        return False
    short, long = sorted(differing[0], key=len)
    letters = iter(long)
    is_within = all(letter in letters for letter in short)
    is_word = len(short) >= _SHORTEST and long.isalpha()
    return is_word and is_within and 0 < len(long) - len(short) <= _MOST_MISSING


def _only_pairs(
    lacking: Sequence[_Element], free: Sequence[_Element], could_be: Callable[[_Element, _Element], bool]
) -> dict[int, _Element]:
    """The pairs in which each is the only candidate for the other."""
    candidates = {one.key: [other for other in free if could_be(one, other)] for one in lacking}
    wanted = [other.key for found in candidates.values() for other in found]
    return {
        key: found[0]
        for key, found in candidates.items()
        if len(found) == 1 and wanted.count(found[0].key) == 1
    }


def _by_content(document: Document) -> dict[frozenset[tuple[str, str]], list[Table]]:
    """The tables by the names and types of their columns."""
    found: dict[frozenset[tuple[str, str]], list[Table]] = {}
    for table in document.tables:
        content = frozenset((column.name, column.type) for column in table.columns)
        if len(content) > 1:
            found.setdefault(content, []).append(table)
    return found
