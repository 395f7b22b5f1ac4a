"""Rehearses a commit on a server of our own, with a copy of the service's rows where there is one.

Samples of rows show what the commit does to values.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan
from cdb_desktop.schema.commit.saved_ids import assigned_ids, save_request, with_assigned_ids
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import Column, Document, Table

MOST_ROWS = 300  # of a table that are compared
_MOST_TABLES = 20
_SHOWN = 4  # rows of each table
_ID = "_id"

Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SampledValue:
    """A value of a row; None where it is empty or the column does not exist. Names are empty in that case."""

    row: int
    old_name: str
    new_name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some rows of a table whose columns have changed; ``new_name`` is empty for a removed table.

    ``compared`` is the number of rows that were compared, ``changed`` of those with a value that differs.
    """

    old_name: str
    new_name: str
    values: tuple[SampledValue, ...]
    compared: int
    changed: int


def sampled_tables(current: Document, head: Document) -> tuple[Table, ...]:
    """The tables of CURRENT whose columns a commit adds, removes or converts, or that it removes."""
    pairs = ((table, head.by_key.get(table.key)) for table in current.tables)
    changed = [table for table, now in pairs if now is None or _columns(table, now)]
    return tuple(changed[:_MOST_TABLES])


def table_sample(table: Table, now: Table | None, before: Sequence[Row], after: Sequence[Row]) -> TableSample:
    """Rows of a table of CURRENT; first those with values that differ. ``now`` is the table in HEAD."""
    pairs = _columns(table, now)
    rows_now = {_id(row): row for row in after}
    found: list[tuple[bool, list[SampledValue]]] = []
    for row in before:
        values = [_value(row, rows_now.get(_id(row), {}), was, column) for was, column in pairs]
        differs = any(value.before != value.after for value in values)
        found.append((differs, [one for one in values if (one.before, one.after) != (None, None)]))
    chosen = sorted((one for one in found if one[1]), key=lambda one: not one[0])[:_SHOWN]
    return TableSample(
        table.name,
        "" if now is None else now.name,
        tuple(value for _, values in chosen for value in values),
        len(before),
        sum(differs for differs, _ in found),
    )


def _columns(table: Table, now: Table | None) -> list[tuple[Column | None, Column | None]]:
    """The columns that differ, before and after; all of a removed table."""
    after = {} if now is None else dict(now.by_key)
    pairs: list[tuple[Column | None, Column | None]] = []
    for column in table.columns:
        same = after.pop(column.key, None)
        if same is None or (same.name, same.type) != (column.name, column.type):
            pairs.append((column, same))
    return [*pairs, *((None, column) for column in after.values())]


def _value(before: Row, after: Row, was: Column | None, now: Column | None) -> SampledValue:
    return SampledValue(
        _id(before),
        "" if was is None else was.name,
        "" if now is None else now.name,
        None if was is None else before.get(was.name),
        None if now is None else after.get(now.name),
    )


def _id(row: Row) -> int:
    found = row.get(_ID)
    return found if isinstance(found, int) else 0


class RehearsalClient(Protocol):
    """The calls of a client that a rehearsal needs."""

    async def schema(self, version: int | str = "HEAD") -> dict[str, object]: ...
    async def update_schema(self, document: Json) -> dict[str, object]: ...
    async def schema_plan(self) -> dict[str, object] | None: ...
    async def commit_schema(self, *, reindex_generate_events: bool = False) -> object: ...


ReadRows = Callable[[str, int], Awaitable[Sequence[Row]]]


@dataclass(frozen=True, slots=True)
class RehearsalServer:
    """A server for one rehearsal.

    ``read_rows`` returns the first rows of a table, up to a number, if the server has a copy of the service's
    database; else it is None. It raises OSError.
    """

    client: RehearsalClient
    read_rows: ReadRows | None = None

    @property
    def has_rows(self) -> bool:
        """Whether it has a copy of the service's database."""
        return self.read_rows is not None


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """``plan`` is what the server counted before; ``differences`` are those between HEAD and the result.

    ``samples`` are rows before and after, none on a server without rows.
    """

    plan: CommitPlan | None
    differences: tuple[Message, ...]
    has_rows: bool
    samples: tuple[TableSample, ...] = ()


