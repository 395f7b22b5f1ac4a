"""Finds what is wrong with a document while it is being typed (wire §5): the rules of all modules in turn."""

from __future__ import annotations

from itertools import chain

from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.validation.column_rules import column_problems, for_re2, type_change_problems
from cdb_desktop.schema.validation.key_rules import link_problems, unique_key_problems
from cdb_desktop.schema.validation.problem import Problem, Severity
from cdb_desktop.schema.validation.table_rules import name_problems, nesting_problems


def find_problems(document: Document, current: Document | None = None) -> tuple[Problem, ...]:
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


def problems_for_service(found: tuple[Problem, ...], *, re2_only: bool) -> tuple[Problem, ...]:
    """Problems as they count for a service; ``re2_only`` where it is known to check patterns with RE2."""
    return for_re2(found) if re2_only else found


def is_acceptable(found: tuple[Problem, ...]) -> bool:
    """Whether nothing is among them for which the service would refuse the document."""
    return all(problem.severity is not Severity.ERROR for problem in found)
