"""The journal of commits: which step of which version was begun and done, and when.

Its rows are written in the transaction of the commit. In SQLite and PostgreSQL, where this transaction
includes changes of tables, an interrupted commit has no effect, and the rows are written together at the
end. In a database that commits each change of tables by itself, the journal says where to resume.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from sqlalchemy import Connection, bindparam, insert, select, update

from server_stub.database.bulk import run_prepared
from server_stub.database.ddl_support import changes_tables_in_transactions
from server_stub.database.tables import journal


class StepState(StrEnum):
    """The state of a step."""

    BEGUN = "begun"
    DONE = "done"


_INSERT = insert(journal).values(
    {name: bindparam(name) for name in ("version", "step", "state", "action", "begun", "ended")}
)
_END = (
    update(journal)
    .where(journal.c.version == bindparam("of"), journal.c.step == bindparam("number"))
    .values(state=StepState.DONE.value, ended=bindparam("at"))
)


class Journal:
    """The journal of one commit; `now` returns whole epoch seconds."""

    def __init__(self, connection: Connection, version: int, now: Callable[[], int]) -> None:
        self.connection = connection
        self._version = version
        self._now = now
        self._writes_at_end = changes_tables_in_transactions(connection)
        self._unwritten: dict[int, dict[str, object]] = {}

    def states(self) -> dict[int, StepState]:
        """The states of steps that an interrupted run has left; empty if there was none."""
        rows = select(journal.c.step, journal.c.state).where(journal.c.version == self._version)
        return {step: StepState(state) for step, state in self.connection.execute(rows)}

    def begin(self, step: int, action: str) -> None:
        """Records the begin of a step."""
        self._unwritten[step] = {
            "version": self._version,
            "step": step,
            "state": StepState.BEGUN.value,
            "action": action,
            "begun": self._now(),
            "ended": None,
        }
        if not self._writes_at_end:
            self.write()

    def end(self, step: int) -> None:
        """Records the end of a step."""
        if step in self._unwritten:
            self._unwritten[step] |= {"state": StepState.DONE.value, "ended": self._now()}
        else:
            run_prepared(self.connection, _END, [{"of": self._version, "number": step, "at": self._now()}])

    def write(self) -> None:
        """Writes the rows that are not written yet."""
        if self._unwritten:
            run_prepared(self.connection, _INSERT, list(self._unwritten.values()))
            self._unwritten.clear()
