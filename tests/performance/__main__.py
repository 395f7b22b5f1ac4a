"""`python -m tests.performance`: runs the chosen measurements, prints a table, writes JSON."""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import msgspec

from tests.performance import diagram, live, schema, start
from tests.performance.events import browser
from tests.performance.machine import Machine
from tests.performance.rows import MILLION, Context, chosen, measured, table
from tests.performance.server import commits, csv_lists, lists, postgresql, snapshots, stage

MEASUREMENTS = (
    *start.MEASUREMENTS,
    *lists.MEASUREMENTS,
    *csv_lists.MEASUREMENTS,
    *stage.MEASUREMENTS,
    *commits.MEASUREMENTS,
    *snapshots.MEASUREMENTS,
    *postgresql.MEASUREMENTS,
    *browser.MEASUREMENTS,
    *live.MEASUREMENTS,
    *schema.MEASUREMENTS,
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


if __name__ == "__main__":
    sys.exit(main())
