"""Generated triples of documents: a base, and two versions of it that were edited independently."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from hypothesis import strategies as st

from cdb_desktop.schema.document.element_ref import NestedTableRef, ReverseLinkRef, UniqueKeyRef
from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.model import Document, NestedTableEntry, ReverseLink, Table
from cdb_desktop.schema.edits.columns import AddUniqueKey, SetColumnOptions
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.working_copy import new_history
from tests.desktop.schema.models import opened
from tests.desktop.schema.random_edits import EditDrawer

_STEPS = 20  # at most


class RandomEdits(EditDrawer):
    """Draws edits from a random generator, also of options of entries."""

    def __init__(self, random: Random) -> None:
        super().__init__(self._integer)
        self._random = random

    def _integer(self, _strategy: st.SearchStrategy[int]) -> int:
        raise AssertionError("numbers are drawn by _number")

    def _number(self, below: int) -> int:
        return self._random.randrange(max(below, 1))

    def _table_edit(self, document: Document, table: Table) -> Edit:
        entries = [
            entry.ref(table.key)
            for entry in table.entries
            if isinstance(entry, NestedTableEntry | ReverseLink)
        ]
        edits: list[Callable[[], Edit]] = [lambda: super(RandomEdits, self)._table_edit(document, table)] * 8
        ref = self._random.choice(entries) if entries else None
        if isinstance(ref, NestedTableRef | ReverseLinkRef):
            edits.append(lambda: SetColumnOptions(ref, {"check": self._random.choice(["not_empty", None])}))
        if len(table.columns) > 1:
            pair = self._random.sample(table.columns, 2)
            keys = tuple(column.key for column in pair)
            edits.append(lambda: AddUniqueKey(UniqueKeyRef(table.key, keys)))
        return self._random.choice(edits)()


@dataclass(frozen=True, slots=True)
class Triple:
    """A base and two versions of it."""

    base: Document
    theirs: Document
    mine: Document


def triple(seed: int) -> Triple:
    """A triple; every other one has ids for new elements, which collide."""
    random = Random(seed)
    base = _edited(opened(), random, 3)
    if seed % 4 < 2:
        base = with_ids(base)
    theirs, mine = (_edited(base, random, random.randint(1, _STEPS)) for _ in range(2))
    if seed % 2:
        theirs, mine = with_ids(theirs), with_ids(mine)
    return Triple(base, theirs, mine)


def with_ids(document: Document) -> Document:
    """The document with ids for its new elements, as a service would assign them."""
    columns = [column for table in document.tables for column in table.columns]
    new_tables = [table.key for table in document.tables if table.id is None]
    new_columns = [column.key for column in columns if column.id is None]
    raw = dict(document.raw)
    tables = _numbered(raw, "max_table_id", new_tables)
    named = _numbered(raw, "max_column_id", new_columns)
    (found,) = with_identities((document,), Identities(tables, named))
    return replace(found, raw=raw)


def _numbered(raw: dict[str, object], maximum: str, keys: list[int]) -> dict[int, Identity]:
    first = raw[maximum]
    assert isinstance(first, int)
    raw[maximum] = first + len(keys)
    return {key: Identity(first + at, first + at) for at, key in enumerate(keys, 1)}


def _edited(document: Document, random: Random, steps: int) -> Document:
    drawer, history = RandomEdits(random), new_history(document)
    for _ in range(steps):
        history = drawer.step(history)
    return history.document
