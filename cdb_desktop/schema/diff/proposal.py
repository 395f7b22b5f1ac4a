"""A model from which differences are taken over: its name, and how it is aligned with a target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cdb_desktop.schema.diff.apply import with_chosen
from cdb_desktop.schema.diff.change import ChangeKind
from cdb_desktop.schema.diff.differences import Differences, ItemId, find_differences
from cdb_desktop.schema.diff.matching import Alignment, MatchBy, align, best_match
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.local_names import with_names_of_new
from cdb_desktop.schema.document.model import Document


@dataclass(frozen=True, slots=True)
class ImportSource:
    """``align`` returns the source with the keys of a target; ``names`` are localized (wire §5).

    ``best`` returns how the elements are best found, None if only names are possible. ``losses`` are texts
    about what is not taken over.
    """

    name: str
    align: Callable[[Document, MatchBy], Alignment]
    best: Callable[[Document], MatchBy] | None = None
    names: Mapping[str, object] = field(default_factory=dict)
    losses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """The differences of a target and a source, and the ids of both.

    ``best`` is how elements are best found.
    """

    source: ImportSource
    by: MatchBy
    best: MatchBy
    alignment: Alignment
    differences: Differences

    def result(self, chosen: frozenset[ItemId]) -> Document:
        """The target with the chosen differences; new elements have the localized names of the source."""
        document = with_chosen(self.differences, chosen)
        new = [
            ref
            for kind, ref, _ in chosen
            if kind is ChangeKind.ADDED and isinstance(ref, TableRef | ColumnRef)
        ]
        return with_names_of_new(document, self.alignment.document, self.source.names, new)


def propose(source: ImportSource, target: Document, by: MatchBy | None = None) -> Proposal:
    """What taking over the source would change in the target."""
    best = MatchBy.NAMES if source.best is None else source.best(target)
    by = by or best
    alignment = source.align(target, by)
    return Proposal(source, by, best, alignment, find_differences(target, alignment.document))


def model_source(name: str, document: Document, names: Mapping[str, object]) -> ImportSource:
    """A whole model, of a file or of a service."""
    return ImportSource(
        name,
        lambda target, by: align(document, target, by),
        lambda target: best_match(document, target),
        names,
    )
