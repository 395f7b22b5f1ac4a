"""The inverse of a committed version, and what it cannot bring back.

    before ── commit ── after ── … ── HEAD
       └── target: before, as far as the service accepts it after the commit
                   merged with HEAD (`cdb_desktop.schema.merge`), with after as the common version

Ids are never used again and values of a type go back only in some ways (wire §5), so that removed elements
return as new and empty ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from cdb_desktop.foundation.i18n import Message, mark, message
from cdb_desktop.schema.commit.plan import CommitPlan
from cdb_desktop.schema.commit.saved_ids import without_ids
from cdb_desktop.schema.diff.compare import Change, compare
from cdb_desktop.schema.document.column_types import is_change_allowed, keeps_values
from cdb_desktop.schema.document.element_ref import ColumnRef, TableRef
from cdb_desktop.schema.document.model import Column, Document, Table

# Options with values of rows, the columns of the system that hold them, and what returns.
_OPTIONS = {
    "is_hierarchical": (
        "_parent_id",
        mark("Table {table} is hierarchical again, but its rows have no parents"),
    ),
    "pool_link": ("_pool_id", mark("Table {table} has pools again, but its rows are in none")),
    "has_tags": ("_tags", mark("Table {table} has tags again, but its rows have none")),
}


class LossKind(Enum):
    """What does not return."""

    ROWS = "rows of a removed table"
    VALUES = "values of a removed column"
    OPTION = "values that belong to an option of a table"
    DETAIL = "what a change of type may have cut off values"
    TYPE = "a type that values cannot get back"
    REPLACED = "values of a column that is replaced to get its type back"


@dataclass(frozen=True, slots=True)
class RevertLoss:
    """Something that the inverse does not bring back; ``ref`` is of the version before the commit.

    ``option`` is that of a table whose values are lost. ``count`` is the number of values, or of rows if
    there are no values, as the service counted them before the commit; None if that is not known.
    """

    kind: LossKind
    ref: TableRef | ColumnRef
    message: Message
    option: str = ""
    count: int | None = None


@dataclass(frozen=True)
class CommitReversal:
    """``target`` is the document to merge with HEAD, ``losses`` are in the order of ``before``."""

    before: Document
    after: Document
    target: Document
    losses: tuple[RevertLoss, ...]

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """What the inverse changes in the version that was committed."""
        return compare(self.after, self.target)

    @property
    def irreversible_types(self) -> tuple[ColumnRef, ...]:
        """The columns whose values cannot be converted back."""
        kinds = (LossKind.TYPE, LossKind.REPLACED)
        refs = (loss.ref for loss in self.losses if loss.kind in kinds)
        return tuple(ref for ref in refs if isinstance(ref, ColumnRef))


def reverse_commit(
    before: Document, after: Document, *, replaces_columns: bool = False, plan: CommitPlan | None = None
) -> CommitReversal:
    """The inverse of the commit that led from one version to the other.

    A column whose values cannot be converted back keeps its type and options, unless ``replaces_columns``:
    then it returns as a new and empty one. ``plan`` is the service's plan of that commit.
    """
    same_tables = {table.key for table in before.tables if _is_same(table, after.by_key.get(table.key))}
    columns: set[int] = set()
    irreversible: set[int] = set()
    for table in before.tables:
        now = after.by_key[table.key].by_key if table.key in same_tables else {}
        for column in table.columns:
            if column.key not in now:
                continue
            if not is_change_allowed(now[column.key].type, column.type):
                irreversible.add(column.key)
            if column.key not in irreversible or not replaces_columns:
                columns.add(column.key)
    target = without_ids(before, but_tables=same_tables, but_columns=columns)
    if not replaces_columns:
        target = _with_types_of(after, target, irreversible)
    losses = tuple(_losses(before, after, same_tables, replaces_columns=replaces_columns))
    return CommitReversal(before, after, target, tuple(_counted(loss, plan) for loss in losses))


def _is_same(table: Table, now: Table | None) -> bool:
    """Whether it is still there: a table of another owner is another one, as services keep owners."""
    return now is not None and (now.is_nested, now.owner) == (table.is_nested, table.owner)


def _with_types_of(after: Document, target: Document, columns: set[int]) -> Document:
    """The document with types and options of these columns as they are now; names and places return."""
    changed = []
    for table in target.tables:
        if columns.isdisjoint(table.by_key):
            continue
        now = after.by_key[table.key].by_key
        entries = tuple(
            replace(entry, raw={**now[entry.key].raw, "name": entry.name})
            if isinstance(entry, Column) and entry.key in columns
            else entry
            for entry in table.entries
        )
        changed.append(replace(table, entries=entries))
    return target.with_tables(*changed)


def _losses(
    before: Document, after: Document, same_tables: set[int], *, replaces_columns: bool
) -> Iterator[RevertLoss]:
    for table in before.tables:
        if table.key not in same_tables:
            text = message("Table {table} returns without rows", table=table.name)
            yield RevertLoss(LossKind.ROWS, TableRef(table.key), text)
            continue
        now = after.by_key[table.key]
        for option, (_, returns) in _OPTIONS.items():
            if table.flag(option) and not now.flag(option):
                text = message(returns, table=table.name)
                yield RevertLoss(LossKind.OPTION, TableRef(table.key), text, option)
        for column in table.columns:
            loss = _column_loss(table, column, now.by_key.get(column.key), replaces_columns=replaces_columns)
            if loss is not None:
                yield loss


def _column_loss(
    table: Table, column: Column, now: Column | None, *, replaces_columns: bool
) -> RevertLoss | None:
    ref, name = ColumnRef(table.key, column.key), f"{table.name}.{column.name}"
    if now is None:
        text = message("Column {column} returns without values", column=name)
        return RevertLoss(LossKind.VALUES, ref, text)
    types = {"old": column.type, "new": now.type}
    if not is_change_allowed(now.type, column.type):
        if replaces_columns:
            text = message(
                "Column {column} returns as a new one without values, as {new} cannot become {old} again",
                column=name,
                **types,
            )
            return RevertLoss(LossKind.REPLACED, ref, text)
        text = message(
            "Column {column} stays {new}, as its values cannot become {old} again", column=name, **types
        )
        return RevertLoss(LossKind.TYPE, ref, text)
    if column.type != now.type and not keeps_values(column.type, now.type):
        text = message(
            "Column {column} becomes {old} again, but what {new} could not hold is gone", column=name, **types
        )
        return RevertLoss(LossKind.DETAIL, ref, text)
    return None


def _counted(loss: RevertLoss, plan: CommitPlan | None) -> RevertLoss:
    """The loss with the number in the plan of the commit, in which steps without an effect are left out."""
    if plan is None or loss.kind in (LossKind.TYPE, LossKind.REPLACED):
        return loss
    column = loss.ref.column if isinstance(loss.ref, ColumnRef) else None
    name = _OPTIONS[loss.option][0] if loss.option else ""
    action = "drop_table" if loss.kind is LossKind.ROWS else ""
    found = (
        step
        for step in plan.steps
        if step.table == loss.ref.table
        and (step.action == action if action else step.column_name == name if name else step.column == column)
    )
    return replace(loss, count=sum(step.lost for step in found))
