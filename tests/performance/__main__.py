"""`python -m tests.performance`: runs the chosen measurements, prints a table, writes JSON."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import msgspec

from tests.performance import (
    diagram,
    events,
    events_peers,
    live,
    server_csv,
    server_lists,
    server_postgresql,
    server_schema,
    server_snapshots,
    server_stage,
    start,
)
from tests.performance.rows import MILLION, Context, chosen, measured, table

_STEPS = 2_000_000
_TIMES = 3
_STOLEN = 7  # index of the time that the host gave to others, in /proc/stat
_PLACES = 8

MEASUREMENTS = (
    *start.MEASUREMENTS,
    *server_lists.MEASUREMENTS,
    *server_csv.MEASUREMENTS,
    *server_stage.MEASUREMENTS,
    *server_schema.MEASUREMENTS,
    *server_snapshots.MEASUREMENTS,
    *server_postgresql.MEASUREMENTS,
    *events.MEASUREMENTS,
    *events_peers.MEASUREMENTS,
    *live.MEASUREMENTS,
    *diagram.MEASUREMENTS,
)


def main() -> int:
    """Returns 0 if all goals are met, otherwise 1."""
    parser = argparse.ArgumentParser(prog="tests.performance")
    parser.add_argument("--quick", action="store_true", help="100,000 events and few repeats, within 45 s")
    parser.add_argument(
        "--only", default="", metavar="PATTERN", help="regular expression, from a name's start"
    )
    parser.add_argument("--events", type=int, metavar="N", help="of so many instead")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    machine = Machine()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        number, repeats = (MILLION // 10, 2) if given.quick else (MILLION, 11)
        context = Context(Path(folder), given.events or number, repeats, running)
        rows = measured(chosen(MEASUREMENTS, given.only, quick=given.quick), context)
    print(machine.describe())
    print(table(rows))
    if given.json:
        given.json.write_bytes(msgspec.json.encode([row.to_object() for row in rows]))
    return int(any(row.goal is not None and row.value > row.goal for row in rows))


class Machine:
    """Measures this machine from its creation on: its speed, and the processor time that others took.

    Times cannot be compared without it: the same machine may be half as fast an hour later.
    """

    def __init__(self) -> None:
        self._before = _times()
        self._loops = [_loop() for _ in range(_TIMES)]

    def describe(self) -> str:
        """The machine, and its speed at the beginning and the end."""
        begin, end = min(self._loops), min(_loop() for _ in range(_TIMES))
        what = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores"
        speed = f"{_STEPS:,} steps of a bare loop took {begin:.0f} ms before and {end:.0f} ms after"
        return f"{what}\n{speed}{self._taken()}"

    def _taken(self) -> str:
        """The share of processor time that the host gave to others, if the system reports it."""
        passed = [after - before for before, after in zip(self._before, _times(), strict=True)]
        if not any(passed):
            return ""
        return f"; others took {100 * passed[_STOLEN] / sum(passed):.1f} % of the processor"


def _loop() -> float:
    """Milliseconds of a loop that only counts."""
    started, number = time.perf_counter(), 0
    for step in range(_STEPS):
        number += step
    return (time.perf_counter() - started) * 1000


def _times() -> list[int]:
    """Processor times since the start in ticks by kind; zeros without /proc."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return [0] * _PLACES
    first = stat.read_text(encoding="ascii").splitlines()[0]
    return [int(ticks) for ticks in first.split()[1 : 1 + _PLACES]]


if __name__ == "__main__":
    sys.exit(main())
