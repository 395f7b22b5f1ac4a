"""The errors with which rows refuse a commit (wire §5, §7.5): one place for the commit and for its plan."""

from __future__ import annotations

import logging

from server_stub.foundation.errors import UserError
from server_stub.schema.steps import (
    ConvertValues,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
)

_LOG = logging.getLogger(__name__)


def no_value(step: RequireValues) -> UserError:
    """A row has no value where one must stand."""
    return UserError("not_null_violation", column=step.column)


def not_unique(step: RequireUnique) -> UserError:
    """Two rows share the values of a unique key."""
    return UserError("integrity_constraint_violation", constraint=step.name)


def dangling(step: RequireTargets) -> UserError:
    """A link points to no row."""
    return UserError("foreign_key_constraint_violation", constraint=step.name)


def check_broken(step: RequireCheck, broken: str) -> UserError:
    """A value does not fulfil a check of its column; `broken` names the check."""
    name = f"{step.table_name}__{step.column.name}_{broken}"
    return UserError("check_constraint_violation", constraint=name)


def check_undecided(step: RequireCheck) -> UserError:
    """Values so long, or so many, that nobody waits until their check is decided: it counts as broken."""
    refusal = check_broken(step, step.column.check.kind or "length")
    _LOG.warning("%s takes too long to decide", refusal.parameters["constraint"])
    return refusal


def nothing_nested(step: RequireNested) -> UserError:
    """A row of the owner has none in the nested table."""
    return UserError("check_constraint_violation", constraint=f"{step.nested}_not_empty")


def inconvertible(step: ConvertValues, value: object) -> UserError:
    """A value has no counterpart in the new type."""
    return UserError(
        "invalid_value",
        attribute=f"{step.table}.{step.after.name}",
        value=value,
        expected_format=step.after.type,
    )
