"""The journal of commits: which step of which version was begun and done, and when; knows no step's meaning.

Its rows are written in the transaction that does the steps. Where that holds the changes of tables too, as
in SQLite and PostgreSQL, a commit that is cut off leaves neither tables nor rows behind, and the rows of a
version prove what was done for it. On a database that commits each change of tables by itself, they tell
where to go on.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from server_stub.database.prepared import run_prepared
from server_stub.database.tables import journal


class State(StrEnum):
    """How far a step has come."""

    BEGUN = "begun"
    DONE = "done"


_BEGIN = insert(journal).values(
    {name: bindparam(name) for name in ("version", "step", "state", "action", "begun")}
)
_END = (
    update(journal)
    .where(journal.c.version == bindparam("of"), journal.c.step == bindparam("number"))
    .values(state=State.DONE.value, ended=bindparam("at"))
)


class Journal(msgspec.Struct, frozen=True):
    """The rows of one commit; `now` gives whole epoch seconds."""

    connection: Connection
    version: int
    now: Callable[[], int]

    def states(self) -> dict[int, State]:
        """The steps that an earlier run has left its rows of; empty wherever nothing was cut off."""
        rows = select(journal.c.step, journal.c.state).where(journal.c.version == self.version)
        return {step: State(state) for step, state in self.connection.execute(rows)}

    def begin(self, step: int, action: str) -> None:
        """Writes that a step begins."""
        row = {"version": self.version, "step": step, "action": action, "begun": self.now()}
        run_prepared(self.connection, _BEGIN, [row | {"state": State.BEGUN.value}])

    def end(self, step: int) -> None:
        """Writes that a step is done."""
        run_prepared(self.connection, _END, [{"of": self.version, "number": step, "at": self.now()}])
