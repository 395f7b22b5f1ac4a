"""The preview of a commit: what each change of a plan would do to the rows, in numbers (wire §5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
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

from server_stub.database.bulk import may_link_ahead
from server_stub.foundation.errors import UserError
from server_stub.schema.commit.plan import (
    AddColumn,
    AlterTable,
    CommitPlan,
    ConvertValues,
    CreateTable,
    CreateUnique,
    DropTable,
    DropUnique,
    RenameColumn,
    RenameTable,
    RequireCheck,
    RequireNested,
    RequireTargets,
    RequireUnique,
    RequireValues,
    Step,
    make_plan,
)
from server_stub.schema.commit.requirements import (
    InconvertibleError,
    TimedCheck,
    can_lose_detail,
    convert_value,
    duplicate_error,
    inconvertible_value_error,
    loses_detail,
    missing_nested_row_error,
    missing_target_error,
    missing_value_error,
)
from server_stub.schema.commit.storage_layout import (
    PRIMARY_KEY,
    UPLINK,
    PhysicalColumn,
    PhysicalTable,
    PhysicalUnique,
    column_key,
    lay_out,
    to_json,
)
from server_stub.schema.document.model import Column, Schema, Table, read_schema
from server_stub.schema.versions import Versions

SqlNumber = ColumnElement[Any]

# Databases limit the columns of a query: 2000 in SQLite, 1664 in PostgreSQL.
_MOST = 500
_PAGE = 1000


class RowScan:
    """Examines rows one by one for what SQL cannot count, such as conversions and checks."""

    blocking = 0
    lossy: int | None = None
    refusal: UserError | None = None

    def __init__(self, *columns: str) -> None:
        self.columns = columns

    def take(self, values: Sequence[object]) -> None:
        """Examines the values of `columns` of one row; rows come by ascending id."""
        raise NotImplementedError

    def finish(self) -> None:
        """Called after the last row."""


class ImpactQuery(msgspec.Struct, frozen=True):
    """How to count the values a change affects and those that block the commit with the error `refusal`."""

    values: tuple[SqlNumber, ...]
    blocking: SqlNumber | RowScan | None = None
    refusal: UserError | None = None


class Impact(msgspec.Struct, frozen=True):
    """Counts of rows and values; `blocking` and `lossy` are None if the change cannot block or lose any."""

    rows: int
    values: int
    blocking: int | None = None
    lossy: int | None = None
    refusal: UserError | None = None


def measure_impacts(
    connection: Connection, table_name: str, queries: Sequence[ImpactQuery]
) -> Iterator[Impact]:
    """Runs the queries of one table: one SQL query for all counts, one for the rows to scan."""
    rows, *numbers = _counted(connection, table_name, queries)
    _read(connection, table_name, [each.blocking for each in queries if isinstance(each.blocking, RowScan)])
    rest = iter(numbers)
    for query in queries:
        values = sum(next(rest) for _ in query.values)
        match query.blocking:
            case None:
                yield Impact(rows, values)
            case RowScan() as scan:
                yield Impact(rows, values, scan.blocking, scan.lossy, scan.refusal)
            case _:
                blocking = next(rest)
                yield Impact(rows, values, blocking, None, query.refusal if blocking else None)


def _counted(connection: Connection, table_name: str, queries: Sequence[ImpactQuery]) -> list[int]:
    wanted: list[SqlNumber] = [func.count()]
    for query in queries:
        wanted.extend(query.values)
        if isinstance(query.blocking, ColumnElement):
            wanted.append(query.blocking)
    numbers: list[int] = []
    for start in range(0, len(wanted), _MOST):
        some = wanted[start : start + _MOST]
        labelled = (number.label(f"n{place}") for place, number in enumerate(some))
        numbers.extend(connection.execute(select(*labelled).select_from(table(table_name))).one())
    return numbers


def _read(connection: Connection, table_name: str, scans: Sequence[RowScan]) -> None:
    names = sorted({name for scan in scans for name in scan.columns})
    places = {name: place for place, name in enumerate(names)}
    requests: list[tuple[Callable[[Sequence[object]], None], list[int]]] = [
        (scan.take, [places[name] for name in scan.columns]) for scan in scans
    ]
    if names:
        columns: list[SqlNumber] = [column(name) for name in names]
        chosen = select(*columns).select_from(table(table_name)).order_by(column(PRIMARY_KEY))
        for row in connection.execute(chosen, execution_options={"yield_per": _PAGE}):
            for take, wanted in requests:
                take([row[place] for place in wanted])
    for scan in scans:
        scan.finish()


# From the stored value of a column to the value after the conversion.
ValueConverter = Callable[[object], object]


def converter_of(step: ConvertValues) -> ValueConverter:
    """Converts values; None for one that blocks the commit, which ConversionScan counts."""

    def after(value: object) -> object:
        if value is None:
            return None
        try:
            return convert_value(value, step.before.family, step.after.family, step.languages)
        except InconvertibleError:
            return None

    return after


class ConversionScan(RowScan):
    """Counts values that cannot be converted, and those that lose detail if the conversion can do so."""

    def __init__(self, step: ConvertValues, column: str) -> None:
        super().__init__(column)
        self._step = step
        if can_lose_detail(step.before.family, step.after.family):
            self.lossy = 0

    def take(self, values: Sequence[object]) -> None:
        value, before, after = values[0], self._step.before.family, self._step.after.family
        if value is None:
            return
        try:
            convert_value(value, before, after, self._step.languages)
        except InconvertibleError:
            self.blocking += 1
            self.refusal = self.refusal or inconvertible_value_error(self._step, value)
            return
        if self.lossy is not None:
            self.lossy += loses_detail(value, before, after)


class CheckScan(RowScan):
    """Counts values that violate a check; `after` converts them first."""

    def __init__(self, step: RequireCheck, column: str, after: ValueConverter | None) -> None:
        super().__init__(column)
        self._check = TimedCheck(step)
        self._converter_of = after

    def take(self, values: Sequence[object]) -> None:
        value = self._converter_of(values[0]) if self._converter_of else values[0]
        refusal = None if value is None else self._check.refusal(value)
        if refusal is not None:
            self.blocking += 1
            self.refusal = self.refusal or refusal


class UniqueScan(RowScan):
    """Counts rows that share the values of a unique key after conversion."""

    def __init__(
        self, step: RequireUnique, columns: Sequence[str], afters: Sequence[ValueConverter | None]
    ) -> None:
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
            self.refusal = duplicate_error(self._step)


_NONE: SqlNumber = literal(0)
_ROWS: SqlNumber = func.count()


class ImpactQueries(msgspec.Struct, frozen=True):
    """Creates queries about existing and dropped tables; `conversions` maps physical keys to their steps."""

    old: Mapping[int, PhysicalTable]
    new: Mapping[int, PhysicalTable]
    conversions: Mapping[str, ConvertValues]

    def for_change(self, change: Change) -> ImpactQuery | None:
        """The query for a change; None if it affects no rows."""
        step, query = change.step, None
        match change.action, step:
            case "drop_table", _:
                columns = self.old[change.table_id].columns
                counts = (_count(column.name) for column in columns if not column.name.startswith("_"))
                query = ImpactQuery(tuple(counts))
            case "drop_column", _:
                query = ImpactQuery((_count(self._standing(change).name),))
            case "convert_column", ConvertValues():
                name = self._standing(change).name
                query = ImpactQuery((_count(name),), ConversionScan(step, name))
            case "convert_column", _:
                query = ImpactQuery((_count(self._standing(change).name),), _NONE)
            case _, RequireValues():
                values = func.count(self._value(change.table_id, change.key or ""))
                query = ImpactQuery((values,), _ROWS - values, missing_value_error(step))
            case _, RequireCheck():
                query = self._check(change.table_id, step)
            case _, RequireUnique():
                query = self._unique(change.table_id, step)
            case _, RequireTargets():
                query = self._link(change, step)
            case _, RequireNested():
                query = self._nested(change.table_id, step)
        return query

    def _standing(self, change: Change) -> PhysicalColumn:
        return self.old[change.table_id].column(change.key or "")

    def _value(self, table_id: int, key: str) -> SqlNumber:
        """The values of a column before any conversion, or the default of a new column."""
        existing = self.old[table_id].find(key)
        if existing is not None:
            return column(existing.name)
        default = self.new[table_id].column(key).default
        return null() if default is None else literal(default)

    def _check(self, table_id: int, step: RequireCheck) -> ImpactQuery:
        key = column_key(step.column.id)
        existing = self.old[table_id].find(key)
        if existing is not None:
            after = self._converter_of(key)
            return ImpactQuery((_count(existing.name),), CheckScan(step, existing.name, after))
        default = self.new[table_id].column(key).default
        refusal = None if default is None else TimedCheck(step).refusal(default)
        count = _NONE if default is None else _ROWS
        return ImpactQuery((count,), _ROWS if refusal else _NONE, refusal)

    def _converter_of(self, key: str) -> ValueConverter | None:
        step = self.conversions.get(key)
        return None if step is None else converter_of(step)

    def _unique(self, table_id: int, step: RequireUnique) -> ImpactQuery:
        unique = next(each for each in self.new[table_id].uniques if each.name == step.name)
        values = [self._value(table_id, key) for key in unique.columns]
        holds = [self._is_true(table_id, key) for key in unique.where]
        filled = and_(*(value.is_not(None) for value in values), *holds)
        count = _within(select(func.count()).select_from(self._rows(table_id)).where(filled))
        if self.conversions.keys().isdisjoint(unique.columns):
            return ImpactQuery((count,), self._repeated(table_id, values, filled), duplicate_error(step))
        return ImpactQuery((count,), self._unique_scan(table_id, unique, step))

    def _unique_scan(
        self, table_id: int, unique: PhysicalUnique, step: RequireUnique
    ) -> UniqueScan | SqlNumber:
        """Scans the columns that exist; a new column has the same value in every row and is left out."""
        old = self.old[table_id]
        fixed = [key for key in (*unique.columns, *unique.where) if old.find(key) is None]
        if any(not self.new[table_id].column(key).default for key in unique.where if key in fixed) or any(
            self.new[table_id].column(key).default is None for key in fixed
        ):
            return _NONE
        plain = [key for key in unique.columns if key not in fixed]
        where = [key for key in unique.where if key not in fixed]
        names = [old.column(key).name for key in (*plain, *where)]
        return UniqueScan(
            step, names, [*(self._converter_of(key) for key in plain), *(_if_true for _ in where)]
        )

    def _is_true(self, table_id: int, key: str) -> SqlNumber:
        existing = self.old[table_id].find(key)
        if existing is not None:
            return column(existing.name, Boolean).is_(True)
        return literal(1) == literal(int(self.new[table_id].column(key).default is True))

    def _repeated(self, table_id: int, values: Sequence[SqlNumber], filled: SqlNumber) -> SqlNumber:
        named = (value.label(f"v{place}") for place, value in enumerate(values))
        rows = select(*named).select_from(self._rows(table_id)).where(filled).subquery()
        counted = select(func.count().label("n")).select_from(rows).group_by(*rows.c)
        repeated = counted.having(func.count() > 1).subquery()
        return _within(select(func.coalesce(func.sum(repeated.c.n), 0)).select_from(repeated))

    def _link(self, change: Change, step: RequireTargets) -> ImpactQuery:
        name = self._standing(change).name
        target = next(table_id for table_id, table in self.new.items() if table.name == step.target)
        if target not in self.old:
            return ImpactQuery((_count(name),), _count(name), missing_target_error(step))
        links = table(self.old[change.table_id].name, column(name)).alias("links")
        targets = table(self.old[target].name, column(PRIMARY_KEY)).alias("targets")
        found = exists().where(targets.c[PRIMARY_KEY] == links.c[name])
        lost = select(func.count()).select_from(links).where(links.c[name].is_not(None), ~found)
        return ImpactQuery((_count(name),), _within(lost), missing_target_error(step))

    def _nested(self, table_id: int, step: RequireNested) -> ImpactQuery:
        nested = next(table for table in self.new.values() if table.name == step.nested)
        if nested.id not in self.old:
            return ImpactQuery((_NONE,), _ROWS, missing_nested_row_error(step))
        inner = table(self.old[nested.id].name, column(UPLINK)).alias("nested")
        owners = table(self.old[table_id].name, column(PRIMARY_KEY)).alias("owners")
        found = exists().where(inner.c[UPLINK] == owners.c[PRIMARY_KEY])
        filled = _within(select(func.count()).select_from(owners).where(found))
        return ImpactQuery((filled,), _ROWS - filled, missing_nested_row_error(step))

    def _rows(self, table_id: int) -> Any:
        return table(self.old[table_id].name)


def _if_true(value: object) -> object:
    return 1 if value in (1, True) else None


def _count(name: str) -> SqlNumber:
    return func.count(column(name))


def _within(query: Select[Any]) -> SqlNumber:
    """A count by a subquery."""
    return query.scalar_subquery()


def preview_commit(connection: Connection) -> dict[str, Any]:
    """What committing HEAD would do now: {current_version, head_version, head_digest, steps}.

    Raises UserError instance_not_found (404) before the first schema.
    """
    versions = Versions(connection)
    current, head = versions.current(), versions.at("HEAD")
    return {
        "current_version": None if current is None else current["version"],
        "head_version": head["version"],
        "head_digest": sha256(to_json(head).encode()).hexdigest()[:16],
        "steps": _steps(connection, current, head),
    }


def _steps(
    connection: Connection, current: Mapping[str, Any] | None, head: Mapping[str, Any]
) -> list[dict[str, object]]:
    before = None if current is None else read_schema(current)
    after = read_schema(head)
    plan = make_plan(before, after, link_ahead=may_link_ahead(connection))
    before = before or Schema(version=0, tables=())
    summary = PlanSummary(before, after, lay_out(before), lay_out(after), plan)
    changes = list(summary.changes())
    found = _impacts(connection, summary, changes)
    return [_step_object(summary, change, found.get(index)) for index, change in enumerate(changes)]


def _impacts(connection: Connection, summary: PlanSummary, changes: list[Change]) -> dict[int, Impact]:
    """The impacts by index of their change; each table is queried once."""
    queries = ImpactQueries(summary.old, summary.new, _conversions(summary.plan))
    requested: dict[int, list[tuple[int, ImpactQuery]]] = defaultdict(list)
    for index, change in enumerate(changes):
        query = queries.for_change(change)
        if query is not None:
            requested[change.table_id].append((index, query))
    found: dict[int, Impact] = {}
    for table_id, indexed in requested.items():
        answers = measure_impacts(connection, summary.old[table_id].name, [query for _, query in indexed])
        found |= dict(zip((index for index, _ in indexed), answers, strict=True))
    return found


def _conversions(plan: CommitPlan) -> dict[str, ConvertValues]:
    return {column_key(step.after.id): step for step in plan.steps if isinstance(step, ConvertValues)}


def _step_object(summary: PlanSummary, change: Change, impact: Impact | None) -> dict[str, object]:
    step = {"action": change.action, **summary.named(change), **change.more}
    if impact is None:
        return step
    numbers = {
        "rows": impact.rows,
        "values": impact.values,
        "blocking": impact.blocking,
        "lossy": impact.lossy,
    }
    step["stake"] = {name: number for name, number in numbers.items() if number is not None}
    return step | _refusal(impact.refusal)


def _refusal(refusal: UserError | None) -> dict[str, object]:
    return {} if refusal is None else {"refusal": refusal.to_object()}


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a table, or of the column with the physical key `key`; `more` has further attributes."""

    action: str
    table_id: int
    step: Step
    key: str | None = None
    more: Mapping[str, str] = field(default_factory=dict)


