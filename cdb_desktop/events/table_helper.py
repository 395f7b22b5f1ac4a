"""A program of its own: makes a table of a file of CSV, and tells how far it is on its standard output.

A child process: it keeps a processor busy for a minute, and the window must not wait for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from cdb_desktop.events.table_forms import LIMITS
from cdb_desktop.events.table_telling import Told
from cdb_desktop.events.table_writers import TooWideError, write_table

_NICENESS = 5


def main(arguments: Sequence[str]) -> int:
    """Takes the form, the source, the target and the number of rows."""
    name, source, target, rows = arguments
    form = next(known for known in LIMITS if known == name)
    with suppress(AttributeError, OSError):
        os.nice(_NICENESS)
    done = 0

    def tell(written: int) -> None:
        nonlocal done
        done = written
        _say(Told(written))

    try:
        cut = write_table(form, Path(source), Path(target), int(rows), tell)
    except BrokenPipeError:
        return 1  # nobody waits any more
    except Exception as error:  # noqa: BLE001  # whatever it was is told to whoever waits
        _say(_told(error))
        return 1
    _say(Told(done, is_done=True, cut=cut))
    return 0


def _told(error: BaseException) -> Told:
    # XlsxWriter wraps what the disk says, and openpyxl fails once more on its way out.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return Told(fault="disk", errno=cause.errno)
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, TooWideError):
        return Told(fault="columns")
    return Told(fault=f"{type(error).__name__}: {error}")


def _say(told: Told) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