class RehearsalError(Exception):
    """A step failed; ``step`` is its title, ``cause`` the error of the client.

    ``plan`` is what the server counted before, if it came to that.
    """

    def __init__(self, step: Message, cause: Exception, plan: CommitPlan | None = None) -> None:
        super().__init__(f"{step}: {cause}")
        self.step = step
        self.cause = cause
        self.plan = plan


async def rehearse(
    server: RehearsalServer,
    head: Document,
    current: Document | None,
    report: Callable[[Message], None],
) -> RehearsalResult:
    """Commits ``head`` on a server after ``current``. ``report`` is called with the title of each step.

    A server with rows has both already. Raises RehearsalError.
    """
    steps = _Steps(server.client, report)
    if not server.has_rows and current is not None:
        await steps.save(message("CURRENT is saved"), current, None)
        await steps.commit(message("CURRENT is committed"))
    if server.has_rows:
        there = await steps.read(message("HEAD is read"), "HEAD")
        if await run_in_thread(compare, head, there):
            # Somebody has saved HEAD since the database was copied.
            there = await steps.save(message("HEAD is saved"), head, there)
    else:
        base = await steps.read(message("HEAD is read"), "HEAD") if current is not None else None
        there = await steps.save(message("HEAD is saved"), head, base)
    plan = await steps.plan(message("The effect on values is counted"))
    sampled = () if current is None or not server.has_rows else sampled_tables(current, there)
    before = await _read_rows(server, [table.name for table in sampled])
    await steps.commit(message("HEAD is committed"), plan)
    result = await steps.read(message("The result is compared with HEAD"), "CURRENT")
    now = {table.key: result.by_key.get(table.key) for table in sampled}
    after = await _read_rows(server, [table.name for table in now.values() if table is not None])
    samples = (
        table_sample(table, found, before[table.name], () if found is None else after[found.name])
        for table, found in ((table, now[table.key]) for table in sampled)
    )
    differences = await run_in_thread(_differences, head, result)
    return RehearsalResult(plan, differences, server.has_rows, tuple(samples))


async def _read_rows(server: RehearsalServer, tables: Sequence[str]) -> dict[str, Sequence[Row]]:
    """The first rows of tables; a table that cannot be read has none, since samples are an addition."""
    found: dict[str, Sequence[Row]] = dict.fromkeys(tables, ())
    if server.read_rows is not None:
        for table in tables:
            with suppress(OSError):
                found[table] = await server.read_rows(table, MOST_ROWS)
    return found


def _differences(head: Document, result: Document) -> tuple[Message, ...]:
    """What differs, apart from ids that the server has assigned anew."""
    (known,) = with_assigned_ids((head,), assigned_ids(head, result))
    return tuple(change.message for change in compare(known, result))


@dataclass(frozen=True, slots=True)
class _Steps:
    client: RehearsalClient
    report: Callable[[Message], None]

    @contextmanager
    def _step(self, title: Message, plan: CommitPlan | None = None) -> Iterator[None]:
        self.report(title)
        try:
            yield
        except Exception as error:
            raise RehearsalError(title, error, plan) from error

    async def save(self, title: Message, document: Document, head: Document | None) -> Document:
        with self._step(title):
            body = await run_in_thread(save_request, document, head)
            return await run_in_thread(read_document, await self.client.update_schema(body))

    async def commit(self, title: Message, plan: CommitPlan | None = None) -> None:
        with self._step(title, plan):
            await self.client.commit_schema()

    async def read(self, title: Message, version: str) -> Document:
        with self._step(title):
            return await run_in_thread(read_document, await self.client.schema(version))

    async def plan(self, title: Message) -> CommitPlan | None:
        with self._step(title):
            raw = await self.client.schema_plan()
        return None if raw is None else read_commit_plan(raw)
