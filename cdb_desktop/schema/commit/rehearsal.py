"""Rehearses a commit on a server of our own, with a copy of the service's rows where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cdb_desktop.foundation.i18n import Message, message
from cdb_desktop.foundation.threads import run_in_thread
from cdb_desktop.schema.commit.plan import CommitPlan, read_commit_plan
from cdb_desktop.schema.commit.saved_ids import assigned_ids, save_request, with_assigned_ids
from cdb_desktop.schema.diff.compare import compare
from cdb_desktop.schema.document.json_format import read_document
from cdb_desktop.schema.document.json_values import Json
from cdb_desktop.schema.document.model import Document


class RehearsalClient(Protocol):
    """The calls of a client that a rehearsal needs."""

    async def schema(self, version: int | str = "HEAD") -> dict[str, object]: ...
    async def update_schema(self, document: Json) -> dict[str, object]: ...
    async def schema_plan(self) -> dict[str, object] | None: ...
    async def commit_schema(self, *, reindex_generate_events: bool = False) -> None: ...


@dataclass(frozen=True, slots=True)
class RehearsalServer:
    """A server for one rehearsal; ``has_rows``: it has a copy of the service's database."""

    client: RehearsalClient
    has_rows: bool


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """``plan`` is what the server counted before; ``differences`` are those between HEAD and the result."""

    plan: CommitPlan | None
    differences: tuple[Message, ...]
    has_rows: bool


class RehearsalError(Exception):
    """A step failed; ``step`` is its title, ``cause`` the error of the client."""

    def __init__(self, step: Message, cause: Exception) -> None:
        super().__init__(f"{step}: {cause}")
        self.step = step
        self.cause = cause


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
            await steps.save(message("HEAD is saved"), head, there)
    else:
        before = await steps.read(message("HEAD is read"), "HEAD") if current is not None else None
        await steps.save(message("HEAD is saved"), head, before)
    plan = await steps.plan(message("The effect on values is counted"))
    await steps.commit(message("HEAD is committed"))
    result = await steps.read(message("The result is compared with HEAD"), "CURRENT")
    return RehearsalResult(plan, await run_in_thread(_differences, head, result), server.has_rows)


def _differences(head: Document, result: Document) -> tuple[Message, ...]:
    """What differs, apart from ids that the server has assigned anew."""
    (known,) = with_assigned_ids((head,), assigned_ids(head, result))
    return tuple(change.message for change in compare(known, result))


@dataclass(frozen=True, slots=True)
class _Steps:
    client: RehearsalClient
    report: Callable[[Message], None]

    async def save(self, title: Message, document: Document, head: Document | None) -> None:
        self.report(title)
        try:
            body = await run_in_thread(save_request, document, head)
            await self.client.update_schema(body)
        except Exception as error:
            raise RehearsalError(title, error) from error

    async def commit(self, title: Message) -> None:
        self.report(title)
        try:
            await self.client.commit_schema()
        except Exception as error:
            raise RehearsalError(title, error) from error

    async def read(self, title: Message, version: str) -> Document:
        self.report(title)
        try:
            return await run_in_thread(read_document, await self.client.schema(version))
        except Exception as error:
            raise RehearsalError(title, error) from error

    async def plan(self, title: Message) -> CommitPlan | None:
        self.report(title)
        try:
            raw = await self.client.schema_plan()
        except Exception as error:
            raise RehearsalError(title, error) from error
        return None if raw is None else read_commit_plan(raw)
