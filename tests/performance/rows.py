"""Result rows, the registry of measurements, and their output."""

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

MILLION = 1_000_000


@dataclass(frozen=True)
class Context:
    """The arguments of a measurement: a temporary folder, the number of events, and `running`, which closes
    shared resources at the end.
    """

    folder: Path
    events: int
    repeats: int
    running: ExitStack

    @property
    def is_quick(self) -> bool:
        """Whether this is a quick run."""
        return self.events < MILLION


@dataclass(frozen=True)
class Row:
    """One result; smaller is better; if the goal is a ratio, `value` is the ratio."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    ratio: float | None = None
    goal: float | None = None

    def to_object(self) -> dict[str, object]:
        """The row as written by `--json`."""
        return asdict(self)


Measurement = Callable[[Context], Row]


@dataclass(frozen=True)
class Measured:
    """A named measurement; the first part of its name is its group. Some are too slow for a quick run."""

    name: str
    measure: Measurement
    is_quick: bool = True


def figure(
    name: str, unit: str, goal: float, measure: Callable[[Context], float], digits: int = 1
) -> Measured:
    """A measurement of one number, without a floor."""
    return Measured(name, lambda context: Row(name, round(measure(context), digits), unit, goal=goal))


class AbsentError(Exception):
    """A program or library for comparison is missing; the row is skipped with this message."""


def chosen(measurements: Sequence[Measured], pattern: str, *, quick: bool) -> list[Measured]:
    """The measurements whose names match the pattern at the beginning."""
    named = (each for each in measurements if re.match(pattern, each.name))
    return [each for each in named if each.is_quick or not quick]


def measured(measurements: Sequence[Measured], context: Context) -> list[Row]:
    """The rows of the measurements that are possible here; each is printed at once: a run may take hours."""
    rows = []
    for each in measurements:
        try:
            row = each.measure(context)
        except AbsentError as error:
            print(f"{each.name} is left out: {error}")
        else:
            rows.append(row)
            print(row.name, f"{row.value:g}", row.unit, file=sys.stderr, flush=True)
    return rows


def ratio_row(name: str, measured_ms: float, floor_ms: float, goal: float) -> Row:
    """A row whose value is the ratio of two times in milliseconds."""
    ratio = measured_ms / floor_ms
    return Row(name, round(ratio, 3), "ratio", round(floor_ms, 4), round(ratio, 3), goal)


def over_row(name: str, measured_ms: float, floor_ms: float, goal: float) -> Row:
    """A row whose value is the difference of two times in milliseconds."""
    ratio = round(measured_ms / floor_ms, 3)
    return Row(name, round(measured_ms - floor_ms, 3), "ms", round(floor_ms, 4), ratio, goal)


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text."""
    header = ("name", "value", "unit", "floor", "ratio", "goal", "")
    lines = [header, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    met = "" if row.goal is None else ("met" if row.value <= row.goal else "MISSED")
    numbers = (row.floor, row.ratio, row.goal)
    shown = ("" if number is None else f"{number:g}" for number in numbers)
    return (row.name, f"{row.value:g}", row.unit, *shown, met)
