"""Recognizes renamed tables and columns of a model whose ids say nothing, where there is no doubt.

A table is the same if it alone has all the columns of the other, by names and types. A column is the same if
it alone has the type of the other, and their names are as similar as those of ``title`` and ``title_main``,
or ``adress`` and ``address``. ``date_from`` and ``date_to`` are not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from cdb_desktop.schema.document.model import Column, Document, Table
from cdb_desktop.schema.document.names import own_table_name

_Element = TypeVar("_Element", Table, Column)
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
