"""Merges of two versions of the small museum."""

from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.edits.edit import Edit
from cdb_desktop.schema.merge.merge import Merge, merge
from tests.desktop.schema.models import opened


def edited(document: Document, *edits: Edit) -> Document:
    """The document after these edits."""
    for edit in edits:
        document = edit.apply_to(document)
    return document


def merged(theirs: tuple[Edit, ...], mine: tuple[Edit, ...]) -> Merge:
    """The merge of what others and the user have made of the museum."""
    base = opened()
    return merge(base, edited(base, *theirs), edited(base, *mine))
