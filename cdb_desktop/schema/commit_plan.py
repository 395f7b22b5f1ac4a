"""What a commit would do to the data as the service counts it, beside the changes that are known here.

Actions and attributes that this program does not know are kept out of the way: a newer service may send them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cdb_desktop.schema.changes import Change, ChangeKind, Risk
from cdb_desktop.schema.elements import number, text
from cdb_desktop.schema.places import ColumnPlace, Place, TablePlace

_DROP_TABLE, _DROP_COLUMN, _CONVERT = "drop_table", "drop_column", "convert_column"
_SYSTEM = {"_parent_id": "is_hierarchical", "_pool_id": "pool_link", "_tags": "has_tags"}
_KINDS = {
    _DROP_TABLE: (ChangeKind.REMOVED,),
    _DROP_COLUMN: (ChangeKind.REMOVED, ChangeKind.TYPE),
    _CONVERT: (ChangeKind.TYPE,),
    "require_unique": (ChangeKind.KEY, ChangeKind.ADDED),
    "require_link": (ChangeKind.KEY, ChangeKind.ADDED),
}
_OPTION = (ChangeKind.OPTION, ChangeKind.ADDED)


@dataclass(frozen=True, slots=True)
class Step:
    """One step with what is at stake: rows of the table, values that are there, those that stop the commit
    (``blocking``) and those that are converted but not whole (``lossy``).
    """

    action: str
    table: int
    table_name: str
    column: int | None
    column_name: str
    rows: int
    values: int
    blocking: int
    lossy: int

    @property
    def lost(self) -> int:
        """How many values are gone afterwards; rows of a table that has none."""
        if self.action == _DROP_TABLE:
            return self.values or self.rows
        return self.values if self.action == _DROP_COLUMN else self.lossy

    @property
    def name(self) -> str:
        """The table, or table and column."""
        return f"{self.table_name}.{self.column_name}" if self.column_name else self.table_name


@dataclass(frozen=True, slots=True)
class Plan:
    """``stamp`` is another one as soon as HEAD or CURRENT is; steps without a stake are left out."""

    stamp: tuple[str, int | None]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One line of the sheet: a change with its steps, or steps that belong to no change that is known here.

    ``is_counted``: the service has told what is at stake.
    """

    change: Change | None
    steps: tuple[Step, ...]
    is_counted: bool

    @property
    def lost(self) -> int:
        """How many values are gone afterwards, as far as that is known."""
        return sum(step.lost for step in self.steps)

    @property
    def blocking(self) -> int:
        """How many rows or values make the commit fail."""
        return sum(step.blocking for step in self.steps)

    @property
    def needs_consent(self) -> bool:
        """Whether something is lost; what nobody has counted counts as something."""
        is_destroying = self.change is not None and self.change.risk is Risk.DESTROYING
        return self.lost > 0 or (is_destroying and not (self.is_counted and self.steps))


def read_plan(raw: Mapping[str, object]) -> Plan:
    """The plan in an answer; what has not the expected form is left out."""
    steps = raw.get("steps")
    found = [step for step in steps if isinstance(step, Mapping)] if isinstance(steps, list) else []
    read = (_step(step) for step in found)
    return Plan(
        (text(raw, "head_digest"), number(raw, "current_version")),
        tuple(step for step in read if step is not None),
    )


def lines_of(changes: Sequence[Change], plan: Plan | None) -> tuple[PlanLine, ...]:
    """The changes in their order with the steps of each, then the steps that belong to none of them."""
    if plan is None:
        return tuple(PlanLine(change, (), is_counted=False) for change in changes)
    homes: dict[int, list[Step]] = {}
    strangers: list[Step] = []
    for step in plan.steps:
        at = next((at for at, change in enumerate(changes) if _fits(step, change)), None)
        (strangers if at is None else homes.setdefault(at, [])).append(step)
    known = (PlanLine(change, tuple(homes.get(at, ())), is_counted=True) for at, change in enumerate(changes))
    others = (PlanLine(None, (step,), is_counted=True) for step in strangers if step.lost or step.blocking)
    return (*known, *others)


def _step(raw: Mapping[str, object]) -> Step | None:
    stake, table = raw.get("stake"), number(raw, "table_id")
    if not isinstance(stake, Mapping) or table is None:
        return None
    counts = (number(stake, name) or 0 for name in ("rows", "values", "blocking", "lossy"))
    column = number(raw, "column_id")
    names = text(raw, "table"), text(raw, "column")
    return Step(text(raw, "action"), table, names[0], column, names[1], *counts)


def _fits(step: Step, change: Change) -> bool:
    if step.column is None and step.column_name in _SYSTEM:
        is_option = change.option == _SYSTEM[step.column_name]
        return is_option and change.place == TablePlace(step.table)
    place: Place = TablePlace(step.table) if step.column is None else ColumnPlace(step.table, step.column)
    return change.place == place and change.kind in _KINDS.get(step.action, _OPTION)
