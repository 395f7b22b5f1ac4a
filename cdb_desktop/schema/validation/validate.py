"""Checks a document against all rules, after every edit (wire §5)."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.validation.column_rules import column_problems, type_change_problems
from cdb_desktop.schema.validation.key_rules import link_problems, unique_key_problems
from cdb_desktop.schema.validation.problem import Problem, Severity
from cdb_desktop.schema.validation.table_rules import name_problems, nesting_problems


def find_problems(document: Document, current: Document | None = None) -> tuple[Problem, ...]:
    """All problems. ``current`` is CURRENT, which restricts changes of types; None without a commit."""
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
    """The problems as they count for a service; ``re2_only`` if it is known to check patterns with RE2."""
    if not re2_only:
        return found
    return tuple(
        replace(problem, severity=Severity.ERROR, message=problem.refusal) if problem.refusal else problem
        for problem in found
    )
