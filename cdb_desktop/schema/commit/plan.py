"""The service's plan of a commit, and the reindexing after it (§4.8, §6 rule 3).

The plan is what the commit would do to the data, assigned to the changes that are known here. Unknown actions
and attributes are ignored, since a newer service may send them.

There is no call for the progress of reindexing: it is known to begin with a commit and to write an event for
each object. It is over when all objects are indexed, or when their number is unknown or too high, after
QUIET_SECONDS without an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cdb_desktop.schema.diff.compare import Change, ChangeKind, Risk
from cdb_desktop.schema.document.element_ref import ColumnRef, ElementRef, TableRef, table_key_of
from cdb_desktop.schema.document.json_values import Json, int_attribute, text_attribute
from cdb_desktop.schema.document.model import Document

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
class CommitStep:
    """One step with the number of rows of the table, of values, of those that make the commit fail
    (``blocking``) and of those that are converted with a loss (``lossy``).

    ``refusal`` is the error object (§2.3) with which the first of the blocking rows refuses the commit.
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
    refusal: Json | None = None

    @property
    def lost(self) -> int:
        """How many values are lost; for a dropped table without values, how many rows."""
        if self.action == _DROP_TABLE:
            return self.values or self.rows
        return self.values if self.action == _DROP_COLUMN else self.lossy

    @property
    def name(self) -> str:
        """The table, or table and column."""
        return f"{self.table_name}.{self.column_name}" if self.column_name else self.table_name


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """``stamp`` changes with HEAD and CURRENT; steps without an effect on values are left out."""

    stamp: tuple[str, int | None]
    steps: tuple[CommitStep, ...]


@dataclass(frozen=True, slots=True)
class CommitPlanLine:
    """One line of the dialog: a change with its steps, or steps that belong to no known change.

    ``is_counted``: the service reported how many values are affected.
    """

    change: Change | None
    steps: tuple[CommitStep, ...]
    is_counted: bool

    @property
    def lost(self) -> int:
        """How many values are lost, as far as that is known."""
        return sum(step.lost for step in self.steps)

    @property
    def blocking(self) -> int:
        """How many rows or values make the commit fail."""
        return sum(step.blocking for step in self.steps)

    @property
    def needs_consent(self) -> bool:
        """Whether values are lost, or may be lost because nothing was counted."""
        is_destroying = self.change is not None and self.change.risk is Risk.DESTROYING
        return self.lost > 0 or (is_destroying and not (self.is_counted and self.steps))


def read_commit_plan(raw: Mapping[str, object]) -> CommitPlan:
    """The plan in an answer, without what has an unexpected form."""
    steps = raw.get("steps")
    found = [step for step in steps if isinstance(step, Mapping)] if isinstance(steps, list) else []
    read = (_step(step) for step in found)
    return CommitPlan(
        (text_attribute(raw, "head_digest"), int_attribute(raw, "current_version")),
        tuple(step for step in read if step is not None),
    )


def values_at_stake(plan: CommitPlan, current: Document) -> dict[str, tuple[str, ...]]:
    """The tables of CURRENT that lose or convert values, each with these columns; none for a whole table.

    Names are those in CURRENT.
    """
    found: dict[str, tuple[str, ...]] = {}
    whole: set[str] = set()
    for step in plan.steps:
        table = current.by_key.get(step.table)
        if table is None or step.action not in (_DROP_TABLE, _DROP_COLUMN, _CONVERT):
            continue
        if step.action == _DROP_TABLE:
            whole.add(table.name)
        else:
            column = None if step.column is None else table.by_key.get(step.column)
            name = step.column_name if column is None else column.name
            found[table.name] = (*found.get(table.name, ()), name)
    return found | dict.fromkeys(sorted(whole), ())


def plan_lines(changes: Sequence[Change], plan: CommitPlan | None) -> tuple[CommitPlanLine, ...]:
    """The changes in their order with the steps of each, then the steps that belong to none of them."""
    if plan is None:
        return tuple(CommitPlanLine(change, (), is_counted=False) for change in changes)
    by_change: dict[int, list[CommitStep]] = {}
    unmatched: list[CommitStep] = []
    for step in plan.steps:
        at = next((at for at, change in enumerate(changes) if _belongs_to(step, change)), None)
        (unmatched if at is None else by_change.setdefault(at, [])).append(step)
    known = (
        CommitPlanLine(change, tuple(by_change.get(at, ())), is_counted=True)
        for at, change in enumerate(changes)
    )
    others = (
        CommitPlanLine(None, (step,), is_counted=True) for step in unmatched if step.lost or step.blocking
    )
    return (*known, *others)


