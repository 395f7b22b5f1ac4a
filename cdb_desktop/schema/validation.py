"""Finds what is wrong with a document while it is being typed (wire §5): the rules of all modules in turn."""

from __future__ import annotations

from itertools import chain

from cdb_desktop.schema.document import Document
from cdb_desktop.schema.problems import Problem, Severity
from cdb_desktop.schema.validation_columns import column_problems, with_re2
from cdb_desktop.schema.validation_keys import unique_key_problems
from cdb_desktop.schema.validation_links import link_problems
from cdb_desktop.schema.validation_names import name_problems
from cdb_desktop.schema.validation_nesting import nesting_problems
from cdb_desktop.schema.validation_types import type_change_problems


def problems(document: Document, current: Document | None = None) -> tuple[Problem, ...]:
    """All problems; changes of type are judged against ``current``, None where nothing is committed yet."""
    return tuple(
        chain(
            name_problems(document),
            column_problems(document),
            nesting_problems(document),
            link_problems(document),
            unique_key_problems(document),
            type_change_problems(document, current),
        )
    )


def judged(found: tuple[Problem, ...], *, re2_only: bool) -> tuple[Problem, ...]:
    """Problems as they count for a service; ``re2_only`` where it is known to check patterns with RE2."""
    return with_re2(found) if re2_only else found


def is_acceptable(found: tuple[Problem, ...]) -> bool:
    """Whether nothing is among them for which the service would refuse the document."""
    return all(problem.severity is not Severity.ERROR for problem in found)
