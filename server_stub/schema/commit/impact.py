"""What each change of a plan would do to the rows of CURRENT, in numbers (wire §5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Select,
    and_,
    column,
    exists,
    func,
    literal,
    null,
    select,
    table,
)

from server_stub.errors import UserError
from server_stub.schema.commit.changes import Entry
from server_stub.schema.commit.conversion import InconvertibleError, converted, loses, may_lose
from server_stub.schema.commit.layout import (
    PRIMARY_KEY,
    UPLINK,
    PhysicalColumn,
    PhysicalTable,
    PhysicalUnique,
    column_key,
)
from server_stub.schema.commit.requirements import (
    RowCheck,
    dangling,
    inconvertible,
    no_value,
    not_unique,
    nothing_nested,
)
from server_stub.schema.commit.steps import (
    ConvertValues,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
)

Number = ColumnElement[Any]

# What a query may select has a limit in every database: 2000 in SQLite, 1664 in PostgreSQL.
_MOST = 500
_PAGE = 1000


class Judge:
    """Asks about every row what no database can: whether a value converts, fulfils a check, comes twice."""

    blocking = 0
    lossy: int | None = None
    refusal: UserError | None = None

    def __init__(self, *columns: str) -> None:
        self.columns = columns

    def take(self, values: Sequence[object]) -> None:
        """Looks at the judge's columns of one row, by ascending id."""
        raise NotImplementedError

    def finish(self) -> None:
        """All rows have been there."""


class Question(msgspec.Struct, frozen=True):
    """What one step puts at stake: how many values, and how many of them would refuse the commit and how."""

    values: tuple[Number, ...]
    blocking: Number | Judge | None = None
    refusal: UserError | None = None


class Stake(msgspec.Struct, frozen=True):
    """The answer to a question; None where the step cannot refuse or lose anything."""

    rows: int
    values: int
    blocking: int | None = None
    lossy: int | None = None
    refusal: UserError | None = None


def stakes(connection: Connection, table_name: str, questions: Sequence[Question]) -> Iterator[Stake]:
    """Answers questions about one table: one query for what is counted, one for what must be read."""
    rows, *numbers = _counted(connection, table_name, questions)
    _read(connection, table_name, [each.blocking for each in questions if isinstance(each.blocking, Judge)])
    rest = iter(numbers)
    for question in questions:
        values = sum(next(rest) for _ in question.values)
        match question.blocking:
            case None:
                yield Stake(rows, values)
            case Judge() as judge:
                yield Stake(rows, values, judge.blocking, judge.lossy, judge.refusal)
            case _:
                blocking = next(rest)
                yield Stake(rows, values, blocking, None, question.refusal if blocking else None)


def _counted(connection: Connection, table_name: str, questions: Sequence[Question]) -> list[int]:
    wanted: list[Number] = [func.count()]
    for question in questions:
        wanted.extend(question.values)
        if isinstance(question.blocking, ColumnElement):
            wanted.append(question.blocking)
    numbers: list[int] = []
    for start in range(0, len(wanted), _MOST):
        some = wanted[start : start + _MOST]
        labelled = (number.label(f"n{place}") for place, number in enumerate(some))
        numbers.extend(connection.execute(select(*labelled).select_from(table(table_name))).one())
    return numbers


def _read(connection: Connection, table_name: str, judges: Sequence[Judge]) -> None:
    names = sorted({name for judge in judges for name in judge.columns})
    places = {name: place for place, name in enumerate(names)}
    asked: list[tuple[Callable[[Sequence[object]], None], list[int]]] = [
        (judge.take, [places[name] for name in judge.columns]) for judge in judges
    ]
    if names:
        columns: list[Number] = [column(name) for name in names]
        chosen = select(*columns).select_from(table(table_name)).order_by(column(PRIMARY_KEY))
        for row in connection.execute(chosen, execution_options={"yield_per": _PAGE}):
            for take, wanted in asked:
                take([row[place] for place in wanted])
    for judge in judges:
        judge.finish()


# The value of a column once all values have been converted: from the stored one.
After = Callable[[object], object]


def converting(step: ConvertValues) -> After:
    """What a conversion makes of a value; None of one that refuses the commit, which another judge counts."""

    def after(value: object) -> object:
        if value is None:
            return None
        try:
            return converted(value, step.before.family, step.after.family, step.languages)
        except InconvertibleError:
            return None

    return after


class ConversionJudge(Judge):
    """Counts values without a counterpart in the new type, and where any can, those that lose something."""

    def __init__(self, step: ConvertValues, column: str) -> None:
        super().__init__(column)
        self._step = step
        if may_lose(step.before.family, step.after.family):
            self.lossy = 0

    def take(self, values: Sequence[object]) -> None:
        value, before, after = values[0], self._step.before.family, self._step.after.family
        if value is None:
            return
        try:
            converted(value, before, after, self._step.languages)
        except InconvertibleError:
            self.blocking += 1
            self.refusal = self.refusal or inconvertible(self._step, value)
            return
        if self.lossy is not None:
            self.lossy += loses(value, before, after)


class CheckJudge(Judge):
    """Counts values that break a check; `after` is what a conversion makes of them before."""

    def __init__(self, step: RequireCheck, column: str, after: After | None) -> None:
        super().__init__(column)
        self._check = RowCheck(step)
        self._after = after

    def take(self, values: Sequence[object]) -> None:
        value = self._after(values[0]) if self._after else values[0]
        refusal = None if value is None else self._check.refusal(value)
        if refusal is not None:
            self.blocking += 1
            self.refusal = self.refusal or refusal


class UniqueJudge(Judge):
    """Counts rows that share the values of a unique key after conversion."""

    def __init__(self, step: RequireUnique, columns: Sequence[str], afters: Sequence[After | None]) -> None:
        super().__init__(*columns)
        self._step = step
        self._afters = tuple(afters)
        self._met: Counter[tuple[object, ...]] = Counter()

    def take(self, values: Sequence[object]) -> None:
        found = tuple(
            after(value) if after else value for value, after in zip(values, self._afters, strict=True)
        )
        if None not in found:
            self._met[found] += 1

    def finish(self) -> None:
        self.blocking = sum(count for count in self._met.values() if count > 1)
        if self.blocking:
            self.refusal = not_unique(self._step)


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