def _step(raw: Mapping[str, object]) -> CommitStep | None:
    stake, table = raw.get("stake"), int_attribute(raw, "table_id")
    if not isinstance(stake, Mapping) or table is None:
        return None
    rows, values, blocking, lossy = (
        int_attribute(stake, name) or 0 for name in ("rows", "values", "blocking", "lossy")
    )
    column = int_attribute(raw, "column_id")
    names = text_attribute(raw, "table"), text_attribute(raw, "column")
    refusal = raw.get("refusal")
    return CommitStep(
        text_attribute(raw, "action"),
        table,
        names[0],
        column,
        names[1],
        rows,
        values,
        blocking,
        lossy,
        refusal=refusal if isinstance(refusal, Mapping) else None,
    )


def _belongs_to(step: CommitStep, change: Change) -> bool:
    if step.column is None and step.column_name in _SYSTEM:
        is_option = change.option == _SYSTEM[step.column_name]
        return is_option and change.ref == TableRef(step.table)
    ref: ElementRef = TableRef(step.table) if step.column is None else ColumnRef(step.table, step.column)
    return change.ref == ref and change.kind in _KINDS.get(step.action, _OPTION)


QUIET_SECONDS = 20  # without an event, after which it is taken to have ended


@dataclass(frozen=True, slots=True)
class Reindexing:
    """The objects that were indexed since a commit; ``total`` is how many there are, None if unknown.

    Objects of other objecttypes than the changed ones are indexed for other reasons and do not count;
    ``objecttypes`` is None if any may have changed.
    """

    total: int | None
    objecttypes: frozenset[str] | None = None
    objects: frozenset[tuple[str, int]] = frozenset()

    @property
    def indexed(self) -> int:
        """How many objects were indexed."""
        return len(self.objects)

    @property
    def is_complete(self) -> bool:
        """Whether all objects are known to be indexed."""
        return self.total is not None and self.indexed >= self.total

    def with_objects(self, objects: Iterable[tuple[str, int]]) -> Reindexing:
        """With more objects, as objecttype and id; one that is indexed twice counts once."""
        counted = (one for one in objects if self.objecttypes is None or one[0] in self.objecttypes)
        return replace(self, objects=self.objects.union(counted))


def expected_reindexing(
    head: Document, current: Document | None, changes: Sequence[Change], plan: CommitPlan | None
) -> Reindexing:
    """What a commit reindexes: the objects of changed objecttypes. Their number is known if the plan says so.

    Services count the rows of tables only where a step affects them, so that the number is often unknown.
    """
    keys = (table_key_of(change.ref) for change in changes)
    changed = {_objecttype(head, key) for key in keys if key in head.by_key and key is not None}
    names = frozenset(head.by_key[key].name for key in changed)
    if current is None:
        return Reindexing(0, names)
    rows = {} if plan is None else {step.table: step.rows for step in plan.steps}
    known = [rows.get(key) for key in changed if key in current.by_key]
    counted = [count for count in known if count is not None]
    return Reindexing(sum(counted) if len(counted) == len(known) else None, names)


def objecttypes_at_risk(current: Document, changes: Iterable[Change]) -> dict[int, str]:
    """Id and name of the objecttypes of CURRENT whose rows a commit may harm or be blocked by."""
    risky = (table_key_of(change.ref) for change in changes if change.risk is not Risk.SAFE)
    keys = {_objecttype(current, key) for key in risky if key is not None and key in current.by_key}
    return {key: current.by_key[key].name for key in sorted(keys) if current.by_key[key].owner is None}


def _objecttype(document: Document, key: int) -> int:
    """The objecttype whose objects contain the rows of a table."""
    seen: set[int] = set()
    while key not in seen:
        seen.add(key)
        owner = document.by_key[key].owner
        if owner is None or owner not in document.by_key:
            break
        key = owner
    return key