class PlanSummary(msgspec.Struct, frozen=True):
    """Summarises a plan between two schemas with the layouts `old` and `new`."""

    current: Schema
    head: Schema
    old: Mapping[int, PhysicalTable]
    new: Mapping[int, PhysicalTable]
    plan: CommitPlan

    def changes(self) -> Iterator[Change]:
        """All changes, in the order of the commit."""
        tables = {name: id_ for id_, name in self.plan.names.items()}
        for step in self.plan.steps:
            match step:
                case RenameTable():
                    yield from self._renamed_table(step, tables.get(step.new))
                case CreateTable():
                    yield Change("create_table", step.table.id, step)
                case AlterTable():
                    yield from self._altered(step)
                case DropTable():
                    yield Change("drop_table", tables[step.table], step)
                case RequireNested():
                    nested = self.head.tables_by_id[tables[step.nested]].name
                    yield Change("require_nested", tables[step.owner], step, more={"nested": nested})
                case DropUnique() | CreateUnique() | RequireUnique():
                    yield from self._unique(step, tables)
                case _:
                    yield from self._column(step, tables[step.table])

    def named(self, change: Change) -> dict[str, object]:
        """Ids and names of the table and column of a change; names as in HEAD, or in CURRENT if dropped."""
        described: dict[str, object] = {
            "table_id": change.table_id,
            "table": self._table(change.table_id).name,
        }
        if change.key is not None:
            column = self._document_column(change.table_id, change.key)
            described |= (
                {"column": change.key} if column is None else {"column_id": column.id, "column": column.name}
            )
        return described

    def _table(self, table_id: int) -> Table:
        return self.head.tables_by_id.get(table_id) or self.current.tables_by_id[table_id]

    def _document_column(self, table_id: int, key: str) -> Column | None:
        schemas = (self.head, self.current)
        found = (schema.tables_by_id.get(table_id) for schema in schemas)
        columns = (column for table in found if table for column in table.columns)
        return next((column for column in columns if column_key(column.id) == key), None)

    def _renamed_table(self, step: RenameTable, table_id: int | None) -> Iterator[Change]:
        if table_id is not None and table_id in self.new:
            names = self.current.tables_by_id[table_id].name, self.head.tables_by_id[table_id].name
            yield Change("rename_table", table_id, step, more=_from_to(*names))

    def _unique(
        self, step: DropUnique | CreateUnique | RequireUnique, tables: Mapping[str, int]
    ) -> Iterator[Change]:
        key = {"key": step.name}
        match step:
            case DropUnique():
                # The step comes before the renames, so it has the old name of the table.
                table_id = next(table.id for table in self.old.values() if table.name == step.table)
                if table_id in self.new:
                    yield Change("drop_unique_key", table_id, step, more=key)
            case CreateUnique():
                yield Change("add_unique_key", tables[step.table], step, more=key)
            case RequireUnique():
                yield Change("require_unique", tables[step.table], step, more=key)

    def _column(
        self,
        step: RenameColumn | AddColumn | ConvertValues | RequireValues | RequireTargets | RequireCheck,
        table_id: int,
    ) -> Iterator[Change]:
        match step:
            case RenameColumn():
                yield from self._renamed_column(step, table_id)
            case AddColumn():
                if self.old[table_id].find(step.column.key) is None:
                    column = self._document_column(table_id, step.column.key)
                    more = {"type": column.type} if column else {}
                    yield Change("add_column", table_id, step, step.column.key, more)
            case ConvertValues():
                yield from _converted(step, table_id)
            case RequireValues():
                yield Change("require_not_null", table_id, step, self._key(table_id, step.name))
            case RequireTargets():
                key = self._key(table_id, step.column)
                if self.old[table_id].find(key) is not None:
                    yield Change("require_link", table_id, step, key, {"key": step.name})
            case RequireCheck():
                more = {"check": step.column.check.kind or "length"}
                yield Change("require_check", table_id, step, column_key(step.column.id), more)

    def _renamed_column(self, step: RenameColumn, table_id: int) -> Iterator[Change]:
        key = next((column.key for column in self.new[table_id].columns if column.name == step.new), None)
        before = self.current.tables_by_id[table_id].columns
        old_name = next((column.name for column in before if column_key(column.id) == key), None)
        after = key and self._document_column(table_id, key)
        if key and after and old_name is not None:
            yield Change("rename_column", table_id, step, key, _from_to(old_name, after.name))

    def _key(self, table_id: int, name: str) -> str:
        return next(column.key for column in self.new[table_id].columns if column.name == name)

    def _altered(self, step: AlterTable) -> Iterator[Change]:
        """Changes of a remaining table; a created or dropped table is only altered for cyclic links."""
        table_id = step.after.id
        if table_id not in self.old or table_id not in self.new:
            return
        for key in step.before.foreign_keys:
            if key not in step.after.foreign_keys:
                yield Change("drop_foreign_key", table_id, step, key.column, {"key": key.title})
        for old in self.old[table_id].columns:
            wanted = self.new[table_id].find(old.key)
            if wanted is None:
                yield Change("drop_column", table_id, step, old.key)
                continue
            existing = step.before.column(old.key)
            if existing.storage is not wanted.storage:
                yield self._cast(step, table_id, old.key)
            if (wanted.nullable, wanted.default) != (old.nullable, old.default):
                yield Change("change_column", table_id, step, old.key)
        for key in step.after.foreign_keys:
            if key not in step.before.foreign_keys:
                yield Change("add_foreign_key", table_id, step, key.column, {"key": key.title})

    def _cast(self, step: AlterTable, table_id: int, key: str) -> Change:
        old, new = (
            next(
                column.type
                for column in schema.tables_by_id[table_id].columns
                if column_key(column.id) == key
            )
            for schema in (self.current, self.head)
        )
        return Change("convert_column", table_id, step, key, _from_to(old, new))


def _converted(step: ConvertValues, table_id: int) -> Iterator[Change]:
    key = column_key(step.after.id)
    if step.source != step.target and step.before.name != step.after.name:
        names = _from_to(step.before.name, step.after.name)
        yield Change("rename_column", table_id, step, key, names)
    yield Change("convert_column", table_id, step, key, _from_to(step.before.type, step.after.type))


def _from_to(old: str, new: str) -> dict[str, str]:
    return {"from": old, "to": new}
