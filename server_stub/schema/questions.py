"""What to ask CURRENT's rows about each step of a plan: all that a commit would find (wire §5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Boolean, Select, and_, column, exists, func, literal, null, select, table

from server_stub.schema.judges import After, CheckJudge, ConversionJudge, UniqueJudge, converting
from server_stub.schema.outline import Entry
from server_stub.schema.physical import (
    PRIMARY_KEY,
    UPLINK,
    PhysicalColumn,
    PhysicalTable,
    PhysicalUnique,
    column_key,
)
from server_stub.schema.refusals import dangling, no_value, not_unique, nothing_nested
from server_stub.schema.row_check import RowCheck
from server_stub.schema.stakes import Number, Question
from server_stub.schema.steps import (
    ConvertValues,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
)

_NONE: Number = literal(0)
_ROWS: Number = func.count()


class Questions(msgspec.Struct, frozen=True):
    """Asks about kept and dropped tables; `conversions` are the steps that convert, by physical key."""

    old: Mapping[int, PhysicalTable]
    new: Mapping[int, PhysicalTable]
    conversions: Mapping[str, ConvertValues]

    def about(self, entry: Entry) -> Question | None:
        """The question of an entry; None for one that puts nothing at stake."""
        step, asked = entry.step, None
        match entry.action, step:
            case "drop_table", _:
                columns = self.old[entry.table_id].columns
                counts = (_count(column.name) for column in columns if not column.name.startswith("_"))
                asked = Question(tuple(counts))
            case "drop_column", _:
                asked = Question((_count(self._standing(entry).name),))
            case "convert_column", ConvertValues():
                name = self._standing(entry).name
                asked = Question((_count(name),), ConversionJudge(step, name))
            case "convert_column", _:
                asked = Question((_count(self._standing(entry).name),), _NONE)
            case _, RequireValues():
                values = func.count(self._value(entry.table_id, entry.key or ""))
                asked = Question((values,), _ROWS - values, no_value(step))
            case _, RequireCheck():
                asked = self._check(entry.table_id, step)
            case _, RequireUnique():
                asked = self._unique(entry.table_id, step)
            case _, RequireTargets():
                asked = self._link(entry, step)
            case _, RequireNested():
                asked = self._nested(entry.table_id, step)
        return asked

    def _standing(self, entry: Entry) -> PhysicalColumn:
        return self.old[entry.table_id].column(entry.key or "")

    def _value(self, table_id: int, key: str) -> Number:
        """What stands in a column before anything converts; what a new one begins with."""
        standing = self.old[table_id].find(key)
        if standing is not None:
            return column(standing.name)
        default = self.new[table_id].column(key).default
        return null() if default is None else literal(default)

    def _check(self, table_id: int, step: RequireCheck) -> Question:
        key = column_key(step.column.id)
        standing = self.old[table_id].find(key)
        if standing is not None:
            after = self._after(key)
            return Question((_count(standing.name),), CheckJudge(step, standing.name, after))
        default = self.new[table_id].column(key).default
        refusal = None if default is None else RowCheck(step).refusal(default)
        count = _NONE if default is None else _ROWS
        return Question((count,), _ROWS if refusal else _NONE, refusal)

    def _after(self, key: str) -> After | None:
        step = self.conversions.get(key)
        return None if step is None else converting(step)

    def _unique(self, table_id: int, step: RequireUnique) -> Question:
        unique = next(each for each in self.new[table_id].uniques if each.name == step.name)
        values = [self._value(table_id, key) for key in unique.columns]
        holds = [self._is_true(table_id, key) for key in unique.where]
        filled = and_(*(value.is_not(None) for value in values), *holds)
        count = _within(select(func.count()).select_from(self._rows(table_id)).where(filled))
        if self.conversions.keys().isdisjoint(unique.columns):
            return Question((count,), self._repeated(table_id, values, filled), not_unique(step))
        return Question((count,), self._unique_judge(table_id, unique, step))

    def _unique_judge(
        self, table_id: int, unique: PhysicalUnique, step: RequireUnique
    ) -> UniqueJudge | Number:
        """New columns have the same value in every row: they tell no two apart."""
        old = self.old[table_id]
        fixed = [key for key in (*unique.columns, *unique.where) if old.find(key) is None]
        if any(not self.new[table_id].column(key).default for key in unique.where if key in fixed) or any(
            self.new[table_id].column(key).default is None for key in fixed
        ):
            return _NONE
        plain = [key for key in unique.columns if key not in fixed]
        where = [key for key in unique.where if key not in fixed]
        names = [old.column(key).name for key in (*plain, *where)]
        return UniqueJudge(step, names, [*(self._after(key) for key in plain), *(_if_true for _ in where)])

    def _is_true(self, table_id: int, key: str) -> Number:
        standing = self.old[table_id].find(key)
        if standing is not None:
            return column(standing.name, Boolean).is_(True)
        return literal(1) == literal(int(self.new[table_id].column(key).default is True))

    def _repeated(self, table_id: int, values: Sequence[Number], filled: Number) -> Number:
        named = (value.label(f"v{place}") for place, value in enumerate(values))
        rows = select(*named).select_from(self._rows(table_id)).where(filled).subquery()
        counted = select(func.count().label("n")).select_from(rows).group_by(*rows.c)
        repeated = counted.having(func.count() > 1).subquery()
        return _within(select(func.coalesce(func.sum(repeated.c.n), 0)).select_from(repeated))

    def _link(self, entry: Entry, step: RequireTargets) -> Question:
        name = self._standing(entry).name
        target = next(table_id for table_id, table in self.new.items() if table.name == step.target)
        if target not in self.old:
            return Question((_count(name),), _count(name), dangling(step))
        links = table(self.old[entry.table_id].name, column(name)).alias("links")
        targets = table(self.old[target].name, column(PRIMARY_KEY)).alias("targets")
        found = exists().where(targets.c[PRIMARY_KEY] == links.c[name])
        lost = select(func.count()).select_from(links).where(links.c[name].is_not(None), ~found)
        return Question((_count(name),), _within(lost), dangling(step))

    def _nested(self, table_id: int, step: RequireNested) -> Question:
        nested = next(table for table in self.new.values() if table.name == step.nested)
        if nested.id not in self.old:
            return Question((_NONE,), _ROWS, nothing_nested(step))
        inner = table(self.old[nested.id].name, column(UPLINK)).alias("nested")
        owners = table(self.old[table_id].name, column(PRIMARY_KEY)).alias("owners")
        found = exists().where(inner.c[UPLINK] == owners.c[PRIMARY_KEY])
        filled = _within(select(func.count()).select_from(owners).where(found))
        return Question((filled,), _ROWS - filled, nothing_nested(step))

    def _rows(self, table_id: int) -> Any:
        return table(self.old[table_id].name)


def _if_true(value: object) -> object:
    return 1 if value in (1, True) else None


def _count(name: str) -> Number:
    return func.count(column(name))


def _within(query: Select[Any]) -> Number:
    """A number that a query of its own finds inside the one query of a table."""
    return query.scalar_subquery()
