"""The journal of commits: which step of which version was begun and done, and when.

Its rows are written in the transaction of the commit. In SQLite and PostgreSQL, where this transaction
includes changes of tables, an interrupted commit has no effect. In a database that commits each
change of tables by itself, the journal says where to resume.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from server_stub.database.bulk import run_prepared
from server_stub.database.tables import journal


class StepState(StrEnum):
    """The state of a step."""

    BEGUN = "begun"
    DONE = "done"


_BEGIN = insert(journal).values(
    {name: bindparam(name) for name in ("version", "step", "state", "action", "begun")}
)
_END = (
    update(journal)
    .where(journal.c.version == bindparam("of"), journal.c.step == bindparam("number"))
    .values(state=StepState.DONE.value, ended=bindparam("at"))
)


class Journal(msgspec.Struct, frozen=True):
    """The journal of one commit; `now` returns whole epoch seconds."""

    connection: Connection
    version: int
    now: Callable[[], int]

    def states(self) -> dict[int, StepState]:
        """The states of steps that an interrupted run has left; empty if there was none."""
        rows = select(journal.c.step, journal.c.state).where(journal.c.version == self.version)
        return {step: StepState(state) for step, state in self.connection.execute(rows)}

    def begin(self, step: int, action: str) -> None:
        """Records the begin of a step."""
        row = {"version": self.version, "step": step, "action": action, "begun": self.now()}
        run_prepared(self.connection, _BEGIN, [row | {"state": StepState.BEGUN.value}])

    def end(self, step: int) -> None:
        """Records the end of a step."""
        run_prepared(self.connection, _END, [{"of": self.version, "number": step, "at": self.now()}])
