"""Judges of rows: conversions, checks, unique keys of converted values; as the commit would see each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from server_stub.schema.refusals import inconvertible, not_unique
from server_stub.schema.row_check import RowCheck
from server_stub.schema.stakes import Judge
from server_stub.schema.steps import ConvertValues, RequireCheck, RequireUnique
from server_stub.schema.values import InconvertibleError, converted, loses, may_lose

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
