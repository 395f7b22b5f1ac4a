"""Generated pairs of models of two services: they come from one model, and their ids differ."""

from collections.abc import Iterable
from random import Random

from cdb_desktop.schema.document.identity import Identities, Identity, with_identities
from cdb_desktop.schema.document.json_format import read_document, write_document
from cdb_desktop.schema.document.model import Document
from tests.desktop.schema.merge.triples import triple, with_ids


def pair(seed: int) -> tuple[Document, Document]:
    """A source and a target. In every other pair the ids of the source are those of another service."""
    generated = triple(seed)
    source, target = (_as_read(with_ids(one)) for one in (generated.mine, generated.theirs))
    return (renumbered(source, Random(seed)) if seed % 2 else source), target


def renumbered(document: Document, random: Random) -> Document:
    """The document with other ids for all tables and columns."""
    tables = _numbers((table.key for table in document.tables), random)
    columns = _numbers((key for table in document.tables for key in table.by_key), random)
    (found,) = with_identities((document,), Identities(tables, columns))
    return _as_read(found)


def _numbers(keys: Iterable[int], random: Random) -> dict[int, Identity]:
    known = list(keys)
    new = random.sample(range(1, 4 * len(known) + 1), len(known))
    return {key: Identity(number, number) for key, number in zip(known, new, strict=True)}


def _as_read(document: Document) -> Document:
    return read_document(write_document(document))
