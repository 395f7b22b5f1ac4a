"""Asks one value after the other whether it fulfils a check, and gives up in time (wire §5); knows no SQL."""

from __future__ import annotations

from time import thread_time

from server_stub.foundation.errors import UserError
from server_stub.schema.fulfilment import broken_check
from server_stub.schema.patterns import UndecidedError
from server_stub.schema.refusals import check_broken, check_undecided
from server_stub.schema.steps import RequireCheck

# Seconds of work on one check: other writers wait for the commit to end, and not for ever.
_LONGEST = 8.0


class RowCheck:
    """One check of one column while its values are looked at."""

    def __init__(self, step: RequireCheck) -> None:
        self._step = step
        self._end = thread_time() + _LONGEST

    def refusal(self, value: object) -> UserError | None:
        """The error with which a value refuses the commit: it breaks the check, or cannot be decided."""
        if thread_time() > self._end:
            return check_undecided(self._step)
        try:
            broken = broken_check(self._step.column, value)
        except UndecidedError:
            return check_undecided(self._step)
        return None if broken is None else check_broken(self._step, broken)
